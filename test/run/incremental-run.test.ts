/** The second run asks for what is new since the first: values, ties, late rows, limits, backfills, and bad input. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { memory } from '../../sinks/index.js';
import { stateFolder } from '../../src/checkpoint/store/folder-store.js';
import type { Notice } from '../../src/core/model/notice.js';
import { run } from '../../src/run/extract.js';
import type { RunOptions } from '../../src/run/options.js';
import { memoryStore } from '../checkpoint/memory-store.js';
import { json, startApi } from '../loopback/api.js';
import { inFolder } from '../sinks/lib.js';
import { failure } from '../support/failure.js';
import { unchecked } from '../unchecked.js';
import { type RowsApi, rowsApi, rowsConfiguration } from './rows-api.js';

const value = { incremental: 'value' };
const at = (minute: number): string => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();

const idOf = (item: unknown): number =>
  typeof item === 'object' && item !== null && 'id' in item ? Number(item.id) : Number.NaN;

interface Pull {
  readonly ids: readonly number[];
  readonly targets: readonly string[];
  readonly notices: readonly Notice[];
}

/** Runs against the API and one state, as often as the test calls `pull`. */
async function onRows(
  use: (
    api: RowsApi,
    pull: (incremental: object, options?: RunOptions, job?: object) => Promise<Pull>,
  ) => Promise<void>,
  options: Parameters<typeof rowsApi>[0] = {},
): Promise<void> {
  const api = await rowsApi(options);
  const store = memoryStore();
  const pull = async (incremental: object, more: RunOptions = {}, job: object = {}): Promise<Pull> => {
    const sink = memory();
    const notices: Notice[] = [];
    const configuration = rowsConfiguration(api.origin, incremental, job);
    try {
      await run(configuration, { to: sink, store, notify: (each) => void notices.push(each), ...more });
    } finally {
      api.takeTargets().forEach((each) => void targets.push(each));
    }
    return { ids: sink.items().map(idOf), targets: targets.splice(0), notices };
  };
  const targets: string[] = [];
  try {
    await use(api, pull);
  } finally {
    await api.close();
  }
}

test('the second run asks from the highest value on, and leaves out the item that had it', () =>
  onRows(async (api, pull) => {
    api.rows = [1, 2, 3].map((id) => ({ id, updated: at(id) }));
    const first = await pull({});
    assert.equal(first.ids, [1, 2, 3]);
    assert.equal(first.targets, ['/rows?page=1&limit=2', '/rows?page=2&limit=2']);
    assert.equal((await pull({})).ids, []);
    api.rows = [...api.rows, { id: 4, updated: at(4) }];
    const third = await pull({});
    assert.equal(third.ids, [4]);
    assert.is(third.targets[0], `/rows?since=${encodeURIComponent(at(3))}&page=1&limit=2`);
  }));

test('an item with the last value that comes later arrives, and an item that has changed arrives again', () =>
  onRows(async (api, pull) => {
    api.rows = [
      { id: 1, updated: at(1) },
      { id: 2, updated: at(1) },
    ];
    assert.equal((await pull({})).ids, [1, 2]);
    api.rows = [...api.rows, { id: 3, updated: at(1) }, { id: 4, updated: at(1) }];
    assert.equal((await pull({})).ids, [3, 4]);
    api.rows = api.rows.map((row) => (row.id === 2 ? { ...row, note: 'changed' } : row));
    assert.equal((await pull({})).ids, [2]);
    assert.equal((await pull({})).ids, []);
  }));

test('the first run begins at `initial`, and the value keeps every digit', () =>
  onRows(async (api, pull) => {
    api.rows = [{ id: 1, updated: '2026-01-01T00:00:00.123456789+02:00' }];
    assert.is((await pull({ initial: '2020-01-01' })).targets[0], '/rows?since=2020-01-01&page=1&limit=2');
    assert.match((await pull({})).targets[0] ?? '', encodeURIComponent('2026-01-01T00:00:00.123456789+02:00'));
  }));

