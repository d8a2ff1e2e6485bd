/** Drift between runs: a run says how its items differ from those of earlier runs of its state, and is sure of it. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { memory } from '../../sinks/memory.js';
import { memoryIn } from '../../src/checkpoint/checkpoint.js';
import { recordIn } from '../../src/checkpoint/records.js';
import type { Configuration } from '../../src/config/configuration.js';
import type { Notice } from '../../src/core/model/notice.js';
import { run } from '../../src/run/extract.js';
import type { RunOptions } from '../../src/run/options.js';
import { memoryText, shownMemory, withoutValues } from '../../src/tools/state/memory-edits.js';
import { memoryStore } from '../checkpoint/memory-store.js';
import { json, startApi } from '../loopback/api.js';
import { rejection } from '../sinks/lib.js';

type Items = readonly object[];
/** By path, the items of each page. */
interface Answers {
  [path: string]: readonly Items[] | 'fails';
}

interface Scene {
  answers: Answers;
  store: ReturnType<typeof memoryStore>;
  configuration(...jobs: readonly object[]): Configuration;
  pull(
    options?: RunOptions,
    ...jobs: readonly object[]
  ): Promise<{ changes: readonly string[]; notices: readonly Notice[] }>;
}

async function scene(answers: Answers, use: (scene: Scene) => Promise<void>): Promise<void> {
  const api = await startApi(({ target }) => {
    const { pathname, searchParams } = new URL(target, 'http://api');
    const pages = own.answers[pathname.slice(1)] ?? [];
    if (pages === 'fails') return { status: 404 };
    return json([...(pages[Number(searchParams.get('page')) - 1] ?? [])]);
  });
  const own: Scene = {
    answers,
    store: memoryStore(),
    configuration: (...jobs) => ({
      api: { baseUrl: `${api.origin}/`, pagination: { method: 'pagenum' } },
      config: { jobs: (jobs.length === 0 ? [{}] : jobs).map((job) => ({ endpoint: 'users', ...job })) },
    }),
    async pull(options = {}, ...jobs) {
      const notices: Notice[] = [];
      const notify = (notice: Notice) => void notices.push(notice);
      const { shapeChanges = [] } = await run(own.configuration(...jobs), {
        to: memory(),
        store: own.store,
        notify,
        ...options,
      });
      const changes = shapeChanges.map((each) => `${each.dataType}: ${each.changes.join('; ')}`);
      const said = notices.filter(({ code }) => code === 'shape-changed').map(({ message }) => message);
      assert.equal(said, changes);
      return { changes, notices };
    },
  };
  try {
    await use(own);
  } finally {
    await api.close();
  }
}

const users = (...items: Items): Answers => ({ users: [items] });
const many = (count: number, make: (id: number) => object): Items => Array.from({ length: count }, (_, id) => make(id));
const before = users(...many(20, (id) => ({ id, plan: 'a', old: true })));
const changed: Items = [
  { id: 3, plan: null, age: 7 },
  { id: 4, plan: 'c', age: 8 },
];
const after = users(...changed);
const drift = 'users: "old" is missing; "plan" is null, and never was: string; "age" is new: integer';

const idIsText = 'users: "id" is string, and was integer';

const keptIn = (own: Scene) => memoryIn(own.store.held.records.map(recordIn)).shapes ?? {};
const bytesIn = (own: Scene) => Buffer.byteLength(JSON.stringify(keptIn(own)));
/** An object of so many members. */
const wide = (members: number, prefix = 'name') =>
  Object.fromEntries(Array.from({ length: members }, (_, index) => [`${prefix}${index}`, index]));

test('a run says how its items differ from those of the run before, once', () =>
  scene(before, async (own) => {
    assert.equal((await own.pull()).changes, []);
    assert.equal((await own.pull()).changes, []);
    own.answers = after;
    assert.equal((await own.pull()).changes, [drift]);
    assert.equal((await own.pull()).changes, []);
    own.answers = before;
    assert.equal((await own.pull()).changes, []);
  }));

