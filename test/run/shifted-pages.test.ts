/** Pages whose items move while they are requested: by page number and by offset, with and without `repair`. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { memory } from '../../sinks/memory.js';
import { nullSink } from '../../sinks/null.js';
import { run } from '../../src/run/extract.js';
import { memoryStore } from '../checkpoint/memory-store.js';
import { type Answer, json, startApi } from '../loopback/api.js';
import { rejection } from '../sinks/lib.js';
import { configOf, listener } from '../support/mock-network.js';
import { mulberry32 } from '../support/mulberry32.js';

const seed = Number(process.env.FC_SEED ?? Math.floor(Math.random() * 2 ** 31));
console.log(`seed ${seed} (set FC_SEED to repeat)`);

interface Row {
  readonly id: number;
}

/** A list that `change` edits after each response. */
function listApi(rows: Row[], change: (rows: Row[], answered: number) => void): Answer {
  let answered = 0;
  return ({ target }) => {
    const query = new URL(target, 'http://h').searchParams;
    const limit = Number(query.get('limit') ?? 10);
    const from = query.has('page') ? (Number(query.get('page')) - 1) * limit : Number(query.get('offset'));
    const page = rows.slice(from, from + limit);
    answered += 1;
    change(rows, answered);
    return json(page);
  };
}

const newestFirst = (count: number): Row[] => Array.from({ length: count }, (_, at) => ({ id: count - at }));

async function pull(answer: Answer, pagination: object, job: object = {}) {
  const server = await startApi(answer);
  try {
    const { codes, notices, notify } = listener();
    const to = memory();
    const config = configOf([{ endpoint: 'events', ...job }], { baseUrl: `${server.origin}/`, pagination });
    await run(config, { to, notify, allow: ['total-mismatch'] });
    return { ids: to.items().map((item) => (item as Row).id), codes: codes(), notices, requests: server.requests };
  } finally {
    await server.close();
  }
}

const insertAfterFirst = (rows: Row[], answered: number) => {
  if (answered === 1) rows.unshift({ id: 100 });
};

for (const pagination of [
  { method: 'pagenum', limit: 3 },
  { method: 'offset', limit: 3 },
]) {
  test(`an insert during the pull doubles an item, which is a warning: ${pagination.method}`, async () => {
    const { ids, codes, notices } = await pull(listApi(newestFirst(7), insertAfterFirst), pagination);
    assert.equal(ids, [7, 6, 5, 5, 4, 3, 2, 1]);
    assert.equal(codes, ['shifted-page']);
    assert.equal([notices[0]?.job, notices[0]?.page], ['events', 1]);
    assert.match(
      notices[0]?.message ?? '',
      /^the first item of this page is the last one of the page before: items were inserted/,
    );
  });
}

test('an insert is seen in pages so large that their memory is used again', async () => {
  const wide = newestFirst(4500).map((row) => ({ ...row, note: 'as long as the items of most lists' }));
  const server = await startApi(listApi(wide, insertAfterFirst));
  try {
    const { codes, notify } = listener();
    const pagination = { method: 'offset', limit: 1500 };
    await run(configOf([{ endpoint: 'events' }], { baseUrl: `${server.origin}/`, pagination }), {
      to: nullSink(),
      notify,
      allow: ['total-mismatch'],
    });
    assert.equal(codes(), ['shifted-page']);
  } finally {
    await server.close();
  }
});

test('without a change, and where repeated items are allowed, there is no warning', async () => {
  const pagination = { method: 'offset', limit: 3 };
  assert.equal(
    (
      await pull(
        listApi(newestFirst(7), () => {}),
        pagination,
      )
    ).codes,
    [],
  );
  const allowed = await pull(listApi(newestFirst(7), insertAfterFirst), pagination, { allowRepeatedItems: true });
  assert.equal(allowed.codes, []);
});

