import { statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createSlabBuffer, type SlabBuffer } from '../../../src/page/buffer/slab-buffer.js';
import { itemsOf, slabOf, withTemporaryFiles } from '../lib.js';

const slabs = [slabOf('a', 'b'), slabOf('c'), slabOf({ d: 'č' }), slabOf('e')];

const upTo = (limit: number) => (size: number) => size <= limit;

async function drained(hold: SlabBuffer) {
  const items: unknown[] = [];
  for await (const slab of hold.drain()) {
    assert.is(slab.offsets.length, slab.count + 1);
    assert.is(slab.offsets.at(-1), slab.bytes.length);
    items.push(...itemsOf(slab));
  }
  return items;
}

for (const [limit, files] of [
  [1000, 0],
  [12, 1],
  [8, 1],
  [0, 1],
] as const) {
  test(
    `returns slabs in order, with ${limit} bytes in memory`,
    withTemporaryFiles(async (list) => {
      const hold = createSlabBuffer(upTo(limit));
      for (const slab of slabs) await hold.add(slab);
      assert.is(list().filter((name) => name.endsWith('held')).length, files);
      assert.equal(await drained(hold), ['a', 'b', 'c', { d: 'č' }, 'e']);
      assert.equal(list(), [], 'drained, the file is gone');
      assert.is(hold.size, 0);
    }),
  );
}

test(
  'returns how many bytes it holds, in memory and files',
  withTemporaryFiles(async () => {
    const hold = createSlabBuffer(upTo(8));
    await hold.add(slabOf('a', 'b'));
    await hold.add(slabOf('c'));
    assert.is(hold.size, 12);
    await hold.clear();
    assert.is(hold.size, 0);
  }),
);

test(
  'forgets all when cleared, and can begin again',
  withTemporaryFiles(async (list) => {
    const hold = createSlabBuffer(upTo(0));
    await hold.add(slabOf('old', 'older'));
    await hold.clear();
    assert.equal(list(), []);
    await hold.add(slabOf('new'));
    assert.equal(await drained(hold), ['new']);
    await hold.clear();
  }),
);

test(
  'keeps its file to its owner',
  withTemporaryFiles(async (list) => {
    const hold = createSlabBuffer(upTo(0));
    await hold.add(slabOf('a'));
    for (const name of list()) assert.is(statSync(join(tmpdir(), name)).mode & 0o077, 0, name);
    await hold.clear();
  }),
);

test(
  'can be cleared after a drain that was left half-way',
  withTemporaryFiles(async (list) => {
    const hold = createSlabBuffer(upTo(0));
    for (const slab of slabs) await hold.add(slab);
    for await (const slab of hold.drain()) {
      assert.equal(itemsOf(slab), ['a', 'b']);
      break;
    }
    await hold.clear();
    assert.equal(list(), []);
  }),
);

test(
  'holds nothing without a file',
  withTemporaryFiles(async () => assert.equal(await drained(createSlabBuffer(upTo(0))), [])),
);

test.run();
