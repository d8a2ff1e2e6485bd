/** Walks in line: what reaches the output, when, and who waits. */
import {
  concat,
  defer,
  finalize,
  from,
  lastValueFrom,
  map,
  mergeMap,
  NEVER,
  type Observable,
  of,
  tap,
  throwError,
  toArray,
} from 'rxjs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { memoryBytes } from '../../../src/page/buffer/temp-file.js';
import { createDrain, type Drain } from '../../../src/run/drain.js';
import { createOrderedOutput, type OutputSlot } from '../../../src/run/walk/ordered-output.js';
import type { BufferBudget } from '../../../src/run/walk/page-buffer.js';
import type { TargetSource } from '../../../src/run/walk/page-target.js';
import { itemsOf, withTemporaryFiles } from '../../page/lib.js';
import { turns } from '../../sinks/lib.js';
import { batchOf, write } from '../children/targets.js';

/** The final output, with everything that arrived. */
function end() {
  const got: unknown[] = [];
  const sink = {
    write: (batch: Parameters<typeof itemsOf>[0]) => void got.push(...itemsOf(batch)),
    close() {},
    abort() {},
  };
  const output: TargetSource = { page: () => of({ sink, acquire: async () => () => {}, commit: () => 'done' }) };
  return { got, output };
}

const budget = (kept = 0): BufferBudget => ({ kept });
const lineTo = (output: TargetSource, of = budget(), inFlight: Drain = createDrain()) =>
  createOrderedOutput(output, of, inFlight);

/** A page of one item; it emits the item when the target has taken it. */
const pageOf = (place: TargetSource, item: unknown): Observable<unknown> =>
  defer(() => place.page()).pipe(
    mergeMap((target) => from(write(target, batchOf('d', item)))),
    map(() => item),
  );

/** A walk over pages of one item each. */
const walkOf = (place: TargetSource, ...items: readonly unknown[]): Observable<unknown> =>
  concat(...items.map((item) => pageOf(place, item)));

/** Records the events of a slot, and whether it has ended. */
function hear(place: OutputSlot, walk: Observable<unknown>) {
  const received: unknown[] = [];
  const subscription = place.around(walk).subscribe({
    next: (value) => received.push(value),
    error: (error) => received.push(error),
    complete: () => received.push('over'),
  });
  return { received, subscription };
}

test('the first in line writes straight to the output', async () => {
  const { got, output } = end();
  const shared = budget();
  const place = lineTo(output, shared).join();
  const { received } = hear(place, concat(walkOf(place, 1), NEVER));
  await turns();
  assert.equal([got, received, shared.kept], [[1], [1], 0]);
});

test('output of later walks is buffered, and reported, until all before have ended', async () => {
  const { got, output } = end();
  const line = lineTo(output);
  const [first, second, third] = [line.join(), line.join(), line.join()];
  const late = hear(third, walkOf(third, 31, 32));
  const middle = hear(second, walkOf(second, 21));
  await turns();
  assert.equal([got, middle.received, late.received], [[], [], []]);
  const early = hear(first, walkOf(first, 11, 12));
  await turns();
  assert.equal(got, [11, 12, 21, 31, 32]);
  assert.equal(
    [early.received, middle.received, late.received],
    [
      [11, 12, 'over'],
      [21, 'over'],
      [31, 32, 'over'],
    ],
  );
});

test('notices of walks are in the order of the queue', async () => {
  const line = lineTo(end().output);
  const places = Array.from({ length: 20 }, (_, number) => ({ number, place: line.join() }));
  const walks = places.toReversed().map(({ number, place }) => place.around(walkOf(place, number, -number)));
  const said = await lastValueFrom(
    from(walks).pipe(
      mergeMap((walk) => walk),
      toArray(),
    ),
  );
  assert.equal(
    said,
    places.flatMap(({ number }) => [number, -number]),
  );
});

test('a walk whose turn comes while it runs writes directly from its next page on', async () => {
  const { got, output } = end();
  const shared = budget();
  const line = lineTo(output, shared);
  const [first, second] = [line.join(), line.join()];
  const more = new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  const { received } = hear(
    second,
    concat(walkOf(second, 21), defer(() => more).pipe(mergeMap(() => walkOf(second, 22))), NEVER),
  );
  await lastValueFrom(first.around(walkOf(first, 11)));
  await turns();
  assert.equal([got, received, shared.kept], [[11, 21, 22], [21, 22], 0]);
});