test('equal rows at the ends of pages are no shift', async () => {
  const rows = [1, 2, 2, 2, 3, 4, 4].map((id) => ({ id }));
  assert.equal(
    (
      await pull(
        listApi(rows, () => {}),
        { method: 'offset', limit: 3 },
      )
    ).codes,
    [],
  );
  const numbers: Answer = ({ target }) => json(target.includes('offset=0') ? [1, 2, 3] : [3, 4]);
  assert.equal((await pull(numbers, { method: 'offset', limit: 3 })).codes, []);
});

const repairing = { method: 'offset', limit: 4, repair: true };

test('repair requests pages with an overlap, and an inserted item doubles none', async () => {
  const { ids, codes, requests } = await pull(listApi(newestFirst(9), insertAfterFirst), repairing);
  assert.equal(ids, [9, 8, 7, 6, 5, 4, 3, 2, 1]);
  assert.equal(codes, []);
  const offsets = requests.map(({ target }) => new URL(target, 'http://h').searchParams.get('offset'));
  assert.equal(offsets, ['0', '2', '4', '6', '8']);
});

test('repair closes the gap of a removed item', async () => {
  const removeAfterFirst = (rows: Row[], answered: number) => {
    if (answered === 1) rows.shift();
  };
  const plain = await pull(listApi(newestFirst(9), removeAfterFirst), { method: 'offset', limit: 4 });
  assert.equal([plain.ids, plain.codes], [[9, 8, 7, 6, 4, 3, 2, 1], []], 'without repair item 5 is missing, unseen');
  const { ids, codes } = await pull(listApi(newestFirst(9), removeAfterFirst), repairing);
  assert.equal([ids, codes], [[9, 8, 7, 6, 5, 4, 3, 2, 1], []]);
});

test('pages that do not join are a warning', async () => {
  const removeMany = (rows: Row[], answered: number) => {
    if (answered === 1) rows.splice(0, 6);
  };
  const { codes, notices } = await pull(listApi(newestFirst(12), removeMany), repairing);
  assert.equal(codes, ['shifted-page']);
  assert.match(notices[0]?.message ?? '', /does not join the one before it/);
});

test('40 random lists with inserts and removals: each item that stays comes once, in order', async () => {
  const random = mulberry32(seed);
  const below = (most: number) => Math.floor((random() / 2 ** 32) * most);
  let joined = 0;
  for (let round = 0; round < 40; round++) {
    const isNumbered = round % 2 === 1;
    const limit = isNumbered ? 40 + below(20) : 12 + below(10);
    const start = newestFirst(below(5) * limit + below(limit));
    const removed = new Set<number>();
    let inserted = 1000;
    const change = (rows: Row[]) => {
      for (let times = below(3); times > 0; times--) rows.unshift({ id: ++inserted });
      if (below(3) > 0) return;
      const [gone] = rows.splice(below(rows.length), 1);
      if (gone !== undefined) removed.add(gone.id);
    };
    const { ids, codes } = await pull(listApi([...start], change), { ...(isNumbered ? numbered : repairing), limit });
    const staying = start.filter(({ id }) => !removed.has(id)).map(({ id }) => id);
    const kept = ids.filter((id) => id <= 1000 && !removed.has(id));
    const hasWarned = codes.includes('shifted-page');
    if (!hasWarned) assert.equal(kept, staying, `round ${round}, limit ${limit}`);
    joined += hasWarned ? 0 : 1;
    assert.is(new Set(ids).size, ids.length, `round ${round}: no item comes twice`);
  }
  assert.ok(joined > 30, `${joined} of 40 lists joined`);
});

const numbered = { method: 'pagenum', limit: 30, repair: true };
const idsFrom = (count: number) => newestFirst(count).map(({ id }) => id);

