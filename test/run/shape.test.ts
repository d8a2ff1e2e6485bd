/** Items are compared with their shape: each difference is found at its page and item, and ruled as `onDrift` says. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { memory } from '../../sinks/memory.js';
import { createObserver } from '../../sinks/shape/observe.js';
import { shapeDocument } from '../../sinks/shape/shape-document.js';
import { anything } from '../../sinks/shape/value-shape.js';
import { stringifyExact } from '../../src/core/json/exact.js';
import type { Notice } from '../../src/core/model/notice.js';
import { extract, run } from '../../src/run/extract.js';
import type { RunOptions } from '../../src/run/options.js';
import { runToEnd } from '../../src/run/run-to-end.js';
import { memoryStore } from '../checkpoint/memory-store.js';
import { json, rawJson, startApi } from '../loopback/api.js';
import { cutSink, linesIn, newStore, plainSink } from '../sinks/kinds.js';
import { rejection } from '../sinks/lib.js';
import { sample, sampleItem } from '../sinks/shape/sample.js';
import { mulberry32 } from '../support/mulberry32.js';

const pagination = { method: 'pagenum' } as const;

type Item = Record<string, unknown>;

const observer = createObserver();
observer.add(sample(300), 0, 300);
const sampled = observer.shape() ?? anything;

const address = { city: 'X', geo: { lat: 1.5, lng: 2 }, zip: '1' };
const line = { sku: 's', count: 1, price: 1.5 };

/** What an item gets, or with `undefined` loses; the path and the kind of the difference. */
const planted: readonly (readonly [change: Item, path: string, kind: string])[] = [
  [{ nick: 'new' }, 'nick', 'new'],
  [{ 'é"\\': 1 }, 'é"\\', 'new'],
  [{ __proto: {} }, '__proto', 'new'],
  [{ '': null }, '', 'new'],
  [{ ID: 1 }, 'ID', 'new'],
  [{ address: { ...address, street: 's' } }, 'address.street', 'new'],
  [{ address: { ...address, geo: { lat: 1.5, lng: 2, alt: 3 } } }, 'address.geo.alt', 'new'],
  [{ lines: [line, { ...line, tax: 1 }] }, 'lines[].tax', 'new'],
  [{ id: undefined }, 'id', 'absent'],
  [{ email: undefined }, 'email', 'absent'],
  [{ status: undefined }, 'status', 'absent'],
  [{ address: undefined }, 'address', 'absent'],
  [{ address: { geo: address.geo } }, 'address.city', 'absent'],
  [{ address: { ...address, geo: { lat: 1.5 } } }, 'address.geo.lng', 'absent'],
  [{ lines: [line, line, { sku: 's', count: 1 }] }, 'lines[].price', 'absent'],
  [{ tags: undefined }, 'tags', 'absent'],
  [{ id: null }, 'id', 'null'],
  [{ isActive: null }, 'isActive', 'null'],
  [{ status: null }, 'status', 'null'],
  [{ born: null }, 'born', 'null'],
  [{ address: null }, 'address', 'null'],
  [{ address: { ...address, city: null } }, 'address.city', 'null'],
  [{ lines: null }, 'lines', 'null'],
  [{ lines: [null] }, 'lines[]', 'null'],
  [{ tags: ['a', null] }, 'tags[]', 'null'],
  [{ note: null }, 'note', 'null'],
  [{ id: 'x' }, 'id', 'type'],
  [{ id: '7' }, 'id', 'type'],
  [{ id: 7.5 }, 'id', 'type'],
  [{ id: true }, 'id', 'type'],
  [{ id: 1e300 }, 'id', 'type'],
  [{ code: 5 }, 'code', 'type'],
  [{ email: false }, 'email', 'type'],
  [{ score: '1.5' }, 'score', 'type'],
  [{ isActive: 1 }, 'isActive', 'type'],
  [{ isActive: 'true' }, 'isActive', 'type'],
  [{ status: ['open'] }, 'status', 'type'],
  [{ address: 'a street' }, 'address', 'type'],
  [{ address: [] }, 'address', 'type'],
  [{ address: { ...address, zip: 12 } }, 'address.zip', 'type'],
  [{ address: { ...address, geo: { lat: '1', lng: 2 } } }, 'address.geo.lat', 'type'],
  [{ lines: {} }, 'lines', 'type'],
  [{ lines: [line, 'x'] }, 'lines[]', 'type'],
  [{ lines: [{ ...line, count: 1.5 }] }, 'lines[].count', 'type'],
  [{ tags: [['a']] }, 'tags[]', 'type'],
  [{ status: 'void' }, 'status', 'value'],
  [{ status: 'OPEN' }, 'status', 'value'],
  [{ born: '27.11.2026' }, 'born', 'format'],
  [{ born: '2026-13-01' }, 'born', 'format'],
  [{ createdAt: '2026-11-27 10:00:00' }, 'createdAt', 'format'],
  [{ uid: 'none' }, 'uid', 'format'],
];