test('a member that some item lacked or had as null may be absent and null', () =>
  scene(users({ id: 1, note: 'x' }, { id: 2, note: null }, ...many(30, (id) => ({ id }))), async (own) => {
    await own.pull();
    for (const item of [{ id: 1 }, { id: 1, note: null }, { id: 1, note: 'y' }]) {
      own.answers = users(item);
      assert.equal((await own.pull()).changes, []);
    }
  }));

test('a member is missing if at least 20 items had it, of all runs, and now none has it', () =>
  scene(users(...many(19, (id) => ({ id, plan: 'a' }))), async (own) => {
    const others = users({ id: 1 });
    await own.pull();
    const state = own.store.held;
    own.answers = others;
    assert.equal((await own.pull()).changes, [], '19 items');
    own.store = memoryStore(state);
    own.answers = users({ id: 1, plan: 'a' });
    assert.equal((await own.pull()).changes, []);
    const known = own.store.held;
    own.answers = users({ id: 1, plan: 'a' }, { id: 2 });
    assert.equal((await own.pull()).changes, [], 'one has it');
    own.store = memoryStore(known);
    own.answers = others;
    assert.equal((await own.pull()).changes, ['users: "plan" is missing']);
    assert.equal((await own.pull()).changes, []);
  }));

test('a rare member is new once, in whichever runs it is', () =>
  scene(before, async (own) => {
    const rare = users({ id: 1, plan: 'a', old: true, rare: 1 });
    const said: (readonly string[])[] = [];
    for (const answers of [before, rare, before, before, rare, before, rare]) {
      own.answers = answers;
      said.push((await own.pull()).changes);
    }
    assert.equal(said, [[], ['users: "rare" is new: integer'], [], [], [], [], []]);
  }));

test('an object with more than 100 members that may be absent has names that are keys: none is new', () =>
  scene(users(...many(30, (id) => ({ by: { all: 1, ...wide(6, `${id}-`) } }))), async (own) => {
    await own.pull();
    own.answers = users({ by: { all: 1, other: 'x' } });
    assert.equal((await own.pull()).changes, []);
    own.answers = users({ by: { other: 'x' } });
    assert.equal((await own.pull()).changes, ['users: "by.all" is missing']);
  }));

test('members inside objects and lists count, and empty lists say nothing of elements', () =>
  scene(users({ lines: [], at: { x: 1 } }), async (own) => {
    await own.pull();
    own.answers = users({ lines: [{ sku: 's' }], at: { x: 1 } });
    assert.equal((await own.pull()).changes, []);
    own.answers = users({ lines: [{ sku: 1 }], at: { x: 1, y: 2 } });
    assert.equal((await own.pull()).changes, [
      'users: "lines[].sku" is integer, and was string; "at.y" is new: integer',
    ]);
    own.answers = users({ lines: null, at: { x: 1 } });
    await own.pull();
    own.answers = users({ lines: [{ sku: 1 }], at: { x: 1 } });
    assert.equal((await own.pull()).changes, []);
  }));

test('members of an object that was null before are known once they were there', () =>
  scene(users({ at: null }), async (own) => {
    await own.pull();
    own.answers = users({ at: { x: 1 } });
    assert.equal((await own.pull()).changes, ['users: "at" is object, and was null']);
    own.answers = users({ at: { x: 1, y: 1 } });
    assert.equal((await own.pull()).changes, ['users: "at.y" is new: integer']);
  }));

test('data types of children are compared too', () =>
  scene({ users: [[{ id: 1 }]], 'users/1/posts': [[{ text: 'a' }]] }, async (own) => {
    const child = { children: [{ endpoint: 'users/{id}/posts', dataType: 'posts', placeholders: { id: 'id' } }] };
    await own.pull({}, child);
    own.answers = { users: [[{ id: 1 }]], 'users/1/posts': [[{ text: 5 }]] };
    assert.equal((await own.pull({}, child)).changes, ['posts: "text" is integer, and was string']);
  }));