const forms = [
  { value: '2026-01-01T00:20:00.123456Z', lookback: '15m', asked: '2026-01-01T00:05:00.123456Z' },
  { value: '2026-01-01 00:20:00+02:00', lookback: '1h', asked: '2025-12-31 23:20:00+02:00' },
  { value: '2026-01-02', lookback: '1m', asked: '2026-01-01' },
  { value: '2026-01-01T00:20', lookback: '30s', asked: '2026-01-01T00:19' },
  { value: 1_767_225_600, lookback: '15m', asked: '1767224700' },
  { value: 1_767_225_600_123, lookback: '15m', asked: '1767224700123' },
  { value: 42, lookback: 2, asked: '40' },
];

for (const { value, lookback, asked } of forms) {
  test(`a look-back of ${lookback} from ${value} keeps its form`, () =>
    onRows(async (api, pull) => {
      api.rows = [{ id: 1, updated: value }];
      await pull({ lookback });
      const [target = ''] = (await pull({ lookback })).targets;
      assert.is(new URL(target, 'http://x').searchParams.get('since'), asked);
    }));
}

test('a look-back brings late items once, and says which look-back would have sufficed', () =>
  onRows(async (api, pull) => {
    api.rows = [
      { id: 1, updated: at(10) },
      { id: 2, updated: at(30) },
    ];
    assert.equal((await pull({ lookback: '25m' })).ids, [1, 2]);
    api.rows = [...api.rows, { id: 3, updated: at(12) }, { id: 4, updated: at(31) }];
    const second = await pull({ lookback: '25m' });
    assert.equal(second.ids, [3, 4]);
    const late = second.notices.find(({ code }) => code === 'late-items');
    assert.match(late?.message ?? '', '1 item was late, by up to 18m');
    assert.equal((await pull({ lookback: '25m' })).ids, []);
  }));

test('a run that a limit has ended does not advance, unless items come in ascending order', () =>
  onRows(async (api, pull) => {
    api.rows = [1, 2, 3, 4, 5].map((id) => ({ id, updated: at(id) }));
    assert.equal((await pull({}, { maxItems: 3 })).ids, [1, 2, 3]);
    assert.equal((await pull({}, { maxPages: 1 })).ids, [1, 2]);
    assert.equal((await pull({ order: 'asc' }, { maxItems: 3 })).ids, [1, 2, 3]);
    assert.equal((await pull({ order: 'asc' }, { maxItems: 1 })).ids, [4]);
    assert.equal((await pull({ order: 'asc' })).ids, [5]);
  }));

test('a condition of the pagination that ends the job early does not advance it', () =>
  onRows(async (api, pull) => {
    api.rows = [1, 2, 3, 4].map((id) => ({ id, updated: at(id) }));
    const pagination = { method: 'pagenum', limit: 2, forceStop: { pages: 1 } };
    assert.equal((await pull({}, {}, { pagination })).ids, [1, 2]);
    assert.equal((await pull({}, {}, { pagination })).ids, [1, 2]);
  }));

test('a run that fails does not advance', () =>
  onRows(
    async (api, pull) => {
      api.rows = [
        { id: 1, updated: at(1) },
        { id: 2, updated: at(2) },
        { id: 3, updated: 'yesterday' },
      ];
      assert.is((await failure(pull({}))).code, 'ERR_INCREMENTAL');
      api.rows = api.rows.slice(0, 2);
      assert.equal((await pull({})).ids, [1, 2]);
    },
    { isSorted: false },
  ));

test('with a lag the newest items are left to the next run', () =>
  onRows(async (api, pull) => {
    api.rows = [
      { id: 1, updated: at(1) },
      { id: 2, updated: '2999-01-01T00:00:00Z' },
    ];
    assert.equal((await pull({ lag: '5m' })).ids, [1]);
    assert.equal((await pull({ lag: '5m' })).ids, []);
    assert.equal((await pull({})).ids, [2]);
  }));

test('everything again replaces what was remembered, when it has succeeded', () =>
  onRows(async (api, pull) => {
    api.rows = [1, 2].map((id) => ({ id, updated: at(id) }));
    await pull({});
    const full = await pull({}, { full: true });
    assert.equal(full.ids, [1, 2]);
    assert.is(full.targets[0], '/rows?page=1&limit=2');
    assert.equal((await pull({}, { full: true, maxItems: 1 })).ids, [1]);
    assert.equal((await pull({})).ids, []);
  }));