const [pages, size, seed] = [3, 40, 20_261_127];

test(`${planted.length} planted differences are found at the right page and item (seed ${seed})`, async () => {
  const random = mulberry32(seed);
  const places = planted.map(() => ({ page: random() % pages, item: random() % size }));
  const api = await startApi(({ target }) => {
    const [, job, number] = /d(\d+)\?page=(\d+)/.exec(target)?.map(Number) ?? [];
    const page = (number ?? 1) - 1;
    const items = Array.from({ length: page < pages ? size : 0 }, (_, item) => {
      const own = places[job ?? 0];
      const isHere = own?.page === page && own.item === item;
      return { ...sampleItem(page * size + item), ...(isHere ? planted[job ?? 0]?.[0] : {}) };
    });
    return json(items);
  });
  try {
    const names = planted.map((_, index) => `d${index}`);
    const { drift } = await run(
      {
        api: { baseUrl: `${api.origin}/`, pagination },
        config: { jobs: names.map((endpoint) => ({ endpoint, dataType: endpoint })) },
      },
      { shape: shapeDocument(new Map(names.map((name) => [name, sampled]))), concurrency: 4 },
    );
    assert.is(drift?.items, planted.length);
    const found = drift?.places.map(({ job, page, item, path, change }) => ({ job, page, item, path, change })) ?? [];
    const byJob = (one: { job: string }, other: { job: string }) =>
      Number(one.job.slice(1)) - Number(other.job.slice(1));
    const expected = planted.map(([, path, change], index) => ({ job: `d${index}`, ...places[index], path, change }));
    assert.equal([...found].sort(byJob), expected);
  } finally {
    await api.close();
  }
});

test('51 differences are planted', () => assert.is(planted.length, 51));

const users = {
  type: 'object',
  properties: { id: { type: 'integer' }, name: { type: 'string' } },
  required: ['id'],
  additionalProperties: false,
};
const shape = { $defs: { users } };

const configurationAt = (origin: string) => ({
  api: { baseUrl: `${origin}/`, pagination },
  config: { jobs: [{ endpoint: 'users' }] },
});

interface Scene {
  readonly configuration: ReturnType<typeof configurationAt>;
  readonly notices: Notice[];
  readonly requests: () => number;
}

/** Two pages of three items; item 1 of page 2 has another name, and item 2 a new member. */
const third = [
  ['{"id":1}', '{"id":2,"name":"b"}', '{"id":3}'],
  ['{"id":4}', '{"id":5,"name":null}', '{"id":6,"x":1}'],
];

const inScene =
  (work: (scene: Scene) => Promise<void>, answers = third) =>
  async () => {
    const api = await startApi(({ target }) => {
      const page = Number(/page=(\d)/.exec(target)?.[1] ?? 1);
      return rawJson(`[${(answers[page - 1] ?? []).join(',')}]`);
    });
    const configuration = configurationAt(api.origin);
    try {
      await work({ configuration, notices: [], requests: () => api.requests.length });
    } finally {
      await api.close();
    }
  };

const runIn = ({ configuration, notices }: Scene, options: Partial<RunOptions>) =>
  run(configuration, { shape, notify: (notice) => notices.push(notice), ...options });

const allLines = third.flat();
const goodLines = allLines.filter((_, index) => index < 4);

