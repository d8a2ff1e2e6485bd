/** Limits of a run: where each ends a walk, its message, and what has reached the sink by then. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { memory } from '../../../sinks/index.js';
import { extract, run } from '../../../src/run/extract.js';
import type { RunOptions } from '../../../src/run/options.js';
import { createRunLimits } from '../../../src/run/walk/run-limits.js';
import { rejection } from '../../sinks/lib.js';
import { configOf, json, listener, onNetwork, pagenum } from '../../support/mock-network.js';
import { startClock } from '../../support/virtual-clock.js';

const page = (job: string, number: number, ...ids: readonly number[]) => ({
  [`GET /${job}?page=${number}&limit=2`]: json(ids.map((id) => ({ id }))),
});
const twoPages = { ...page('a', 1, 1, 2), ...page('a', 2, 3, 4) };
const allPages = { ...twoPages, ...page('a', 3, 5) };

/** Runs jobs and returns their results. */
async function play(dispatcher: RunOptions['dispatcher'], jobs: readonly object[], options: RunOptions) {
  const to = memory();
  const { notify, notices } = listener();
  const summary = await run(configOf(jobs, pagenum(2)), { to, notify, ...(dispatcher && { dispatcher }), ...options });
  assert.equal(
    notices.filter(({ level }) => level === 'warning'),
    [],
  );
  const bounds = notices.filter(({ code }) => code === 'bound-reached');
  return {
    items: to.items(),
    stops: summary.jobs.map(({ job, pages, items, stop, bounded }) => [job, pages, items, stop, bounded]),
    said: bounds.map(({ level, job, message }) => `${level} ${job}: ${message}`),
  };
}

const said = (job: string, reason: string) =>
  `debug ${job}: stopped by a limit of this run (${reason}): items may be missing`;
const ids = (...list: readonly number[]) => list.map((id) => ({ id }));

test(
  'maxPages ends a job after that many pages, with its reason',
  onNetwork(twoPages, async ({ dispatcher }) => {
    const { items, stops, said: notices } = await play(dispatcher, [{ endpoint: 'a' }], { maxPages: 2 });
    assert.equal(items, ids(1, 2, 3, 4));
    assert.equal(stops, [['a', 2, 4, 'maxPages: 2 pages', true]]);
    assert.equal(notices, [said('a', 'maxPages: 2 pages')]);
  }),
);

test(
  'maxItems cuts the last page to the item',
  onNetwork(twoPages, async ({ dispatcher }) => {
    const { items, stops, said: notices } = await play(dispatcher, [{ endpoint: 'a' }], { maxItems: 3 });
    assert.equal(items, ids(1, 2, 3));
    assert.equal(stops, [['a', 2, 3, 'maxItems: 3 items', true]]);
    assert.equal(notices, [said('a', 'maxItems: 3 items')]);
  }),
);

test(
  'maxItems that a page fills exactly requests no other page',
  onNetwork(page('a', 1, 1, 2), async ({ dispatcher }) => {
    const { items, stops } = await play(dispatcher, [{ endpoint: 'a' }], { maxItems: 2 });
    assert.equal(items, ids(1, 2));
    assert.equal(stops, [['a', 1, 2, 'maxItems: 2 items', true]]);
  }),
);

test(
  'a page that is cut counts as bounded, though no page would have followed',
  onNetwork({ 'GET /a': json([1, 2, 3]), 'GET /b': json([1, 2]) }, async ({ dispatcher }) => {
    const to = memory();
    const { jobs } = await run(configOf([{ endpoint: 'a' }, { endpoint: 'b' }]), { to, dispatcher, maxItems: 2 });
    assert.equal(to.items(), [1, 2, 1, 2]);
    assert.equal(
      jobs.map(({ items, bytes, stop, bounded }) => [items, bytes, stop, bounded]),
      [
        [2, 4, 'maxItems: 2 items', true],
        [2, 4, 'no pagination', undefined],
      ],
    );
  }),
);

test(
  'limits after the end of the data report nothing',
  onNetwork(allPages, async ({ dispatcher }) => {
    const bounds = { maxPages: 3, maxItems: 5, maxDuration: 1000 };
    const { items, stops, said: notices } = await play(dispatcher, [{ endpoint: 'a' }], bounds);
    assert.equal(items, ids(1, 2, 3, 4, 5));
    assert.equal(stops, [['a', 3, 5, 'a page shorter than the limit (1 of 2)', undefined]]);
    assert.equal(notices, []);
  }),
);

test(
  'each job has its own count',
  onNetwork({ ...page('a', 1, 1, 2), ...page('b', 1, 8, 9) }, async ({ dispatcher }) => {
    const jobs = [{ endpoint: 'a' }, { endpoint: 'b' }];
    const { items, stops } = await play(dispatcher, jobs, { maxItems: 1, concurrency: 2 });
    assert.equal(items, ids(1, 8));
    assert.equal(
      stops.map(([job, , count]) => [job, count]),
      [
        ['a', 1],
        ['b', 1],
      ],
    );
  }),
);