test('a backfill asks for a range, takes only its items, and leaves what is remembered as it is', () =>
  onRows(async (api, pull) => {
    api.rows = [1, 2, 3, 4].map((id) => ({ id, updated: at(id) }));
    await pull({});
    const range = { since: at(2), until: at(4) };
    assert.equal((await pull({}, range)).ids, [2, 3]);
    const asked = await pull({ until: 'until' }, range);
    assert.equal(new URL(asked.targets[0] ?? '', 'http://x').searchParams.get('until'), at(4));
    api.rows = [...api.rows, { id: 5, updated: at(5) }];
    assert.equal((await pull({})).ids, [5]);
    api.rows = [...api.rows, { id: 6, updated: at(6) }];
    assert.equal((await pull({}, { since: at(5), remember: true })).ids, [5, 6]);
    assert.equal((await pull({})).ids, []);
  }));

const mixed: readonly (readonly [string, readonly (string | number)[]])[] = [
  ['a text after dates', ['2026-01-01', '2026-01-03', 'n/a']],
  ['a text before dates', ['n/a', '2026-01-01']],
  ['a text among numbers', [100, 'abc', 50]],
  ['a date after a number', [100, '2026-01-01']],
  ['texts on one page, and dates on the next one', ['zzy', 'zzz', '2026-01-01', '2026-01-02']],
];

for (const [what, values] of mixed) {
  test(`values of two kinds end the run, and nothing is remembered: ${what}`, () =>
    onRows(
      async (api, pull) => {
        api.rows = values.map((updated, id) => ({ id, updated }));
        assert.is((await failure(pull({}))).code, 'ERR_INCREMENTAL');
        api.rows = [
          { id: 1, updated: at(1) },
          { id: 2, updated: null },
          { id: 3, updated: at(3) },
        ];
        assert.equal((await pull({})).ids, [1, 2, 3]);
      },
      { isSorted: false },
    ));
}

const refusals = [
  {
    what: 'a path that no item has',
    incremental: { path: 'updatet' },
    code: 'ERR_INCREMENTAL',
    says: 'did you mean "updated"?',
  },
  {
    what: 'order that the API does not keep',
    incremental: { order: 'asc' },
    code: 'ERR_INCREMENTAL',
    says: 'goes backwards',
  },
  {
    what: 'a look-back of texts',
    incremental: { compare: 'text', lookback: '1m' },
    code: 'ERR_INCREMENTAL',
    says: 'cannot be subtracted',
  },
];

for (const { what, incremental, code, says } of refusals) {
  test(`${what} is an error that names its remedy`, () =>
    onRows(
      async (api, pull) => {
        api.rows = [
          { id: 1, updated: at(2) },
          { id: 2, updated: at(1) },
        ];
        const failing = async () => {
          await pull(incremental);
          await pull(incremental);
        };
        const error = await failure(failing());
        assert.is(error.code, code);
        assert.match(error.message, says);
      },
      { isSorted: false },
    ));
}

test('the value of another path or endpoint is refused before the first request, and everything again is not', () =>
  onRows(async (api, pull) => {
    api.rows = [{ id: 1, updated: at(1) }];
    await pull({});
    const error = await failure(pull({ path: 'id' }));
    assert.is(error.code, 'ERR_STATE');
    assert.match(error.message, '`incremental.path` changed');
    assert.equal(api.takeTargets(), []);
    assert.equal((await pull({ path: 'id' }, { full: true })).ids, [1]);
    const changed = await pull({ path: 'id' }, {}, { params: { open: '1' } });
    assert.ok(changed.notices.some((notice) => notice.code === 'other-params'));
  }));

test('a backfill needs a job that remembers something', () =>
  onRows(async (_, pull) => {
    const error = await failure(pull({}, { since: at(1) }, { incremental: null }));
    assert.is(error.code, 'ERR_USAGE');
    assert.match(error.message, 'no job of the run has `incremental`');
  }));

