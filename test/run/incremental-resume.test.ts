/**
 * Value and data move as one step: a run that is killed behind any record and resumed, and the runs after it, deliver
 * each item once.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { memory } from '../../sinks/index.js';
import { run } from '../../src/run/extract.js';
import { failingAfter, memoryStore } from '../checkpoint/memory-store.js';
import { json, startApi } from '../loopback/api.js';
import { copyOf, type Destination, destination, transactionLog } from '../sinks/transaction-log.js';
import { failure } from '../support/failure.js';
import { unchecked } from '../unchecked.js';
import { type RowsApi, rowsApi, rowsConfiguration } from './rows-api.js';

const at = (minute: number): string => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();
const rowsTo = (last: number) =>
  Array.from({ length: last }, (_, index) => ({ id: index + 1, updated: at(index + 1) }));
const idsOf = ({ items }: Destination): readonly string[] => items.map((line) => /"id":(\d+)/.exec(line)?.[1] ?? '');

async function onRows(use: (api: RowsApi) => Promise<void>): Promise<void> {
  const api = await rowsApi();
  try {
    await use(api);
  } finally {
    await api.close();
  }
}

for (const incremental of [{}, { order: 'asc' }, { lookback: '2m' }]) {
  test(`a second run that is killed behind any record loses nothing and doubles nothing: ${JSON.stringify(incremental)}`, () =>
    onRows(async (api) => {
      const configuration = rowsConfiguration(api.origin, incremental);
      api.rows = rowsTo(3);
      const [first, log] = [memoryStore(), destination()];
      await run(configuration, { to: transactionLog(log), store: first });
      api.rows = rowsTo(8);
      let kills = 0;
      for (let records = 0; ; records++) {
        const [store, to] = [failingAfter(records, memoryStore(first.held)), copyOf(log)];
        const isKilled = await run(configuration, { to: transactionLog(to), store }).then(
          () => false,
          () => true,
        );
        const after = memoryStore(store.held);
        if (isKilled) await run(configuration, { to: transactionLog(to), store: after, resume: true });
        assert.equal(idsOf(to), ['1', '2', '3', '4', '5', '6', '7', '8'], `killed after ${records} records`);
        await run(configuration, { to: transactionLog(to), store: after });
        assert.is(idsOf(to).length, 8, `the run after it, killed after ${records} records`);
        if (!isKilled) break;
        kills += 1;
      }
      assert.ok(kills >= 3, `${kills} kills`);
    }));
}

test('a state that cannot be written after the data was published: the next run repeats and skips nothing', () =>
  onRows(async (api) => {
    const configuration = rowsConfiguration(api.origin, {});
    api.rows = rowsTo(3);
    const inner = memoryStore();
    const store = {
      ...inner,
      async open() {
        const opened = await inner.open();
        const sync = async (texts: readonly string[]) => {
          if (texts.some((text) => text.includes('"type":"done"'))) throw new Error('disk full');
          await opened.sync(texts);
        };
        return { ...opened, sync };
      },
    };
    const error = await failure(run(configuration, { to: memory(), store }));
    assert.is(error.code, 'ERR_STATE');
    const [again, resumed] = [memory(), memory()];
    await run(configuration, { to: again, store: memoryStore(inner.held) });
    assert.is(again.items().length, 3, 'a new run begins where the run before it did');
    const after = memoryStore(inner.held);
    await run(configuration, { to: resumed, store: after, resume: true });
    assert.is(resumed.items().length, 0, 'a resume requests nothing');
    const next = memory();
    await run(configuration, { to: next, store: after });
    assert.is(next.items().length, 0, 'and its value counts');
  }));

test('a resume with another range is refused', () =>
  onRows(async (api) => {
    const configuration = rowsConfiguration(api.origin, {});
    api.rows = rowsTo(5);
    const store = failingAfter(1);
    await failure(run(configuration, { to: memory(), store, since: at(1) }));
    const error = await failure(run(configuration, { to: memory(), store: memoryStore(store.held), resume: true }));
    assert.is(error.code, 'ERR_RESUME');
    assert.match(error.message, /: since was "[^"]*" and is none$/);
  }));

test('each parent of a child job has a value of its own', async () => {
  const targets: string[] = [];
  const server = await startApi(({ target }) => {
    targets.push(target);
    if (target.startsWith('/teams')) return json([{ id: 'a' }, { id: 'b' }]);
    const since = new URL(target, 'http://x').searchParams.get('since') ?? '';
    const rows = target.startsWith('/members/a') ? [1, 2] : [7];
    return json(rows.map((minute) => ({ team: target[9], at: at(minute) })).filter((row) => row.at >= since));
  });
  const child = { endpoint: 'members/{team}', dataType: 'members', placeholders: { team: 'id' } };
  const configuration = unchecked({
    api: { baseUrl: `${server.origin}/` },
    config: { jobs: [{ endpoint: 'teams', children: [{ ...child, incremental: { path: 'at', param: 'since' } }] }] },
  });
  const store = memoryStore();
  try {
    const sink = memory();
    await run(configuration, { to: sink, store });
    assert.is(sink.items('members').length, 3);
    targets.length = 0;
    const second = memory();
    await run(configuration, { to: second, store });
    assert.equal(targets, [
      '/teams',
      `/members/a?since=${encodeURIComponent(at(2))}`,
      `/members/b?since=${encodeURIComponent(at(7))}`,
    ]);
    assert.is(second.items('members').length, 0);
  } finally {
    await server.close();
  }
});

const sources = [
  { what: 'the response', incremental: { response: 'meta.token' } },
  { what: 'a header', incremental: { header: 'X-Delta' } },
];

for (const { what, incremental } of sources) {
  test(`a value of ${what} is remembered as it is, the last one`, async () => {
    const targets: string[] = [];
    const server = await startApi(({ target }) => {
      targets.push(target);
      const page = new URL(target, 'http://x').searchParams.get('page');
      const token = `t-${targets.length}`;
      const body = { rows: page === '1' ? [{ id: 1 }, { id: 2 }] : [], meta: { token } };
      return json(body, { headers: { 'content-type': 'application/json', 'x-delta': token } });
    });
    const configuration = unchecked({
      api: { baseUrl: `${server.origin}/`, pagination: { method: 'pagenum' } },
      config: { jobs: [{ endpoint: 'rows', dataField: 'rows', incremental: { ...incremental, param: 'delta' } }] },
    });
    const store = memoryStore();
    try {
      await run(configuration, { store });
      await run(configuration, { store });
      assert.equal(targets.slice(2), ['/rows?delta=t-2&page=1', '/rows?delta=t-2&page=2']);
    } finally {
      await server.close();
    }
  });
}

test.run();
