import type { FileHandle } from 'node:fs/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { writeAll } from '../../../src/core/util/write-all.js';

/** A file that takes so many bytes at a time, and how it was asked. */
function taking(most: number) {
  const taken: (readonly [position: number, text: string])[] = [];
  const write = async (bytes: Uint8Array, offset: number, length: number, position: number) => {
    const bytesWritten = Math.min(most, length);
    taken.push([position, Buffer.from(bytes.subarray(offset, offset + bytesWritten)).toString()]);
    return { bytesWritten };
  };
  return { taken, handle: { write } as unknown as FileHandle }; // it is asked for nothing else
}

test('continues after a partial write', async () => {
  const { taken, handle } = taking(3);
  await writeAll(handle, Buffer.from('abcdefg'), 10);
  assert.equal(taken, [
    [10, 'abc'],
    [13, 'def'],
    [16, 'g'],
  ]);
});

test('a system that takes no more bytes is a failure, not a wait', async () => {
  const { handle } = taking(0);
  const outcome = await writeAll(handle, Buffer.from('a'), 0).then(
    () => 'written',
    ({ message }) => message,
  );
  assert.is(outcome, 'the system accepts no more bytes');
});

test('no bytes are no write', async () => {
  const { taken, handle } = taking(0);
  await writeAll(handle, new Uint8Array(), 5);
  assert.equal(taken, []);
});

test.run();