test(
  'all walks of a child count together, in order even if others could run concurrently',
  onNetwork(
    { 'GET /a?page=1&limit=2': json([{ id: 1 }]), ...page('a/1', 1, 11, 12), ...page('a/1', 2, 13) },
    async ({ dispatcher }) => {
      const jobs = [{ endpoint: 'a', children: [{ endpoint: 'a/{id}', dataType: 'c', placeholders: { id: 'id' } }] }];
      const { stops } = await play(dispatcher, jobs, { maxItems: 3, concurrency: 4 });
      assert.equal(stops.at(-1), ['c', 2, 3, 'a page shorter than the limit (1 of 2)', undefined]);
    },
  ),
);

test(
  'a child whose bound is reached is walked for no more rows',
  onNetwork({ ...page('a', 1, 1, 2), ...page('a/1', 1, 11) }, async ({ dispatcher }) => {
    const jobs = [{ endpoint: 'a', children: [{ endpoint: 'a/{id}', dataType: 'c', placeholders: { id: 'id' } }] }];
    const { stops, said: notices } = await play(dispatcher, jobs, { maxPages: 1, concurrency: 4 });
    assert.equal(stops, [
      ['a', 1, 2, 'maxPages: 1 page', true],
      ['c', 1, 1, 'maxPages: 1 page', true],
    ]);
    assert.equal(notices, [said('a', 'maxPages: 1 page'), said('c', 'maxPages: 1 page')]);
  }),
);

test('after maxDuration no page begins, and no job', async () => {
  const clock = startClock();
  try {
    await onNetwork(page('a', 1, 1, 2), async ({ dispatcher }) => {
      const { stops, said: notices } = await play(dispatcher, [{ endpoint: 'a' }, { endpoint: 'b' }], {
        maxDuration: 90_000,
        onActivity: ({ state }) => state === 'page' && clock.pass(45_000),
      });
      assert.equal(stops, [
        ['a', 1, 2, 'maxDuration: 90 seconds', true],
        ['b', 0, 0, 'maxDuration: 90 seconds', true],
      ]);
      assert.equal(notices, [said('a', 'maxDuration: 90 seconds'), said('b', 'maxDuration: 90 seconds')]);
    })();
  } finally {
    clock.stop();
  }
});

test('at maxDuration itself no page begins any more', () => {
  const clock = startClock();
  try {
    const bounds = createRunLimits({ maxDuration: 1000 });
    clock.pass(999);
    assert.is(bounds.reached('a'), undefined);
    clock.pass(1);
    assert.is(bounds.reached('a'), 'maxDuration: 1 second');
  } finally {
    clock.stop();
  }
});

test(
  'a bound that is reached is no error under strict, and may be allowed as in earlier versions',
  onNetwork({ ...page('a', 1, 1, 2), ...page('b', 1, 1, 2) }, async ({ dispatcher }) => {
    const strict = { strict: true, maxPages: 1 };
    const first = await play(dispatcher, [{ endpoint: 'a' }], strict);
    assert.equal(first.stops, [['a', 1, 2, 'maxPages: 1 page', true]]);
    const { stops } = await play(dispatcher, [{ endpoint: 'b' }], { ...strict, allow: ['bound-reached'] });
    assert.equal(stops, [['b', 1, 2, 'maxPages: 1 page', true]]);
  }),
);

test(
  'each way to read an extraction has the complete limit',
  onNetwork({ 'GET /a?page=1&limit=2': [json([1, 2]), json([3, 4])] }, async ({ dispatcher }) => {
    const extraction = extract(configOf([{ endpoint: 'a' }], pagenum(2)), { dispatcher, maxItems: 1 });
    const seen: unknown[] = [];
    for await (const item of extraction.items()) seen.push(item);
    for await (const item of extraction.job('a').items()) seen.push(item);
    assert.equal(seen, [1, 3]);
  }),
);

for (const name of ['maxPages', 'maxItems', 'maxDuration']) {
  test(`${name} is a whole number from 1 up`, async () => {
    for (const value of [0, -1, 1.5, Number.NaN]) {
      await rejection(
        async () => extract(configOf([{ endpoint: 'a' }]), { [name]: value }),
        'ERR_USAGE',
        new RegExp(name),
      );
    }
  });
}

test('a limit that is too large is rejected with the largest', async () => {
  await rejection(
    async () => extract(configOf([{ endpoint: 'a' }]), { maxDuration: 2 ** 60 }),
    'ERR_USAGE',
    /^maxDuration: expected at most 3153600000000, found a number$/,
  );
});

test.run();