test('each data type of several jobs is compared with its own, and jobs of one data type are compared together', () => {
  const answers = { ...before, posts: [[{ text: 'a' }]], admins: [[{ id: 1, plan: 'a', old: true, level: 1 }]] };
  return scene(answers, async (own) => {
    const jobs = [{}, { endpoint: 'posts' }, { endpoint: 'admins', dataType: 'users' }];
    assert.equal((await own.pull({}, ...jobs)).changes, []);
    own.answers.posts = [[{ text: 5 }]];
    own.answers.users = [[{ id: 1, plan: 'a', old: true, age: 5 }]];
    const found = (await own.pull({}, ...jobs)).changes;
    assert.equal([...found].sort(), ['posts: "text" is integer, and was string', 'users: "age" is new: integer']);
    assert.equal((await own.pull({ jobs: ['users'] }, ...jobs)).changes, []);
    assert.equal((await own.pull({}, ...jobs)).changes, []);
  });
});

test('requests that failed and are sent again compare nothing, and leave what is remembered', () =>
  scene({}, async (own) => {
    const child = { endpoint: 'users/{id}/posts', dataType: 'posts', placeholders: { id: 'id' }, onError: 'skip' };
    const job = { children: [child] };
    own.answers = { users: [[{ id: 1 }, { id: 2 }]], 'users/1/posts': [[{ text: 'a' }]], 'users/2/posts': 'fails' };
    await own.pull({}, job);
    const kept = keptIn(own);
    assert.equal(Object.keys(kept).sort(), ['posts', 'users']);
    own.answers['users/2/posts'] = [[{ text: 5 }]];
    const to = memory();
    assert.equal((await own.pull({ resume: 'failed', to }, job)).changes, []);
    assert.equal(to.items(), [{ text: 5, parent_id: 2 }]);
    assert.equal(keptIn(own), kept);
    assert.equal((await own.pull({}, job)).changes, ['posts: "text" is integer, and was string']);
  }));

test('a state of before without shapes learns them, and keeps its values', () => {
  const job = { incremental: { path: 'id', param: 'since', initial: 0 } };
  return scene(before, async (own) => {
    await own.pull({}, job);
    const records = own.store.held.records.map((text) => {
      const { remembered: { shapes: _, ...others } = {}, ...record } = JSON.parse(text);
      return JSON.stringify(others.jobs === undefined ? record : { ...record, remembered: others });
    });
    own.store = memoryStore({ ...own.store.held, records });
    own.answers = after;
    assert.equal((await own.pull({}, job)).changes, []);
    assert.equal(Object.keys(keptIn(own)), ['users']);
    own.answers = users({ id: 9, plan: 1, age: 1 });
    assert.equal((await own.pull({}, job)).changes, ['users: "plan" is integer, and was string or null']);
  });
});

test('with another configuration or other members nothing is compared', () =>
  scene(before, async (own) => {
    await own.pull();
    assert.equal((await own.pull({}, { userData: { extra: 1 } })).changes, []);
    assert.equal((await own.pull({ select: ['users:id'] }, { userData: { extra: 1 } })).changes, []);
  }));

test('a run that fails changes nothing of what is remembered', () =>
  scene(before, async (own) => {
    await own.pull();
    const kept = keptIn(own);
    own.answers = after;
    await rejection(own.pull({ minItems: 3 }), 'ERR_MIN_ITEMS');
    assert.equal(keptIn(own), kept);
    assert.equal((await own.pull()).changes, [drift]);
  }));