test(
  'warn: each difference is one warning with its place, and every item is delivered',
  inScene(async (scene) => {
    const to = newStore();
    const { drift } = await runIn(scene, { to: cutSink(to) });
    assert.equal(linesIn(to, 'users'), allLines);
    const warnings = scene.notices.filter(({ level }) => level === 'warning');
    assert.equal(
      warnings.map(({ code, job, page, message }) => [code, job, page, message]),
      [
        [
          'drift',
          'users',
          1,
          'item 1 of the page (from 0) differs from its shape: "name" is null, and never was: string',
        ],
        ['drift', 'users', 1, 'item 2 of the page (from 0) differs from its shape: "x" is new: integer'],
      ],
    );
    const place = { job: 'users', dataType: 'users', walk: '0', page: 1 };
    assert.equal(drift, {
      items: 2,
      places: [
        { ...place, item: 1, path: 'name', change: 'null', message: '"name" is null, and never was: string' },
        { ...place, item: 2, path: 'x', change: 'new', message: '"x" is new: integer' },
      ],
    });
  }),
);

test(
  'a run whose items fit says nothing of them',
  inScene(async (scene) => {
    const summary = await runIn(scene, { maxPages: 1 });
    assert.not.ok('drift' in summary);
  }),
);

test(
  'warn: with `strict` it is an error',
  inScene(async (scene) => {
    await rejection(runIn(scene, { strict: true }), 'ERR_STRICT', /"name" is null/);
  }),
);

test(
  'fail: the run ends before the page is committed',
  inScene(async (scene) => {
    const to = newStore();
    const work = runIn(scene, { to: cutSink(to), onDrift: 'fail' });
    const error = await rejection(work, 'ERR_SHAPE', /^item 1 of the page \(from 0\) differs .*: "name" is null/);
    assert.equal([error.where.job, error.where.page], ['users', 1]);
    assert.equal(linesIn(to, 'users'), allLines.slice(0, 3));
    assert.is(scene.requests(), 2, 'no further attempt');
  }),
);

test(
  'fail: a resume with another rule or another shape continues after the last page',
  inScene(async (scene) => {
    const [to, state] = [newStore(), memoryStore()];
    await rejection(runIn(scene, { to: cutSink(to), store: state, onDrift: 'fail' }), 'ERR_SHAPE');
    const { drift } = await runIn(scene, { to: cutSink(to), store: memoryStore(state.held), resume: true });
    assert.is(drift?.items, 2);
    assert.equal(linesIn(to, 'users'), allLines);
  }),
);

test(
  'fail: a sink that cannot roll back gets no item of that batch',
  inScene(async (scene) => {
    const to = newStore();
    await rejection(runIn(scene, { to: plainSink(to), onDrift: 'fail' }), 'ERR_SHAPE');
    assert.equal(linesIn(to, 'users'), allLines.slice(0, 3));
  }),
);

for (const count of [1, 2]) {
  test(
    `drop: items that differ are left out of ${count} sinks, and counted once`,
    inScene(async (scene) => {
      const stores = Array.from({ length: count }, newStore);
      const { drift } = await runIn(scene, { to: stores.map((store) => cutSink(store)), onDrift: 'drop' });
      for (const store of stores) assert.equal(linesIn(store, 'users'), goodLines);
      assert.is(drift?.items, 2);
      assert.equal(
        scene.notices.filter(({ level }) => level === 'warning'),
        [],
      );
    }),
  );
}

test(
  'drop: items that are left out do not count as delivered',
  inScene(async (scene) => {
    const work = runIn(scene, { to: cutSink(newStore()), onDrift: 'drop', minItems: 5 });
    await rejection(work, 'ERR_MIN_ITEMS', /has 6 items in this run, of which 2 were refused: at least 5 are required/);
  }),
);

