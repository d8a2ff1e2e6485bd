/** Refused items: they are left out, counted and stored as dead letters, once, whenever the process is killed. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { routes } from '../../sinks/addresses/routes.js';
import type { Recovery, Sink } from '../../sinks/contract.js';
import type { ItemErrorRule } from '../../sinks/decorators/dead-letters.js';
import { all } from '../../sinks/decorators/fan-out.js';
import { delegate } from '../../sinks/delegate.js';
import { createItemErrors } from '../../sinks/item-errors.js';
import type { Batch } from '../../src/core/model/batch.js';
import type { Notice } from '../../src/core/model/notice.js';
import { run } from '../../src/run/extract.js';
import type { RunOptions } from '../../src/run/options.js';
import { memoryStore } from '../checkpoint/memory-store.js';
import { configurationOf, onServer, type Scene } from '../checkpoint/scenes.js';
import { rawJson } from '../loopback/api.js';
import { cutSink, idsSink, linesIn, newStore, plainSink, type Store, transactionSink } from '../sinks/kinds.js';
import { rejection } from '../sinks/lib.js';
import { idOf, picky as pickyOf, secret } from '../sinks/picky.js';
import { createLife } from './life.js';

const kinds: Readonly<Record<Recovery, (store: Store) => Sink>> = {
  none: plainSink,
  ids: idsSink,
  cut: cutSink,
  transaction: transactionSink,
};
const recoveries = ['none', 'ids', 'cut', 'transaction'] as const;

const pages = 2;
const scene: Scene = {
  what: 'page numbers',
  api: { pagination: { method: 'pagenum' } },
  jobs: [{ endpoint: 'users' }],
  answer(url) {
    const page = Number(url.searchParams.get('page'));
    const items = [0, 1, 2].map((n) => page * 3 + n).map((id) => `{"id":${id}${isRefused(id) ? '.0' : ''}}`);
    return rawJson(page > pages ? '[]' : `[${items.join(',')}]`);
  },
};
/** The ids of items that are left out have a fraction, which their shape does not have. */
const shape = { $defs: { users: { type: 'object', properties: { id: { type: 'integer' } } } } };
const ids = Array.from({ length: pages * 3 }, (_, n) => n + 3);
const isRefused = (id: number) => id % 4 === 0;
const goodLines = ids.filter((id) => !isRefused(id)).map((id) => `{"id":${id}}`);
const badIds = ids.filter(isRefused);

const picky = (inner: Sink, when: 'write' | 'prepare' = 'write', refuses = isRefused) =>
  pickyOf(inner, { when, refuses: (item) => refuses(idOf(item)) });

/** A letter without its error. */
function letterId(line: string, reason = /^has the wrong id/): number {
  const { item, error, run: name, walk, page, offset, dataType, job } = JSON.parse(line);
  assert.equal([typeof name, walk, dataType, job], ['string', '0', 'users', 'users']);
  assert.is(page * 3 + offset + 3, item.id, 'the place of the item');
  assert.match(error, reason);
  return item.id;
}

/** Of a destination that may have items twice, each is compared once. */
const once = (recovery: Recovery, lines: readonly string[]) => (recovery === 'none' ? [...new Set(lines)] : lines);

/** A run with new destinations, and what is in them after its resume. */
interface Attempt {
  options(mortal: (sink: Sink) => Sink): Pick<RunOptions, 'to' | 'onItemError' | 'shape' | 'onDrift'>;
  check(where: string): void;
}

/** Kills a run at each `stride`-th step from `first` on, resumes it, and checks its destinations. */
const killedAtEachStep = (attempt: () => Attempt, { first = 0, stride = 1 } = {}) =>
  onServer(scene, async (server) => {
    const configuration = configurationOf(scene, server.origin);
    for (let steps = first; ; steps += stride) {
      const { options, check } = attempt();
      const state = memoryStore();
      const life = createLife(steps);
      await run(configuration, { ...options(life.sink), store: life.store(state) }).catch(() => {});
      if (!life.isOver()) break;
      await run(configuration, { ...options((sink) => sink), store: memoryStore(state.held), resume: true });
      check(`killed at step ${steps}`);
    }
  });

function killed(when: 'write' | 'prepare', main: Recovery, letters: Recovery) {
  // A sink with transactions may have a page that the journal lacks: there every moment matters.
  const stride = main === 'transaction' ? 1 : 3;
  const attempt = (): Attempt => {
    const [to, dead] = [newStore(), newStore()];
    return {
      options: (mortal) => ({
        to: mortal(picky(kinds[main](to), when)),
        onItemError: { deadLetter: mortal(kinds[letters](dead)) },
      }),
      check(where) {
        assert.equal(once(main, linesIn(to, 'users')), goodLines, where);
        assert.equal(
          once(letters, linesIn(dead, 'users')).map((line) => letterId(line)),
          badIds,
          where,
        );
      },
    };
  };
  return killedAtEachStep(attempt, { first: recoveries.indexOf(letters) % stride, stride });
}