test('a bound of a backfill is of the kind of the values, and in order, before any request', () =>
  onRows(async (api, pull) => {
    api.rows = [{ id: 1, updated: at(1) }];
    await pull({});
    api.takeTargets();
    const bounds = [
      [{ since: 'banana' }, 'since: expected a date'],
      [{ until: '2026-13-45' }, 'until: expected a date'],
      [{ since: '1767400000' }, 'found "1767400000"'],
      [{ since: at(2), until: at(1) }, 'comes after'],
    ] as const;
    for (const [options, message] of bounds) {
      const error = await failure(pull({}, options));
      assert.is(error.code, 'ERR_USAGE');
      assert.ok(error.message.includes(message), error.message);
    }
    const error = await failure(pull({ path: 'id', compare: 'number' }, { since: 'banana' }));
    assert.match(error.message, 'since: expected a number');
    assert.equal(api.takeTargets(), []);
    assert.equal((await pull({ compare: 'text' }, { since: 'a' })).ids, []);
    assert.equal((await pull({}, { since: at(1), until: at(1) })).ids, []);
  }));

test('a header and a body can carry the value, with functions around it', async () => {
  const seen: unknown[] = [];
  const server = await startApi(({ headers, body }) => {
    const lines = headers
      .filter(([name]) => /^(if-|x-)/i.test(name))
      .map(([name, text]) => `${name}: ${text}`.toLowerCase());
    seen.push([...lines.sort(), String(body)]);
    return json([{ id: 7, updated: '2026-01-02T03:04:05Z' }]);
  });
  const store = memoryStore();
  const job = {
    endpoint: 'rows',
    dataType: 'rows',
    method: 'POST',
    params: { filter: { since: { function: 'date', args: ['Y-m', { function: 'strtotime', args: [value] }] } } },
    headers: {
      'If-Modified-Since': { function: 'concat', args: ['after ', value] },
      'X-Plain': 'as written',
      'X-List': ['a', 'b'],
    },
    incremental: { path: 'updated', initial: '2020-01-01' },
  };
  try {
    for (let turn = 0; turn < 2; turn++) {
      await run(unchecked({ api: { baseUrl: server.origin }, config: { jobs: [job] } }), { to: memory(), store });
    }
    const same = ['x-list: a', 'x-list: b', 'x-plain: as written'];
    assert.equal(seen, [
      ['if-modified-since: after 2020-01-01', ...same, '{"filter":{"since":"2020-01"}}'],
      ['if-modified-since: after 2026-01-02t03:04:05z', ...same, '{"filter":{"since":"2026-01"}}'],
    ]);
    const other = { ...job, headers: { 'X-A': { attr: 'a' } } };
    const refused = run(unchecked({ api: { baseUrl: server.origin }, config: { jobs: [other] } }), { to: memory() });
    const { code, message } = await failure(refused);
    assert.is(code, 'ERR_CONFIG');
    assert.match(message, 'headers.X-A: expected an expression');
  } finally {
    await server.close();
  }
});

test('two runs on one state: the second is refused, and the first one is not disturbed', () =>
  onRows(async (api) => {
    api.rows = [{ id: 1, updated: at(1) }];
    await inFolder(async (dir) => {
      const store = stateFolder(dir);
      const held = await store.open();
      const error = await failure(run(rowsConfiguration(api.origin, {}), { to: memory(), store }));
      assert.is(error.code, 'ERR_STATE');
      assert.match(error.message, 'another run is using it');
      assert.equal(api.takeTargets(), [], 'before its first request');
      await held.close();
    })();
  }));

test('expressions and the endpoint can carry the value', () =>
  onRows(async (api, pull) => {
    api.rows = [{ id: 1, updated: at(1) }];
    const job = {
      endpoint: 'rows/{incremental}',
      dataType: 'rows',
      params: { from: { function: 'concat', args: ['gte:', { incremental: 'value' }] } },
    };
    const incremental = { param: null, initial: 'first' };
    assert.is((await pull(incremental, {}, job)).targets[0], '/rows/first?from=gte%3Afirst&page=1&limit=2');
    const value = encodeURIComponent(at(1));
    assert.is((await pull(incremental, {}, job)).targets[0], `/rows/${value}?from=gte%3A${value}&page=1&limit=2`);
  }));

test.run();