test('of a run that is killed at any moment and resumed, drift is said once, at the latest by the next run', () =>
  scene(before, async (own) => {
    await own.pull();
    const whole = memoryStore(own.store.held);
    own.answers = { users: [changed, changed] };
    await own.pull({ store: whole });
    assert.ok(whole.moments.length > 4);
    for (const moment of whole.moments) {
      // The process that was killed has said it before it published.
      const isSaid = moment.records.map(recordIn).some(({ type }) => type === 'publishing');
      const store = memoryStore(moment);
      const resumed = await own.pull({ store, resume: true });
      const next = await own.pull({ store });
      assert.equal([...resumed.changes, ...next.changes], isSaid ? [] : [drift]);
    }
  }));

test('of a first run that is killed and resumed only what one process has read whole is kept', () =>
  scene({ users: [[{ id: 1, first: true }], [{ id: 2 }]] }, async (own) => {
    await own.pull();
    const isOfFirstPage = (text: string) => recordIn(text).type === 'page';
    const killed = own.store.moments.find(({ records }) => records.some(isOfFirstPage));
    assert.ok(killed);
    own.store = memoryStore(killed);
    assert.equal((await own.pull({ resume: true })).changes, []);
    assert.equal(keptIn(own), {});
    assert.equal((await own.pull()).changes, []);
    assert.equal((await own.pull()).changes, []);
    own.answers = users({ id: 'x' });
    assert.equal((await own.pull()).changes, [idIsText]);
  }));

test('names that are numbers, dates or ids are keys of a table: another one is no news', async () => {
  const id = '3f2b8c1e-9d4a-4e6b-8f21-0a1b2c3d4e5f';
  for (const [key, other] of [
    ['17', '18'],
    ['2026-11-28', '2026-11-29'],
    ['2026-11-28T10:00:00Z', '2026-11-28T11:00:00Z'],
    [id, id.replace('3', '4')],
    ['507f1f77bcf86cd799439011', '507f191e810c19729de860ea'],
  ] as const) {
    await scene(users({ id: 1, by: { [key]: { x: 1 } } }), async (own) => {
      await own.pull();
      own.answers = users({ id: 1, by: { [other]: { x: 1 } } });
      assert.equal((await own.pull()).changes, [], other);
    });
  }
  await scene(users({ id: 1, '2024': 1, name: 'a' }), async (own) => {
    await own.pull();
    own.answers = users({ id: 1, '2025': 1, name: 'a' });
    assert.equal((await own.pull()).changes, ['users: "2025" is new: integer'], 'most are no keys');
  });
});

test('a run without a state compares nothing, and one of few items does', () =>
  scene(before, async (own) => {
    await own.pull();
    own.answers = after;
    const alone = await run(own.configuration(), { to: memory() });
    assert.is(alone.shapeChanges, undefined);
    const bounded = await own.pull({ maxItems: 1 });
    assert.equal(bounded.changes, [drift]);
  }));

test('a backfill compares nothing and leaves what is remembered, and a full run compares', () => {
  const job = { incremental: { path: 'id', param: 'since', initial: 0 } };
  return scene(before, async (own) => {
    await own.pull({}, job);
    own.answers = after;
    assert.equal((await own.pull({ since: '1', until: '9' }, job)).changes, []);
    assert.equal((await own.pull({ full: true }, job)).changes, [drift]);
  });
});

test('the first 20 items of a job are observed, then ever fewer', () => {
  const items = many(60, (id) => ({ id }));
  const withTextAt = (index: number) => users(...items.with(index, { id: 'x' }));
  return scene(users(...items), async (own) => {
    await own.pull();
    const known = own.store.held;
    for (const index of [20, 22, 24, 27]) {
      own.answers = withTextAt(index);
      assert.equal((await own.pull()).changes, [], `item ${index}`);
    }
    for (const index of [0, 19, 23, 28]) {
      own.store = memoryStore(known);
      own.answers = withTextAt(index);
      assert.equal((await own.pull()).changes, [idIsText], `item ${index}`);
    }
  });
});