for (const main of recoveries) {
  for (const letters of recoveries) {
    test(`${main}, with dead letters in ${letters}: nothing is lost at any kill`, killed('write', main, letters));
  }
  test(`${main}, refused late: nothing is lost at any kill`, killed('prepare', main, 'transaction'));
}

const unfit = /^does not fit the shape of "users": "id" is number, and was integer$/;

for (const main of recoveries) {
  for (const letters of recoveries) {
    test(
      `${main}, items that differ from their shape are in ${letters}: nothing is lost at any kill`,
      killedAtEachStep(
        () => {
          const [to, other, dead] = [newStore(), newStore(), newStore()];
          return {
            options: (mortal) => ({
              to: all([mortal(kinds[main](to)), mortal(cutSink(other))]),
              onItemError: { deadLetter: mortal(kinds[letters](dead)) },
              shape,
              onDrift: 'dead-letter',
            }),
            check(where) {
              assert.equal(once(main, linesIn(to, 'users')), goodLines, where);
              assert.equal(linesIn(other, 'users'), goodLines, where);
              const found = once(letters, linesIn(dead, 'users')).map((line) => letterId(line, unfit));
              assert.equal(found, badIds, where);
            },
          };
        },
        { first: recoveries.indexOf(letters) % 3, stride: main === 'transaction' ? 1 : 3 },
      ),
    );
  }
}

for (const letters of ['cut', 'transaction', 'ids'] as const) {
  test(
    `two sinks that are killed apart, with dead letters in ${letters}: each letter is there once`,
    killedAtEachStep(() => {
      const [log, queue, dead] = [newStore(), newStore(), newStore()];
      return {
        options: (mortal) => ({
          to: all([mortal(picky(transactionSink(log))), mortal(picky(idsSink(queue), 'prepare'))]),
          onItemError: { deadLetter: mortal(kinds[letters](dead)) },
        }),
        check(where) {
          for (const to of [log, queue]) assert.equal(linesIn(to, 'users'), goodLines, where);
          const twice = badIds.flatMap((id) => [id, id]);
          assert.equal(
            linesIn(dead, 'users').map((line) => letterId(line)),
            twice,
            where,
          );
        },
      };
    }),
  );
}

/** Runs the scene to its end. */
const whole = (to: Sink, onItemError: ItemErrorRule | undefined, more: object = {}) =>
  onServer(scene, async (server) => {
    await run(configurationOf(scene, server.origin), {
      to,
      ...(onItemError === undefined ? {} : { onItemError }),
      ...more,
    });
  })();

