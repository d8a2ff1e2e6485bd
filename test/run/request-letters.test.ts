/** `onError` with "dead-letter": each request that fails is a letter once, whenever the process is killed. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Recovery, Sink } from '../../sinks/contract.js';
import type { Notice } from '../../src/core/model/notice.js';
import { run } from '../../src/run/extract.js';
import type { RunOptions } from '../../src/run/options.js';
import { type MemoryStore, memoryStore } from '../checkpoint/memory-store.js';
import { items, json, startApi } from '../loopback/api.js';
import { cutSink, idsSink, linesIn, newStore, plainSink, type Store, transactionSink } from '../sinks/kinds.js';
import { rejection } from '../sinks/lib.js';
import { idOf, picky } from '../sinks/picky.js';
import { unchecked } from '../unchecked.js';
import { createLife } from './life.js';

const kinds: Readonly<Record<Recovery, (store: Store) => Sink>> = {
  none: plainSink,
  ids: idsSink,
  cut: cutSink,
  transaction: transactionSink,
};
const recoveries = ['none', 'ids', 'cut', 'transaction'] as const;

const secret = 's3cr3t-t0ken';

/** Two pages of parents, each with a detail of one or two pages. `fails`: by path and query, the status. */
async function inWorld(use: (origin: string, fails: Map<string, number>) => Promise<void>): Promise<void> {
  const fails = new Map<string, number>();
  const api = await startApi(({ target }) => {
    const { pathname, searchParams } = new URL(target, 'http://x');
    const page = Number(searchParams.get('page'));
    const status = fails.get(`${pathname} ${page}`);
    if (status !== undefined) return { status, body: 'no' };
    if (pathname === '/parents') return json(page < 3 ? items(page * 3 - 2, 3) : []);
    const id = Number(/\d+/.exec(pathname)?.[0]);
    return json(page < 2 + (id % 2) ? items(id * 10 + page, 1) : []);
  });
  try {
    await use(api.origin, fails);
  } finally {
    await api.close();
  }
}

const configOf = (origin: string, onError: unknown = { 404: 'dead-letter' }) =>
  unchecked({
    api: { baseUrl: `${origin}/`, pagination: { method: 'pagenum' }, retryConfig: { maxRetries: 0 } },
    config: {
      jobs: [
        {
          endpoint: 'parents',
          dataType: 'parents',
          children: [
            {
              endpoint: 'details/{id}',
              dataType: 'details',
              placeholders: { id: 'id' },
              params: { '#key': secret },
              onError,
            },
          ],
        },
      ],
    },
  });

/** The first page of some details is gone, and the second one of another. */
const gone = ['/details/1 1', '/details/2 1', '/details/3 2', '/details/6 1'];
const goneIds = ['1 0', '2 0', '3 1', '6 0'];
const detailIds = [31, 41, 51, 52];

/** The placeholder and the page of a letter. */
function placeIn(line: string): string {
  const { job, dataType, run: name, walk, page, status, code, placeholders, request, time } = JSON.parse(line);
  assert.equal([job, dataType, typeof name, typeof walk], ['details', 'details', 'string', 'string']);
  assert.equal([status, code], [404, 'ERR_STATUS']);
  assert.match(request, new RegExp(`^GET http://[^/]+/details/${placeholders.id}\\?`));
  assert.not.match(line, secret);
  if (time !== undefined) assert.is(new Date(time).toISOString(), time);
  return `${placeholders.id} ${page}`;
}

const once = <T>(recovery: Recovery, all: readonly T[]): readonly T[] =>
  recovery === 'none' ? [...new Set(all)] : all;
const idsIn = (store: Store): readonly number[] => linesIn(store, 'details').map((line) => idOf(JSON.parse(line)));
const placesIn = (store: Store): readonly string[] => linesIn(store, 'details').map(placeIn);

interface Killing {
  readonly main: Recovery;
  readonly letters: Recovery;
  readonly concurrency?: number;
  /** The resume finds the requests that failed. */
  readonly recovers?: boolean;
  /** Kills at each so many steps. */
  readonly stride?: number;
}