test('when so much is kept that it is full, the next page waits for its turn', async () => {
  const { got, output } = end();
  const shared = budget();
  const line = lineTo(output, shared);
  const [first, second] = [line.join(), line.join()];
  let asked = 0;
  const counted: TargetSource = {
    page: () =>
      second.page().pipe(
        map((target) => {
          asked += 1;
          return target;
        }),
      ),
  };
  let taken = 0;
  const walk = walkOf(counted, 21, 'x'.repeat(memoryBytes), 23, 24).pipe(tap(() => taken++));
  const over = lastValueFrom(second.around(walk).pipe(toArray()));
  while (taken < 2) await turns(1);
  await turns();
  assert.equal([asked, got.length], [2, 0], 'the one that fills it may be kept, the next may not begin');
  await lastValueFrom(first.around(walkOf(first, 11)));
  assert.is((await over).length, 4);
  assert.equal([asked, got.length, got.slice(-2), shared.kept], [4, 5, [23, 24], 0]);
});

test('the first is never buffered, however full the buffer is', async () => {
  const { got, output } = end();
  const place = lineTo(output, budget(memoryBytes)).join();
  await lastValueFrom(place.around(walkOf(place, 1, 2)));
  assert.equal(got, [1, 2]);
});

test('a walk without a page leaves the line as others do', async () => {
  const { got, output } = end();
  const line = lineTo(output);
  const [first, second, third] = [line.join(), line.join(), line.join()];
  hear(third, walkOf(third, 3));
  hear(second, of());
  hear(first, of());
  await turns();
  assert.equal(got, [3]);
});

test('a line in front of a place keeps the order of both', async () => {
  const { got, output } = end();
  const shared = budget();
  const outer = lineTo(output, shared);
  const [first, second] = [outer.join(), outer.join()];
  const nested = (place: OutputSlot, of: number) => {
    const inner = lineTo(place, shared);
    const [one, other] = [inner.join(), inner.join()];
    const later = other.around(walkOf(other, of + 2));
    return from([later, one.around(walkOf(one, of + 1))]).pipe(mergeMap((walk) => walk));
  };
  const late = hear(second, concat(walkOf(second, 20), nested(second, 20), walkOf(second, 29)));
  await turns();
  assert.equal(got, []);
  const early = hear(first, concat(walkOf(first, 10), nested(first, 10), walkOf(first, 19)));
  await turns();
  assert.equal(got, [10, 11, 12, 19, 20, 21, 22, 29]);
  assert.equal(
    [early.received, late.received].flat().filter((value) => value !== 'over'),
    got,
  );
  assert.is(shared.kept, 0);
});

test(
  'an error is reported at once, and buffered output is dropped',
  withTemporaryFiles(async (files) => {
    const { got, output } = end();
    const inFlight = createDrain();
    const line = lineTo(output, budget(memoryBytes - 1), inFlight);
    const [, second] = [line.join(), line.join()];
    const fault = new Error('no');
    const { received } = hear(
      second,
      concat(
        walkOf(second, 'kept in a file'),
        throwError(() => fault),
      ),
    );
    while (received.length === 0) await turns(1);
    await inFlight.idle();
    assert.equal([got, received, files()], [[], [fault], []]);
  }),
);

test(
  'a walk that leaves early leaves nothing',
  withTemporaryFiles(async (files) => {
    const { got, output } = end();
    const inFlight = createDrain();
    const shared = budget(memoryBytes - 1);
    const line = lineTo(output, shared, inFlight);
    const [, second] = [line.join(), line.join()];
    let isKept = false;
    const walk = concat(
      walkOf(second, 'kept in a file').pipe(
        finalize(() => {
          isKept = true;
        }),
      ),
      NEVER,
    );
    const { subscription } = hear(second, walk);
    while (!isKept) await turns(1);
    assert.is(files().filter((name) => name.endsWith('held')).length, 1);
    subscription.unsubscribe();
    await inFlight.idle();
    assert.equal([got, files(), shared.kept], [[], [], memoryBytes - 1]);
  }),
);

test.run();