test(
  'the sink of dead letters can be an address, but not one that gets the items',
  onServer(scene, async (server) => {
    const folder = mkdtempSync(join(tmpdir(), 'rxtract-letters-'));
    try {
      const letters = `ndjson:${folder}`;
      const options = { to: picky(plainSink(newStore())), onItemError: { deadLetter: letters } };
      await run(configurationOf(scene, server.origin), options);
      const lines = readFileSync(join(folder, 'users.ndjson'), 'utf8').trim().split('\n');
      assert.equal(
        lines.map((line) => letterId(line)),
        badIds,
      );
      const same = run(configurationOf(scene, server.origin), { ...options, to: ['null:', `ndjson:${folder}/`] });
      await rejection(same, 'ERR_USAGE', /dead letters need a sink of their own/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  }),
);

test('without a rule a refused item ends the run, with its place', async () => {
  for (const rule of [undefined, 'fail'] as const) {
    const work = whole(picky({ ...plainSink(newStore()), name: 'x:' }), rule);
    const error = await rejection(work, 'ERR_SINK', /^x:: item 1 of the page \(from 0\) has the wrong id/);
    assert.equal([error.where.job, error.where.page], ['users', 0]);
  }
});

test(
  'items that are skipped are counted, with the first places and errors',
  onServer(scene, async (server) => {
    const store = newStore();
    const notices: Notice[] = [];
    const { refused, outputs } = await run(configurationOf(scene, server.origin), {
      to: picky({ ...plainSink(store), name: 'x:', secrets: [secret] }),
      onItemError: 'skip',
      notify: (notice) => notices.push(notice),
    });
    assert.equal(linesIn(store, 'users'), goodLines);
    const place = { job: 'users', dataType: 'users', walk: '0', error: 'has the wrong id "***"' };
    assert.equal(refused, [
      {
        name: 'x:',
        items: 2,
        places: [
          { ...place, page: 0, item: 1 },
          { ...place, page: 1, item: 2 },
        ],
      },
    ]);
    assert.equal(outputs, []);
    const own = notices.filter(({ code }) => code === 'item-refused');
    assert.equal(
      own.map(({ message, page }) => [message, page]),
      [
        ['x: refused item 1 of the page (from 0): has the wrong id "***"', 0],
        ['x: refused item 2 of the page (from 0): has the wrong id "***"', 1],
      ],
    );
  }),
);

test('a run without refused items says nothing of them', async () => {
  const store = newStore();
  await onServer(scene, async (server) => {
    const summary = await run(configurationOf(scene, server.origin), { to: plainSink(store), onItemError: 'skip' });
    assert.not.ok('refused' in summary);
  })();
});

test('a letter is masked, and has the bytes of its item', async () => {
  const dead = newStore();
  const sink = { ...picky({ ...plainSink(newStore()), name: 'x:' }), secrets: [secret] };
  await whole(sink, { deadLetter: plainSink(dead) }, { maxPages: 1 });
  const [line = ''] = linesIn(dead, 'users');
  assert.match(
    line,
    /^\{"error":"has the wrong id \\"\*\*\*\\"","sink":"x:","job":"users","dataType":"users","run":"[\w-]{16}","walk":"0","page":0,"offset":1,"item":\{"id":4\.0\}\}$/,
  );
});

test('letters of several sinks are distinguished, in an order that does not depend on their speed', async () => {
  for (const slow of [0, 1]) {
    const dead = newStore();
    const sinks = [0, 1].map((number) => {
      const inner: Sink = { ...plainSink(newStore()), name: `s${number}` };
      const sink = picky(inner);
      if (number !== slow) return sink;
      return delegate(sink, {
        async write(batch, signal) {
          await new Promise((resolve) => setImmediate(resolve));
          await sink.write(batch, signal);
        },
      });
    });
    await whole(all(sinks), { deadLetter: plainSink(dead) }, { maxPages: 1 });
    assert.equal(
      linesIn(dead, 'users').map((line) => JSON.parse(line).sink),
      ['s0', 's1'],
    );
  }
});

test('a route leaves out items of its data types', async () => {
  const [users, rest, dead] = [newStore(), newStore(), newStore()];
  const to = routes([{ to: picky(transactionSink(users)), dataTypes: ['users'] }, { to: plainSink(rest) }]);
  await whole(to, { deadLetter: cutSink(dead) }, { store: memoryStore() });
  assert.equal(linesIn(users, 'users'), goodLines);
  assert.equal(
    linesIn(dead, 'users').map((line) => letterId(line)),
    badIds,
  );
});

test('a function gets letters too', async () => {
  const seen: unknown[] = [];
  await whole(picky(plainSink(newStore())), {
    deadLetter: async (batch) => {
      seen.push(...batch.values().map((letter) => idOf((letter as { item: unknown }).item)));
    },
  });
  assert.equal(seen, badIds);
});

for (const letters of recoveries) {
  test(
    `a failed run is resumed with a sink for dead letters that was not there: ${letters}`,
    onServer(scene, async (server) => {
      const [to, dead] = [newStore(), newStore()];
      const configuration = configurationOf(scene, server.origin);
      const isLater = (id: number) => id === 8;
      const state = memoryStore();
      const begin = (rest: object) => run(configuration, { to: picky(transactionSink(to), 'write', isLater), ...rest });
      await rejection(begin({ store: state }), 'ERR_SINK', /wrong id/);
      assert.is(linesIn(to, 'users').length, 3);
      const deadLetter = kinds[letters](dead);
      await begin({ store: memoryStore(state.held), resume: true, onItemError: { deadLetter } });
      assert.equal(
        linesIn(dead, 'users').map((line) => letterId(line)),
        [8],
      );
      assert.is(linesIn(to, 'users').length, 5);
    }),
  );
}

test('a sink for letters that fails ends the run, before the items of the page count', async () => {
  const to = newStore();
  const full: Sink = {
    ...plainSink(newStore()),
    write() {
      throw new Error('disk full');
    },
  };
  await rejection(
    whole(picky(transactionSink(to)), { deadLetter: full }, { store: memoryStore() }),
    'ERR_SINK',
    /disk full/,
  );
  assert.equal(linesIn(to, 'users'), []);
});

test('a letter that its sink refuses ends the run', async () => {
  const inner = plainSink(newStore());
  const errors = createItemErrors('letters');
  const refusing = delegate(inner, {
    open: (_, __, opening) => errors.open(opening),
    write: (batch) => errors.refuse({ batch, index: 0, reason: 'is too long' }),
  });
  const work = whole(picky(plainSink(newStore())), { deadLetter: refusing });
  await rejection(work, 'ERR_SINK', /^letters: item 1 of the page \(from 0\) is too long$/);
});

test('an item that is refused in a commit is too late for its letter', async () => {
  const inner = plainSink(newStore());
  const errors = createItemErrors('late');
  let last: Batch | undefined;
  const late = delegate(inner, {
    open: (_, __, opening) => errors.open(opening),
    write(batch) {
      last = batch;
    },
    async commit() {
      if (last !== undefined) await errors.refuse({ batch: last, index: 0, reason: 'is late' });
    },
  });
  await rejection(
    whole(late, { deadLetter: plainSink(newStore()) }),
    'ERR_SINK',
    /must report it in `write` or `prepare`/,
  );
});

test('what is no rule is an error', async () => {
  const to = plainSink(newStore());
  for (const rule of ['skp', {}, { deadLetter: 5 }, null]) {
    await rejection(whole(to, JSON.parse(JSON.stringify(rule))), 'ERR_USAGE', /^onItemError/);
  }
});

test.run();