/** Kills a run at each step, resumes it, and checks what is there. */
const killedAtEachStep = ({ main, letters, concurrency = 1, recovers = false, stride = 1 }: Killing) =>
  inWorld(async (origin, fails) => {
    for (let steps = 0; ; steps += stride) {
      for (const each of gone) fails.set(each, 404);
      const [to, dead, state] = [newStore(), newStore(), memoryStore()];
      const life = createLife(steps);
      const begin = (mortal: (sink: Sink) => Sink, rest: Pick<RunOptions, 'store' | 'resume'>) =>
        run(configOf(origin), {
          to: mortal(kinds[main](to)),
          onItemError: { deadLetter: mortal(kinds[letters](dead)) },
          concurrency,
          ...rest,
        });
      await begin(life.sink, { store: life.store(state) }).catch(() => {});
      if (!life.isOver()) break;
      if (recovers) fails.clear();
      const where = `killed at step ${steps}`;
      const { jobs } = await begin((sink) => sink, { store: memoryStore(state.held), resume: true });
      const own = jobs.find(({ job }) => job === 'details');
      const places = once(letters, placesIn(dead));
      const listed = (own?.skips ?? []).map(({ request, page }) => `${/details\/(\d+)/.exec(request)?.[1]} ${page}`);
      assert.equal(own?.letters ?? 0, own?.skipped ?? 0, where);
      if (!recovers) {
        assert.equal(places, goneIds, where);
        assert.equal(listed, goneIds, where);
        assert.equal(once(main, idsIn(to)), detailIds, where);
        continue;
      }
      // Every failure of the first process is a letter, and what is not listed has arrived.
      assert.equal(places, goneIds.slice(0, places.length), where);
      assert.ok(listed.length <= places.length, where);
      assert.equal(listed, goneIds.slice(0, listed.length), where);
      const whole = [11, 12, 21, 31, 32, 41, 51, 52, 61];
      const lost = listed.flatMap((place) => ({ '1 0': [11, 12], '2 0': [21], '3 1': [32], '6 0': [61] })[place] ?? []);
      assert.equal(
        once(main, idsIn(to)),
        whole.filter((id) => !lost.includes(id)),
        where,
      );
    }
  });

/** A sink with transactions may have what the journal lacks: there every moment matters. */
const strideOf = (...each: readonly Recovery[]): number => (each.includes('transaction') ? 1 : 2);

for (const main of recoveries) {
  for (const letters of recoveries) {
    test(`${main}, with letters of requests in ${letters}: each is there once at any kill`, () =>
      killedAtEachStep({ main, letters, stride: strideOf(main, letters) }));
    test(`${main}, with letters in ${letters}: a request that succeeds after a kill is no failure, and its letter stays`, () =>
      killedAtEachStep({ main, letters, recovers: true, stride: 3 }));
  }
  test(`${main}, with children at once: each letter is there once at any kill`, () =>
    killedAtEachStep({ main, letters: 'transaction', concurrency: 3, stride: 4 }));
}

interface Pulled {
  readonly rule?: unknown;
  readonly options?: RunOptions;
  readonly store?: MemoryStore;
}

async function pull(origin: string, { rule, options = {}, store }: Pulled = {}) {
  const [to, dead] = [newStore(), newStore()];
  const notices: Notice[] = [];
  const summary = await run(configOf(origin, rule), {
    to: plainSink(to),
    onItemError: { deadLetter: plainSink(dead) },
    notify: (notice) => notices.push(notice),
    ...(store === undefined ? {} : { store }),
    ...options,
  });
  return { to, dead, notices, job: summary.jobs.find(({ job }) => job === 'details') };
}