test(
  'dead-letter: items that differ are letters, once for all sinks',
  inScene(async (scene) => {
    const [one, other, dead] = [newStore(), newStore(), newStore()];
    await runIn(scene, {
      to: [cutSink(one), plainSink(other)],
      onDrift: 'dead-letter',
      onItemError: { deadLetter: plainSink(dead) },
    });
    for (const store of [one, other]) assert.equal(linesIn(store, 'users'), goodLines);
    assert.equal(
      linesIn(dead, 'users').map((text) => [JSON.parse(text).sink, JSON.parse(text).page, JSON.parse(text).offset]),
      [
        ['shape', 1, 1],
        ['shape', 1, 2],
      ],
    );
    assert.match(linesIn(dead, 'users')[1] ?? '', /"item":\{"id":6,"x":1\}\}$/);
  }),
);

test(
  'dead-letter: a page of which nothing is left has its letters',
  inScene(
    async (scene) => {
      const [to, dead] = [newStore(), newStore()];
      const options = { to: cutSink(to), onItemError: { deadLetter: cutSink(dead) }, store: memoryStore() };
      await runIn(scene, { ...options, onDrift: 'dead-letter' });
      assert.equal(linesIn(to, 'users'), []);
      assert.is(linesIn(dead, 'users').length, 2);
    },
    [['{"id":"a"}', '{"id":null}']],
  ),
);

test(
  'evolve: the shape becomes that of all items, and later pages fit it',
  inScene(
    async (scene) => {
      const notices: Notice[] = [];
      const extraction = extract(scene.configuration, {
        shape,
        onDrift: 'evolve',
        notify: (each) => notices.push(each),
      });
      assert.is(await runToEnd(extraction, () => {}), undefined);
      const made = JSON.parse(stringifyExact(extraction.shape() ?? new Map()));
      assert.equal(made.$defs.users.properties.name.type, ['string', 'null']);
      assert.equal(made.$defs.users.properties.x.type, 'integer');
      assert.equal(made.$defs.users.required, ['id']);
      assert.is(extraction.summary().drift?.items, 2);
    },
    [...third, ['{"id":7,"name":null,"x":2}']],
  ),
);

const usage: readonly (readonly [what: string, options: Partial<RunOptions>, message: RegExp])[] = [
  ['another document', { shape: { api: {} } }, /^shape is no shape: expected "\$defs"/],
  [
    'another data type',
    { shape: { $defs: { user: users } } },
    /^shape: there is none of the data type "users"; did you mean "user"\?$/,
  ],
  ['quite another data type', { shape: { $defs: { orders: users } } }, /"users": it has "orders"$/],
  ['a rule without a shape', { onDrift: 'warn' }, /^onDrift: needs `shape`$/],
  ['no place for letters', { shape, onDrift: 'dead-letter' }, /^onDrift: "dead-letter" needs the sink of dead letters/],
  ['skipped letters', { shape, onDrift: 'dead-letter', onItemError: 'skip' }, /^onDrift: "dead-letter" needs/],
];

for (const [what, options, message] of usage) {
  test(
    `is refused before the first request: ${what}`,
    inScene(async (scene) => {
      await rejection(run(scene.configuration, options), 'ERR_USAGE', message);
      assert.is(scene.requests(), 0);
    }),
  );
}

test(
  'the members that a select leaves are compared',
  inScene(async (scene) => {
    const own = {
      $defs: {
        users: {
          type: 'object',
          properties: { id: { type: 'integer' } },
          required: ['id'],
          additionalProperties: false,
        },
      },
    };
    const summary = await runIn(scene, { select: 'id', shape: own, to: memory() });
    assert.not.ok('drift' in summary);
  }),
);

test(
  'a secret is masked in what is said of an item',
  inScene(
    async (scene) => {
      const own = { $defs: { users: { type: 'object', properties: { id: { type: 'string', enum: ['a'] } } } } };
      const api = { ...scene.configuration.api, http: { headers: { 'X-Key': { env: 'KEY' } } } };
      const notify = (notice: Notice) => void scene.notices.push(notice);
      const options = { shape: own, env: { KEY: 'of-secret' }, notify };
      const { drift } = await run({ ...scene.configuration, api }, options);
      assert.is(drift?.places[0]?.message, '"id" is "***", which is new in its 1 values');
      assert.not.match(JSON.stringify(scene.notices), 'of-secret');
    },
    [['{"id":"of-secret"}']],
  ),
);

test.run();