test('of many jobs the first five items are observed, and 100 items of all', () => {
  const names = Array.from({ length: 8 }, (_, index) => `type${index}`);
  const answersWith = (index: number) =>
    Object.fromEntries(names.map((name) => [name, [many(20, (id) => ({ id: id === index ? 'x' : id }))]]));
  return scene(answersWith(-1), async (own) => {
    const jobs = names.map((endpoint) => ({ endpoint }));
    await own.pull({}, ...jobs);
    const known = own.store.held;
    for (const [index, count] of [
      [4, 8],
      [5, 5],
      [19, 5],
    ] as const) {
      own.store = memoryStore(known);
      own.answers = answersWith(index);
      assert.is((await own.pull({ concurrency: 1 }, ...jobs)).changes.length, count, `item ${index}`);
    }
  });
});

test('items beyond 256 KiB and a 200th of all bytes are not observed', () => {
  const large = (id: unknown) => ({ id, text: 'x'.repeat(100_000) });
  return scene(users(...many(5, large)), async (own) => {
    await own.pull();
    const known = own.store.held;
    own.answers = users(...many(5, large), { id: 'x' }, large('x'));
    assert.equal((await own.pull()).changes, [idIsText]);
    own.store = memoryStore(known);
    own.answers = users(...many(5, large), large('x'));
    assert.equal((await own.pull()).changes, []);
  });
});

test('a shape of many names is kept without its innermost values, and takes at most 16 KiB', () =>
  scene(users({ id: 1, a: wide(900) }), async (own) => {
    await own.pull();
    assert.ok(bytesIn(own) < 17 * 1024);
    own.answers = users({ id: 1, a: { other: 1 } });
    assert.equal((await own.pull()).changes, []);
    own.answers = users({ id: 'x', a: {} });
    assert.equal((await own.pull()).changes, [idIsText]);
    own.store = memoryStore();
    own.answers = users(wide(300, 'x'.repeat(60)));
    await own.pull();
    assert.equal(Object.keys(keptIn(own)), []);
  }));

test('all shapes take at most 64 KiB, and those of earlier runs are before others', () => {
  const names = Array.from({ length: 12 }, (_, index) => `type${index}`);
  const answers = Object.fromEntries(names.map((name) => [name, [[wide(200, name)]]]));
  return scene(answers, async (own) => {
    const jobs = names.map((name) => ({ endpoint: name }));
    const pull = (all: readonly string[]) => own.pull({ jobs: all }, ...jobs);
    await pull(['type11']);
    await pull(names);
    const kept = Object.keys(keptIn(own));
    assert.is(kept[0], 'type11');
    assert.ok(kept.length > 4 && kept.length < 12, `${kept.length}`);
    assert.ok(bytesIn(own) < 66 * 1024);
    for (const name of names) own.answers[name] = [[{ ...wide(200, name), added: 1 }]];
    const { changes } = await pull(names);
    assert.equal(changes.length, kept.length);
  });
});

test('secrets in names are masked in what is said and stored', () =>
  scene(before, async (own) => {
    const env = { TOKEN: 'hunter2secret' };
    const job = { params: { token: { env: 'TOKEN' } } };
    await own.pull({ env }, job);
    own.answers = users({ id: 1, plan: 'a', old: true, hunter2secret: 1 });
    const { changes } = await own.pull({ env }, job);
    assert.is(changes.length, 1);
    assert.not.match(changes.join(), 'hunter2');
    assert.not.match(own.store.held.records.join(), 'hunter2');
  }));

test('a state does not show shapes among values, and forgets them when all is reset', () =>
  scene(before, async (own) => {
    await own.pull();
    const kept = memoryIn(own.store.held.records.map(recordIn));
    assert.equal(Object.keys(kept.shapes ?? {}), ['users']);
    assert.equal(shownMemory(kept), []);
    assert.is(memoryText(kept), 'nothing is remembered\n');
    assert.is(withoutValues(kept, undefined).shapes, undefined);
  }));

test.run();