test('numbered pages of other sizes overlap: nothing is missing or doubled', async () => {
  const { ids, codes, requests } = await pull(listApi(newestFirst(200), insertAfterFirst), numbered);
  assert.equal([ids, codes], [idsFrom(200), []]);
  const asked = requests.map(({ target }) => new URL(target, 'http://h').searchParams);
  const pages = asked.map((query) => [Number(query.get('page')), Number(query.get('limit'))] as const);
  assert.equal(pages.slice(0, 3), [
    [1, 30],
    [2, 23],
    [2, 30],
  ]);
  let end = 30;
  for (const [page, limit] of pages.slice(1)) {
    const start = (page - 1) * limit;
    assert.ok(limit >= 15 && limit <= 30 && start < end && start + limit > end, `${page} of ${limit} after ${end}`);
    end = start + limit;
  }
});

test('numbered pages close the gap of removed items, also from a page 0 and with a limit of the job', async () => {
  const removeSome = (rows: Row[], answered: number) => {
    if (answered <= 3) rows.splice(0, 2);
  };
  const plain = await pull(listApi(newestFirst(150), removeSome), { method: 'pagenum', limit: 30 });
  assert.is(plain.ids.length, 144, 'without repair six items are missing, unseen');
  const { ids, codes } = await pull(listApi(newestFirst(150), removeSome), numbered);
  assert.equal([ids, codes], [idsFrom(150), []]);

  const fromZero: Answer = (request, index) => {
    const url = new URL(request.target, 'http://h');
    url.searchParams.set('page', String(Number(url.searchParams.get('page')) + 1));
    return own({ ...request, target: url.pathname + url.search }, index);
  };
  const own = listApi(newestFirst(150), removeSome);
  const zero = await pull(fromZero, { ...numbered, firstPage: 0 }, { params: { limit: 40 } });
  assert.equal([zero.ids, zero.codes], [idsFrom(150), []]);
});

test('an API that does not follow the sizes of numbered pages is an error', async () => {
  const fixed: Answer = ({ target }) => {
    const page = Number(new URL(target, 'http://h').searchParams.get('page'));
    return json(newestFirst(300).slice((page - 1) * 30, page * 30));
  };
  await rejection(pull(fixed, numbered), 'ERR_PAGINATION', /a page has 30 items instead of 23: .*"limit"/);
  const few = pull(listApi(newestFirst(40), insertAfterFirst), numbered, { params: { limit: 10 } });
  await rejection(few, 'ERR_PAGINATION', /expected a `limit` of 25 or more/);
});

test('an API that does not know the page number is a loop', async () => {
  const same: Answer = ({ target }) => json(newestFirst(Number(new URL(target, 'http://h').searchParams.get('limit'))));
  await rejection(pull(same, numbered), 'ERR_LOOP');
});

test('an API that does not know the offset is a loop', async () => {
  const same: Answer = () => json(newestFirst(100));
  await rejection(pull(same, { method: 'offset', limit: 100, repair: true }), 'ERR_LOOP', /only 100 different items/);
});

test('a resumed walk joins where it stopped', async () => {
  const rows = newestFirst(9);
  const list = listApi(rows, insertAfterFirst) as (request: Parameters<Answer>[0]) => ReturnType<Answer>;
  let requests = 0;
  const server = await startApi((request) => {
    requests += 1;
    return requests === 2 ? json({}, { status: 400 }) : list(request);
  });
  try {
    const config = configOf([{ endpoint: 'events' }], { baseUrl: `${server.origin}/`, pagination: repairing });
    const store = memoryStore();
    const [first, second] = [memory(), memory()];
    await rejection(run(config, { to: first, store }), 'ERR_STATUS', /400/);
    await run(config, { to: second, store: memoryStore(store.held), resume: true, allow: ['at-least-once'] });
    const ids = [...first.items(), ...second.items()].map((item) => (item as Row).id);
    assert.equal(ids, [9, 8, 7, 6, 5, 4, 3, 2, 1]);
  } finally {
    await server.close();
  }
});

test.run();
