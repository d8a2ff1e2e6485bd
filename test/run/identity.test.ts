/** What a batch is part of: run, walk, page and offset, the same whatever the concurrency and after a resume. */
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Sink } from '../../sinks/contract.js';
import { ndjson } from '../../sinks/files/ndjson.js';
import { openCheckpoint } from '../../src/checkpoint/checkpoint.js';
import type { Batch } from '../../src/core/model/batch.js';
import { run } from '../../src/run/extract.js';
import { type Held, memoryStore } from '../checkpoint/memory-store.js';
import { configurationOf, onServer, type Scene, scenes } from '../checkpoint/scenes.js';
import { type Api, items, json } from '../loopback/api.js';
import { idsSink, newStore, type Store } from '../sinks/kinds.js';
import { rejection } from '../sinks/lib.js';

const nested = (concurrency?: number): Scene => {
  const scene = scenes.find(({ what }) => what.startsWith('children'));
  if (scene === undefined) throw new Error('there is no scene with children');
  return concurrency === undefined ? scene : { ...scene, concurrency };
};

/** A sink that keeps what its batches are part of, and can take back nothing. */
function placesOf() {
  const places: string[] = [];
  const runs = new Set<string>();
  const note = ({ dataType, run: id, walk, page, offset, count }: Batch) => {
    runs.add(id);
    places.push(`${dataType} ${walk} ${page} ${offset}+${count}`);
  };
  const sink: Sink = { write: note, close() {}, abort() {} };
  return { sink, places, runs };
}

async function placesIn(scene: Scene, server: Api) {
  const { sink, places, runs } = placesOf();
  await run(configurationOf(scene, server.origin), { to: sink, concurrency: scene.concurrency ?? 1 });
  return { places, runs: [...runs] };
}

test(
  'a walk is named by the page, child, row and instance above it, whatever the concurrency',
  onServer(nested(), async (server) => {
    const one = await placesIn(nested(), server);
    const four = await placesIn(nested(4), server);
    assert.ok(one.places.includes('groups 0 0 0+2'));
    assert.ok(one.places.includes('users 0/0.0.0.0 0 0+2'), 'below row 0 of page 0');
    assert.ok(one.places.includes('users 0/1.0.0.0 0 0+2'), 'below row 0 of page 1');
    assert.ok(one.places.includes('tags 0/0.1.1.0 0 0+1'), 'the second child, row 1');
    assert.ok(one.places.some((place) => place.startsWith('notes 0/0.0.0.0/0.0.1.0 0')));
    assert.is(new Set(one.places).size, one.places.length, 'no two batches have one place');
    assert.equal([...four.places].sort(), [...one.places].sort());
    assert.equal([one.runs.length, four.runs.length], [1, 1]);
    assert.match(one.runs[0] ?? '', /^[\w-]{16}$/);
    assert.is.not(one.runs[0], four.runs[0]);
  }),
);

const twoPages = { isDown: true };
const broken: Scene = {
  what: '',
  api: { pagination: { method: 'pagenum' } },
  jobs: [{ endpoint: 'skipped' }, { endpoint: 'users' }],
  answer(url) {
    const page = Number(url.searchParams.get('page'));
    if (url.pathname === '/users' && page === 2 && twoPages.isDown) return { status: 503, body: 'down' };
    return json(page > 2 ? [] : items(page * 2, 2));
  },
};

test(
  'a resume keeps the run and raises its epoch, both on the disk before the sink is called',
  onServer(broken, async (server, dir) => {
    const seen: (readonly [written: string, given: string])[] = [];
    const store = memoryStore();
    const places: string[] = [];
    const watched = (held: () => readonly string[]): Sink => {
      const inner = ndjson(join(dir, 'out'));
      return {
        ...inner,
        write(batch, signal) {
          places.push(`${batch.run} ${batch.walk} ${batch.page}`);
          return inner.write(batch, signal);
        },
        resume(earlier) {
          const { run: id, epoch } = JSON.parse(held()[0] ?? '{}');
          seen.push([`${id} ${epoch}`, `${earlier.run} ${earlier.epoch}`]);
          return inner.resume?.(earlier);
        },
      };
    };
    const configuration = configurationOf(broken, server.origin);
    await rejection(() => run(configuration, { to: watched(() => store.held.records), store }), 'ERR_STATUS');
    twoPages.isDown = false;
    const again = memoryStore(store.held);
    await run(configuration, { to: watched(() => again.held.records), store: again, resume: true });
    const [id] = (places[0] ?? '').split(' ');
    assert.equal(seen, [
      [`${id} 1`, `${id} 1`],
      [`${id} 2`, `${id} 2`],
    ]);
    assert.equal(
      places.map((place) => place.replace(id ?? '', 'run')),
      ['run 0 0', 'run 0 1', 'run 1 0', 'run 1 1'],
    );
  }),
);

