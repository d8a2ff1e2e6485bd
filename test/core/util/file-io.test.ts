import type { FileHandle } from 'node:fs/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readAll, writeAll } from '../../../src/core/util/file-io.js';

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

/** A file that returns so many bytes of its text at a time. */
const giving = (text: string, most: number) => {
  const bytes = Buffer.from(text);
  const read = async (target: Uint8Array, offset: number, length: number, position: number) => {
    const part = bytes.subarray(position, position + Math.min(most, length));
    target.set(part, offset);
    return { bytesRead: part.length };
  };
  return { read } as unknown as FileHandle; // nothing else is called
};

test('continues after a partial read, up to the end of the file', async () => {
  const [all, short] = [Buffer.alloc(5), Buffer.alloc(5)];
  assert.is(await readAll(giving('abcdefg', 2), all, 1), 5);
  assert.is(all.toString(), 'bcdef');
  assert.is(await readAll(giving('abcdefg', 2), short, 4), 3);
});

test.run();
