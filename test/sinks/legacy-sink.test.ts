/** Sinks of the contract before `recovery`: what the adapter calls on them, and that a run with one says so. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { batchOf, checkSink } from '../../sinks/index.js';
import { adaptSink, type LegacySink, type Mark } from '../../sinks/legacy-sink.js';
import { openCheckpoint } from '../../src/checkpoint/checkpoint.js';
import { ExtractError } from '../../src/core/errors/errors.js';
import { ExactNumber } from '../../src/core/json/exact.js';
import type { Batch } from '../../src/core/model/batch.js';
import type { Notice } from '../../src/core/model/notice.js';
import { run } from '../../src/run/extract.js';
import { failingAfter, memoryStore } from '../checkpoint/memory-store.js';
import { configurationOf, onServer, type Scene } from '../checkpoint/scenes.js';
import { items, json } from '../loopback/api.js';
import { calm, pageEnd, rejection } from './lib.js';

/** Lists of lines by data type, as a sink of the old form; `calls` notes what is asked of it. */
function lists(store: Map<string, string[]>, calls: string[] = []) {
  const linesIn = (dataType: string) => {
    const lines = store.get(dataType) ?? [];
    store.set(dataType, lines);
    return lines;
  };
  let hasEnded = false;
  /** By data type, where a resumed run continues. */
  let ends: ReadonlyMap<string, number> | undefined;
  const opened = new Set<string>();
  return {
    guarantee: 'exactly once',
    open(dataType: string) {
      if (ends !== undefined && !opened.has(dataType)) linesIn(dataType).length = ends.get(dataType) ?? 0;
      opened.add(dataType);
    },
    write({ dataType, bytes }: Batch, signal: AbortSignal) {
      if (hasEnded) throw new Error('it has ended');
      signal.throwIfAborted();
      calls.push('write');
      linesIn(dataType).push(...Buffer.from(bytes).toString().split('\n').slice(0, -1));
    },
    mark(dataType: string): Mark {
      calls.push('mark');
      return { dataType, position: linesIn(dataType).length };
    },
    rollback({ dataType, position }: Mark) {
      calls.push(`rollback ${position}`);
      linesIn(dataType).length = Number(position);
    },
    resume({ checkpoints }) {
      calls.push('resume');
      const numbers = [...checkpoints].map(([dataType, length]) => [dataType, Number(String(length))] as const);
      for (const [dataType, length] of numbers) {
        if (linesIn(dataType).length < length)
          throw new ExtractError('ERR_RESUME', `${dataType} is shorter than it was`);
      }
      ends = new Map(numbers);
    },
    async checkpoint(dataType: string) {
      calls.push('checkpoint');
      return new ExactNumber(String(linesIn(dataType).length));
    },
    close() {
      hasEnded = true;
    },
    abort() {
      hasEnded = true;
    },
  } satisfies LegacySink;
}

test('a page begins with a mark, and goes back to it as often as it is asked to', async () => {
  const calls: string[] = [];
  const sink = adaptSink(lists(new Map(), calls));
  assert.is(sink.recovery, 'cut');
  await sink.write(batchOf('a', [1]), calm);
  await sink.write(batchOf('a', [2]), calm);
  await sink.commit?.(pageEnd('a'), calm);
  await sink.rollback?.('a');
  await sink.write(batchOf('a', [3]), calm);
  await sink.rollback?.('a');
  await sink.write(batchOf('a', [4]), calm);
  await sink.rollback?.('a');
  assert.equal(calls, ['mark', 'write', 'write', 'mark', 'write', 'rollback 2', 'write', 'rollback 2']);
});

test('without a state it is not resumed, and no checkpoint is asked for', async () => {
  const calls: string[] = [];
  const sink = adaptSink(lists(new Map(), calls));
  await sink.resume?.({ run: 'r', epoch: 1, isStored: false, phase: 'writing', checkpoints: new Map() });
  assert.is(await sink.commit?.(pageEnd('a'), calm), undefined);
  assert.equal(calls, []);
});

