import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  batchOf,
  filterItems,
  mapExact,
  mapItems,
  type Transform,
  tapBatches,
  tapItems,
} from '../../../sinks/index.js';
import { ExactNumber } from '../../../src/core/json/exact.js';
import { createBatch } from '../../../src/core/model/batch.js';
import { calm, rejection, turns } from '../lib.js';

/** Text that JSON.parse and JSON.stringify would not give back. */
const exact = ['{"id":1000000000000000001,"n":1}', '{"id":1.0,"n":2}', '{"2":0,"1":0,"n":3}', '"\\u0041"', 'null'];

/** A batch of lines as they are. */
function batchOfLines(lines: readonly string[]) {
  const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
  const offsets = new Uint32Array(lines.length + 1);
  for (const [index, line] of lines.entries()) offsets[index + 1] = (offsets[index] ?? 0) + Buffer.byteLength(line) + 1;
  const place = { job: 'users', dataType: 'users', run: 'r', walk: '0', page: 0 };
  return createBatch(place, { bytes: new Uint8Array(bytes), offsets, count: lines.length }, 0);
}

/** The lines that come out, read by the offsets. */
async function apply(transform: Transform, lines: readonly string[] = exact): Promise<readonly string[]> {
  const { bytes, offsets, count } = await transform(batchOfLines(lines), calm);
  assert.is(offsets.length, count + 1);
  assert.is(offsets[count], bytes.length);
  return Array.from({ length: count }, (_, index) =>
    Buffer.from(bytes.subarray(offsets[index], (offsets[index + 1] ?? 0) - 1)).toString(),
  );
}

type Row = { n?: number; more?: unknown } | string | null;
const nOf = (item: unknown) => (typeof item === 'object' && item !== null && 'n' in item ? item.n : undefined);

const keeping: readonly [what: string, transform: Transform, expected: readonly string[]][] = [
  ['a filter that keeps all', filterItems(() => true), exact],
  ['a filter that keeps some', filterItems((item) => nOf(item) !== 2), exact.filter((line) => !line.includes('1.0'))],
  ['a filter that keeps nothing', filterItems(() => false), []],
  ['an asynchronous filter', filterItems(async (item) => nOf(item) === 1), exact.slice(0, 1)],
  ['a map that returns the item', mapItems((item) => item), exact],
  ['a map by promises that returns the item', mapItems(async (item) => item), exact],
  ['an exact map that returns the item', mapExact((item) => item), exact],
  ['a look at items', tapItems(() => 'dropped'), exact],
  ['a look at batches', tapBatches(() => 'dropped'), exact],
];

for (const [what, transform, expected] of keeping) {
  test(`${what} leaves every byte of what it keeps`, async () => {
    assert.equal(await apply(transform), expected);
  });
}

test('a map writes what its function returns, and keeps the bytes of what comes back as it was', async () => {
  const found = await apply(mapItems((item: unknown) => (nOf(item) === 2 ? { n: 20, at: new Date(0) } : item)));
  assert.equal(found, [exact[0], '{"n":20,"at":"1970-01-01T00:00:00.000Z"}', ...exact.slice(2)]);
});

test('a map notices an item that was changed in place', async () => {
  const found = await apply(
    mapItems((item: unknown) => {
      const row = item as Row; // of the lines above
      if (typeof row === 'object' && row?.n === 3) row.more = true;
      return row;
    }),
  );
  assert.equal(found, [exact[0], exact[1], '{"1":0,"2":0,"n":3,"more":true}', exact[3], exact[4]]);
});

test('an exact map changes a member and keeps the digits of the others', async () => {
  const found = await apply(
    mapExact((item) =>
      item instanceof Map && item.has('id') ? new Map([...item, ['n', new ExactNumber('1e400')]]) : item,
    ),
  );
  assert.equal(found.slice(0, 2), ['{"id":1000000000000000001,"n":1e400}', '{"id":1.0,"n":1e400}']);
  assert.equal(found.slice(2), exact.slice(2));
});

const unwritable: readonly [what: string, value: unknown, message: RegExp][] = [
  ['undefined', undefined, /item 1 of a batch of "users".*undefined/],
  ['a function', () => {}, /function/],
  ['a bigint', { id: 1n }, /BigInt/],
];

for (const [what, value, message] of unwritable) {
  test(`a map that returns ${what} is an error that says so`, async () => {
    await rejection(apply(mapItems(() => value)), 'ERR_SINK', message);
  });
}

test('promises are waited for one at a time, or as many as asked for, and the order stays', async () => {
  for (const concurrency of [1, 3]) {
    const lines = ['1', '2', '3', '4', '5', '6'];
    let now = 0;
    let most = 0;
    const work = async (n: number) => {
      now += 1;
      most = Math.max(most, now);
      await turns(7 - n); // The later, the sooner done.
      now -= 1;
      return n * 10;
    };
    const found = await apply(mapItems(work, { concurrency }) as Transform, lines); // the lines are numbers
    assert.equal(found, ['10', '20', '30', '40', '50', '60']);
    assert.is(most, concurrency);
  }
});

test('a failure ends the work', async () => {
  const seen: unknown[] = [];
  const fault = new Error('no');
  const failing = tapItems((item) => {
    seen.push(item);
    throw fault;
  });
  assert.is(await apply(failing, ['1', '2', '3']).catch((thrown: unknown) => thrown), fault);
  assert.equal(seen, [1]);
});

test('refuses a concurrency that is none', async () => {
  for (const concurrency of [0, 1.5, Number.NaN]) {
    await rejection(apply(tapItems(() => {}, { concurrency })), 'ERR_USAGE', /concurrency/);
  }
});

test('leaves the batch that it was given as it is', async () => {
  const batch = batchOf('users', [{ n: 1 }, { n: 2 }]);
  const before = Buffer.from(batch.bytes).toString();
  await mapItems(() => 1)(batch, calm);
  assert.is(Buffer.from(batch.bytes).toString(), before);
});

test.run();