test('rules by status: some requests are letters, others are left out only', () =>
  inWorld(async (origin, fails) => {
    fails.set('/details/1 1', 404).set('/details/2 1', 403).set('/details/4 1', 410);
    const { dead, job, notices } = await pull(origin, { rule: { 403: 'skip', default: 'dead-letter' } });
    assert.equal(
      linesIn(dead, 'details').map((line) => JSON.parse(line).status),
      [404, 410],
    );
    assert.equal([job?.skipped, job?.letters], [3, 2]);
    assert.equal(
      job?.skips?.map(({ letter }) => letter),
      [true, undefined, true],
    );
    const own = notices.filter(({ code }) => code === 'request-skipped').map(({ message }) => message);
    const stored = own.filter((message) =>
      message.startsWith('left out and stored as a dead letter, as `onError` says'),
    );
    assert.equal([own.length, stored.length], [3, 2]);
    await rejection(pull(origin, { rule: { 403: 'fail', default: 'dead-letter' } }), 'ERR_STATUS', /403/);
  }));

test('more letters than max end the run', () =>
  inWorld(async (origin, fails) => {
    for (const each of gone) fails.set(each, 404);
    const work = pull(origin, { rule: { 404: 'dead-letter', max: 3 } });
    await rejection(work, 'ERR_STATUS', /3 requests of this job are left out already/);
    assert.is((await pull(origin, { rule: { 404: 'dead-letter', max: 4 } })).job?.letters, 4);
  }));

test('without a sink for letters the run is refused before any request', () =>
  inWorld(async (origin) => {
    const expected =
      /^config\.jobs\[0\]\.children\[0\]\.onError: "dead-letter" of the job "details" needs the sink of dead letters: --on-item-error dead-letter=URI/;
    for (const onItemError of ['fail', 'skip'] as const) {
      await rejection(run(configOf(origin), { to: plainSink(newStore()), onItemError }), 'ERR_USAGE', expected);
    }
  }));

test('a run that stores nothing leaves out the requests, and makes no letters', () =>
  inWorld(async (origin, fails) => {
    fails.set('/details/1 1', 404);
    const { jobs } = await run(configOf(origin));
    const own = jobs.find(({ job }) => job === 'details');
    assert.equal([own?.skipped, own?.letters], [1, undefined]);
  }));

test('a letter that its sink does not take ends the run, and is written by the resume', () =>
  inWorld(async (origin, fails) => {
    fails.set('/details/1 1', 404);
    const [to, dead, state] = [newStore(), newStore(), memoryStore()];
    const full: Sink = {
      ...cutSink(dead),
      write() {
        throw new Error('disk full');
      },
    };
    const begin = (deadLetter: Sink, rest: RunOptions) =>
      run(configOf(origin), { to: cutSink(to), onItemError: { deadLetter }, ...rest });
    await rejection(begin(full, { store: state }), 'ERR_SINK', /disk full/);
    await begin(cutSink(dead), { store: memoryStore(state.held), resume: true });
    assert.equal(placesIn(dead), ['1 0']);
  }));

test('letters of requests and of items have ids of their own', () =>
  inWorld(async (origin, fails) => {
    fails.set('/details/3 2', 404);
    const dead = newStore();
    const to = picky(plainSink(newStore()), {
      when: 'write',
      refuses: (item) => idOf(item) === 31 || idOf(item) === 41,
    });
    await run(configOf(origin), { to, onItemError: { deadLetter: idsSink(dead) } });
    const found = linesIn(dead, 'details').map((line) => JSON.parse(line));
    assert.equal(
      found.map(({ item, request }) => [item?.id, request !== undefined]),
      [
        [31, false],
        [undefined, true],
        [41, false],
      ],
    );
  }));

test('requests that are letters are sent again by `resume: failed`, and leave the list when they succeed', () =>
  inWorld(async (origin, fails) => {
    for (const each of gone) fails.set(each, 404);
    const store = memoryStore();
    await pull(origin, { store });
    for (const each of gone.slice(1)) fails.delete(each);
    const second = await pull(origin, { store, options: { resume: 'failed' } });
    assert.equal(placesIn(second.dead), ['1 0']);
    assert.equal(idsIn(second.to), [21, 32, 61]);
    fails.clear();
    const third = await pull(origin, { store, options: { resume: 'failed' } });
    assert.equal([placesIn(third.dead), idsIn(third.to)], [[], [11, 12]]);
    assert.is((await pull(origin, { store, options: { resume: 'failed' } })).job?.skipped, undefined);
  }));

test.run();