/** A queue that drops known ids; the process ends after so many writes, the last of which was not answered. */
function queueEnding(store: Store, writes: number, count: () => void): Sink {
  const inner = idsSink(store);
  let left = writes;
  return {
    ...inner,
    async write(batch, signal) {
      await inner.write(batch, signal);
      count();
      left -= 1;
      if (left === 0) throw new Error('no answer');
    },
  };
}

for (const concurrency of [1, 4]) {
  test(
    `an item that arrives again after a resume has the id that it had, with concurrency ${concurrency}`,
    onServer(nested(), async (server) => {
      const configuration = configurationOf(nested(), server.origin);
      const [whole, resumed] = [newStore(), newStore()];
      const counts = { whole: 0, resumed: 0 };
      await run(configuration, { to: queueEnding(whole, 0, () => counts.whole++), concurrency });
      const store = memoryStore();
      const first = queueEnding(resumed, 3, () => counts.resumed++);
      await rejection(() => run(configuration, { to: first, store, concurrency }), 'ERR_SINK');
      const again = { to: queueEnding(resumed, 0, () => counts.resumed++), store: memoryStore(store.held) };
      await run(configuration, { ...again, resume: true, concurrency });
      const linesOf = ({ lines }: Store) =>
        [...lines].flatMap(([dataType, each]) => each.map((line) => dataType + line));
      assert.equal(linesOf(resumed).sort(), linesOf(whole).sort());
      assert.ok(counts.resumed > counts.whole, 'a batch was delivered twice');
    }),
  );
}

test(
  'a fresh start names the unfinished run that it replaces',
  onServer(broken, async (server) => {
    twoPages.isDown = true;
    const store = memoryStore();
    const named: (string | undefined)[] = [];
    const sink: Sink = {
      write() {},
      close() {},
      abort() {},
      resume: ({ replaces }) => void named.push(replaces?.join()),
    };
    const configuration = configurationOf(broken, server.origin);
    await rejection(() => run(configuration, { to: sink, store }), 'ERR_STATUS');
    const { earlier } = await openCheckpoint(memoryStore(store.held), { resume: true });
    await rejection(() => run(configuration, { to: sink, store: memoryStore(store.held) }), 'ERR_STATUS');
    assert.equal(named, [undefined, earlier[0]?.begin.run]);
  }),
);

test(
  'runs that were replaced are named until all sinks were resumed, in fresh starts and in a resume',
  onServer(broken, async (server) => {
    twoPages.isDown = true;
    const configuration = configurationOf(broken, server.origin);
    const named: (readonly string[] | undefined)[] = [];
    const sink = (isKilled: boolean): Sink => ({
      write() {},
      close() {},
      abort() {},
      resume({ replaces }) {
        named.push(replaces);
        if (isKilled) throw new Error('killed');
      },
    });
    const fail = async (isKilled: boolean, held: Held, resume = false) => {
      const store = memoryStore(held);
      await rejection(
        () => run(configuration, { to: sink(isKilled), store, resume }),
        isKilled ? 'ERR_SINK' : 'ERR_STATUS',
      );
      const { earlier } = await openCheckpoint(memoryStore(store.held), { resume: true });
      return { held: store.held, id: earlier[0]?.begin.run };
    };
    const a = await fail(false, memoryStore().held);
    const b = await fail(true, a.held);
    const c = await fail(true, b.held);
    assert.equal(named.splice(0), [undefined, [a.id], [a.id, b.id]]);
    const resumed = await fail(false, c.held, true);
    await fail(false, resumed.held, true);
    assert.equal(named.splice(0), [[a.id, b.id], undefined]);
    const d = await fail(false, c.held);
    await fail(false, d.held);
    assert.equal(named, [[a.id, b.id, c.id], [d.id]]);
  }),
);

test.run();
