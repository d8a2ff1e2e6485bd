/** Items as an observable: a synchronous subscriber holds it back, and unsubscribing cancels the request. */
import { bufferCount, concatMap, from, lastValueFrom, map, merge, mergeMap, take, toArray } from 'rxjs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { pull } from '../../../operators/index.js';
import { filterItems, mapItems } from '../../../sinks/index.js';
import { extract } from '../../../src/run/extract.js';
import { rejection, turns } from '../../sinks/lib.js';
import { configOf, json, onNetwork } from '../../support/mock-network.js';
import { jobsOf, pages, withHangingPage } from './pages.js';

test(
  'is cold: each subscription is a run',
  onNetwork({ 'GET /a': [json([1, 2]), json([3])] }, async ({ dispatcher, asked }) => {
    const items = extract(configOf([{ endpoint: 'a' }]), { dispatcher }).observable();
    await turns();
    assert.is(asked.length, 0);
    assert.equal(await lastValueFrom(items.pipe(toArray())), [1, 2]);
    assert.equal(await lastValueFrom(items.pipe(toArray())), [3]);
  }),
);

test(
  'composes: enough items end the run, and no other page is requested',
  onNetwork({ 'GET /a?limit=2&page=1': json(['a1', 'a2']) }, async ({ dispatcher, asked }) => {
    const items = extract<string>(jobsOf('a'), { dispatcher }).observable();
    const found = items.pipe(
      map((item) => item.toUpperCase()),
      take(2),
      toArray(),
    );
    assert.equal(await lastValueFrom(found), ['A1', 'A2']);
    await turns();
    assert.is(asked.length, 1);
  }),
);

test(
  'runs ahead of an operator that queues, and does not with the same work inside of pull',
  onNetwork({ ...pages('a', 4), ...pages('b', 4) }, async ({ dispatcher, asked }) => {
    const extraction = extract(jobsOf('a', 'b'), { dispatcher });
    const pagesAskedAtFirstItem: number[] = [];
    const work = async (item: unknown) => {
      await turns(60); // Slower than all the pages.
      if (/[ab]1/.test(String(item))) pagesAskedAtFirstItem.push(asked.length);
      return item;
    };
    await lastValueFrom(extraction.job('a').observable().pipe(concatMap(work)));
    const held = pull(extraction.job('b').batches(), (batch) => from(batch.values()).pipe(mergeMap(work, 1)));
    assert.is(await lastValueFrom(held.pipe(toArray())).then(({ length }) => length), 7);
    assert.equal(pagesAskedAtFirstItem, [4, 5], 'all four pages at once; then one');
  }),
);

test(
  'merges jobs, at the pace of both',
  onNetwork({ ...pages('a', 2), ...pages('b', 2) }, async ({ dispatcher }) => {
    const { jobs } = extract(jobsOf('a', 'b'), { dispatcher });
    const found = await lastValueFrom(merge(...jobs.map((job) => job.observable())).pipe(bufferCount(4), toArray()));
    assert.equal(
      found.map(({ length }) => length),
      [4, 2],
    );
    assert.equal(found.flat().sort(), ['a1', 'a2', 'a3', 'b1', 'b2', 'b3']);
  }),
);

test('aborts the request in flight when it is unsubscribed from', async () => {
  await withHangingPage('short', async ({ config, asked, left }) => {
    const subscription = extract(config).observable().subscribe();
    await asked;
    subscription.unsubscribe();
    await left;
  });
});

test('fails with ERR_ABORTED when its signal aborts', async () => {
  await withHangingPage('with a batch', async ({ config, asked, left }) => {
    const controller = new AbortController();
    const running = lastValueFrom(extract(config).observable({ signal: controller.signal }));
    await asked;
    controller.abort();
    await rejection(running, 'ERR_ABORTED');
    await left;
  });
});

test(
  'passes on the error of the run',
  onNetwork({ 'GET /a': { status: 404 } }, async ({ dispatcher }) => {
    await rejection(lastValueFrom(extract(configOf([{ endpoint: 'a' }]), { dispatcher }).observable()), 'ERR_STATUS');
  }),
);

test(
  'every way to read works with a transform',
  onNetwork({ 'GET /a': [1, 2, 3].map(() => json([{ n: 1 }, { n: 2 }, { n: 3 }])) }, async ({ dispatcher }) => {
    const odd = extract<{ n: number }>(configOf([{ endpoint: 'a' }]), { dispatcher })
      .through(filterItems(({ n }) => n % 2 === 1))
      .through(mapItems(({ n }) => n * 10));
    assert.equal(await lastValueFrom(odd.observable().pipe(toArray())), [10, 30]);
    assert.equal(await odd.readable().toArray(), [10, 30]);
    assert.is(Buffer.concat(await odd.readable({ as: 'bytes' }).toArray()).toString(), '10\n30\n');
  }),
);

test.run();
