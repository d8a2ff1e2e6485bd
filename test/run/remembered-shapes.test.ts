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
  [path: string]: readonly Items[];
}

interface Scene {
  answers: Answers;
  readonly store: ReturnType<typeof memoryStore>;
  configuration(job?: object): Configuration;
  pull(options?: RunOptions, job?: object): Promise<{ changes: readonly string[]; notices: readonly Notice[] }>;
}

async function scene(answers: Answers, use: (scene: Scene) => Promise<void>): Promise<void> {
  const api = await startApi(({ target }) => {
    const { pathname, searchParams } = new URL(target, 'http://api');
    const pages = own.answers[pathname.slice(1)] ?? [];
    return json([...(pages[Number(searchParams.get('page')) - 1] ?? [])]);
  });
  const store = memoryStore();
  const own: Scene = {
    answers,
    store,
    configuration: (job = {}) => ({
      api: { baseUrl: `${api.origin}/`, pagination: { method: 'pagenum' } },
      config: { jobs: [{ endpoint: 'users', ...job }] },
    }),
    async pull(options = {}, job = {}) {
      const notices: Notice[] = [];
      const notify = (notice: Notice) => void notices.push(notice);
      const { shapeChanges = [] } = await run(own.configuration(job), { to: memory(), store, notify, ...options });
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
const before = users({ id: 1, plan: 'a', old: true }, { id: 2, plan: 'b', old: false });
const after = users({ id: 3, plan: null, age: 7 }, { id: 4, plan: 'c', age: 8 });
const drift = 'users: "old" is missing; "plan" is null, and never was: string; "age" is new: integer';

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
  scene(users({ id: 1, note: 'x' }, { id: 2, note: null }, { id: 3 }), async (own) => {
    await own.pull();
    for (const item of [{ id: 1 }, { id: 1, note: null }, { id: 1, note: 'y' }]) {
      own.answers = users(item);
      assert.equal((await own.pull()).changes, []);
    }
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
  }));

test('data types of children are compared too', () =>
  scene({ users: [[{ id: 1 }]], 'users/1/posts': [[{ text: 'a' }]] }, async (own) => {
    const child = { children: [{ endpoint: 'users/{id}/posts', dataType: 'posts', placeholders: { id: 'id' } }] };
    await own.pull({}, child);
    own.answers = { users: [[{ id: 1 }]], 'users/1/posts': [[{ text: 5 }]] };
    assert.equal((await own.pull({}, child)).changes, ['posts: "text" is integer, and was string']);
  }));

test('with another configuration or other members nothing is compared', () =>
  scene(before, async (own) => {
    await own.pull();
    assert.equal((await own.pull({}, { userData: { extra: 1 } })).changes, []);
    assert.equal((await own.pull({ select: ['users:id'] }, { userData: { extra: 1 } })).changes, []);
  }));

test('a run that fails changes nothing of what is remembered', () =>
  scene(before, async (own) => {
    await own.pull();
    const shapes = () => memoryIn(own.store.held.records.map(recordIn)).shapes;
    const kept = shapes();
    own.answers = after;
    await rejection(own.pull({ minItems: 3 }), 'ERR_MIN_ITEMS');
    assert.equal(shapes(), kept);
    assert.equal((await own.pull()).changes, [drift]);
  }));

test('of a run that is killed at any moment and resumed, drift is said once, at the latest by the next run', () =>
  scene(before, async (own) => {
    await own.pull();
    const whole = memoryStore(own.store.held);
    const [changed = []] = after.users ?? [];
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

test('only the first 100 items are observed', () => {
  const items = Array.from({ length: 100 }, (_, id) => ({ id }));
  return scene(users(...items), async (own) => {
    await own.pull();
    own.answers = users(...items, { id: 'x' });
    assert.equal((await own.pull()).changes, []);
    own.answers = users(...items.slice(1), { id: 'x' });
    assert.equal((await own.pull()).changes, ['users: "id" is string, and was integer']);
  });
});

test('a shape of many names is kept without its innermost values, and takes at most 16 KiB', () => {
  const many = Object.fromEntries(Array.from({ length: 2000 }, (_, index) => [`name${index}`, index]));
  return scene(users({ id: 1, a: many }), async (own) => {
    await own.pull();
    const { shapes } = memoryIn(own.store.held.records.map(recordIn));
    assert.ok((shapes?.users?.shape.length ?? Number.NaN) <= 16 * 1024);
    own.answers = users({ id: 1, a: { other: 1 } });
    assert.equal((await own.pull()).changes, []);
    own.answers = users({ id: 'x', a: {} });
    assert.equal((await own.pull()).changes, ['users: "id" is string, and was integer']);
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

test('a state shows its shapes, and forgets them when all is reset', () =>
  scene(before, async (own) => {
    await own.pull();
    const kept = memoryIn(own.store.held.records.map(recordIn));
    assert.is(shownMemory(kept).length, 1);
    assert.match(memoryText(kept), 'bytes of its shape');
    assert.is(withoutValues(kept, undefined).shapes, undefined);
  }));

test.run();
