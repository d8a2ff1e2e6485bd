import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createSpillBuffer, type SpillBuffer } from '../../../src/page/buffer/spill-buffer.js';
import { withTemporaryFiles } from '../lib.js';

const pieces = ['one', 'two', 'three'];

async function filled(limit: number): Promise<SpillBuffer<number>> {
  const spill = createSpillBuffer<number>((size) => size <= limit);
  for (const [index, piece] of pieces.entries()) await spill.add(Buffer.from(piece), index);
  return spill;
}

async function allOf(spill: SpillBuffer<number>): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const { bytes, about } of spill.all()) found.push(`${about} ${Buffer.from(bytes).toString()}`);
  return found;
}

const whole = ['0 one', '1 two', '2 three'];

for (const [limit, files] of [
  [11, 0],
  [10, 1],
  [3, 1],
  [0, 1],
] as const) {
  test(
    `returns all in order, any number of times, with ${limit} bytes in memory`,
    withTemporaryFiles(async (list) => {
      const spill = await filled(limit);
      assert.is(list().filter((name) => name.endsWith('held')).length, files);
      assert.is(spill.size, 11);
      assert.equal(await Promise.all([allOf(spill), allOf(spill)]), [whole, whole]);
      await spill.clear();
      assert.equal(list(), [], 'cleared, the file is gone');
      assert.equal([spill.size, ...(await allOf(spill))], [0]);
    }),
  );
}

test(
  'after a slab that did not fit all go to the file, even smaller ones',
  withTemporaryFiles(async () => {
    const asked: number[] = [];
    const spill = createSpillBuffer<number>((size) => {
      asked.push(size);
      return size !== 6;
    });
    for (const [index, piece] of pieces.entries()) await spill.add(Buffer.from(piece), index);
    assert.equal(asked, [3, 6]);
    assert.equal(await allOf(spill), whole);
    await spill.clear();
  }),
);

test(
  'cleared while it is read, it returns nothing more from the file',
  withTemporaryFiles(async (list) => {
    const spill = await filled(0);
    for await (const { about } of spill.all()) {
      assert.is(about, 0);
      await spill.clear();
    }
    assert.equal(list(), []);
  }),
);

test(
  'can begin again when it has been cleared',
  withTemporaryFiles(async () => {
    const spill = await filled(3);
    await spill.clear();
    await spill.add(Buffer.from('new'), 7);
    assert.equal(await allOf(spill), ['7 new']);
    await spill.clear();
  }),
);

test.run();