const promises: readonly (readonly [LegacySink['guarantee'], string])[] = [
  [undefined, 'none'],
  ['at least once', 'none'],
  ['effectively once', 'ids'],
  ['exactly once', 'cut'],
];

for (const [guarantee, recovery] of promises) {
  test(`${guarantee ?? 'no guarantee'} becomes ${recovery}`, () => {
    const { guarantee: _, ...rest } = lists(new Map());
    const sink: LegacySink = { ...rest, ...(guarantee === undefined ? {} : { guarantee }) };
    assert.is(adaptSink(sink).recovery, recovery);
  });
}

test('a sink of today is the same sink', () => {
  const sink = { write() {}, close() {}, abort() {} };
  assert.is(adaptSink(sink), sink);
});

test('what it has besides is passed on', async () => {
  const calls: string[] = [];
  const sink = adaptSink({
    ...lists(new Map(), calls),
    open: (dataType) => void calls.push(`open ${dataType}`),
    durable: async () => void calls.push('durable'),
    published: (dataType) => [`published ${dataType}`],
    summary: () => [{ dataType: 'a', name: 'b', items: 1, bytes: 2 }],
  });
  await sink.open?.('a', 'job');
  await sink.durable?.();
  assert.equal(calls, ['open a', 'durable']);
  assert.equal(await sink.published?.('a'), ['published a']);
  assert.is(sink.summary?.()[0]?.items, 1);
});

test('the kit tests it by the rules of today', async () => {
  const store = new Map<string, string[]>();
  const checks = await checkSink(
    () => lists(store),
    async (dataType) => store.get(dataType) ?? [],
  );
  assert.equal(
    checks.filter(({ outcome }) => outcome === 'fail'),
    [],
  );
  assert.is(checks.find(({ name }) => name.startsWith('goes on where a checkpoint'))?.outcome, 'pass');
});

const api = { isDown: true };
const scene: Scene = {
  what: '',
  api: { pagination: { method: 'pagenum' } },
  jobs: [{ endpoint: 'users' }],
  answer(url) {
    const page = Number(url.searchParams.get('page'));
    if (api.isDown && page === 3) return { status: 503, body: 'down' };
    return json(page > 3 ? [] : items(page * 2, 2));
  },
};

test(
  'a run with one says so, and is resumed exactly once',
  onServer(scene, async (server) => {
    const store = new Map<string, string[]>();
    const state = memoryStore();
    const notices: Notice[] = [];
    const notify = (notice: Notice) => void notices.push(notice);
    const configuration = configurationOf(scene, server.origin);
    await rejection(() => run(configuration, { to: lists(store), store: state, notify }), 'ERR_STATUS');
    store.get('users')?.push('"behind the journal"');
    api.isDown = false;
    const checkpoint = await openCheckpoint(memoryStore(state.held), { resume: true });
    const { guarantee } = await run(configuration, { to: lists(store), checkpoint });
    assert.is(guarantee, 'exactly once');
    assert.equal(
      store.get('users'),
      items(2, 6).map((item) => JSON.stringify(item)),
    );
    const told = notices.filter(({ code }) => code === 'deprecated-sink');
    assert.equal(
      told.map(({ level, message }) => `${level}: ${message}`),
      [
        'warning: a sink has the old form, which works for one more version. Replace `mark` and `checkpoint` by `commit` and `rollback(dataType)`, and `guarantee` by `recovery`',
      ],
    );
  }),
);

test(
  'one that cannot roll back is accepted as before, and resumed exactly once',
  onServer(scene, async (server) => {
    const store = new Map<string, string[]>();
    const sink = () => {
      const { mark: _, rollback: __, ...rest } = lists(store);
      return rest;
    };
    const state = failingAfter(1);
    await rejection(() => run(configurationOf(scene, server.origin), { to: sink(), store: state }), 'ERR_STATE');
    const resumed = { to: sink(), store: memoryStore(state.held), resume: true };
    const { guarantee } = await run(configurationOf(scene, server.origin), resumed);
    assert.is(guarantee, 'exactly once');
    const all = [...store.values()].flat();
    assert.is(new Set(all).size, all.length);
    assert.is(all.length, 6);
  }),
);

test.run();
