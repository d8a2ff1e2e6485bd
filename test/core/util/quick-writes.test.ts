import { readFileSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createQuickWrites, openQuick, type QuickFile, type WriteNow } from '../../../src/core/util/quick-writes.js';
import { inFolder } from '../../sinks/lib.js';

const fileWith = (writeNow: WriteNow): QuickFile => ({ writeNow }) as unknown as FileHandle; // only this is used

/** A file that takes so many bytes at a time. */
function taking(most: number) {
  const taken: (readonly [position: number, text: string])[] = [];
  const file = fileWith((bytes, offset, length, position) => {
    const part = bytes.subarray(offset, offset + Math.min(most, length));
    taken.push([position, Buffer.from(part).toString()]);
    return part.length;
  });
  return { taken, file };
}

test('continues after a partial write', () => {
  const { taken, file } = taking(3);
  assert.is(createQuickWrites().write(file, Buffer.from('abcdefg'), 10), true);
  assert.equal(taken, [
    [10, 'abc'],
    [13, 'def'],
    [16, 'g'],
  ]);
});

test('fails if the system takes no more bytes', () => {
  const { file } = taking(0);
  assert.throws(() => createQuickWrites().write(file, Buffer.from('a'), 0), 'the system accepts no more bytes');
});

test('leaves large pieces, and files that cannot be written synchronously, to asynchronous writes', () => {
  const { taken, file } = taking(1e6);
  const quick = createQuickWrites();
  assert.is(quick.write(file, Buffer.alloc(64 * 1024 + 1), 0), false);
  assert.is(quick.write({} as unknown as FileHandle, Buffer.from('a'), 0), false);
  assert.equal(taken, []);
  assert.is(quick.write(file, Buffer.alloc(64 * 1024), 0), true);
});

test('after two slow writes in a row the next 200 are asynchronous', () => {
  let now = 0;
  let duration = 5;
  const file = fileWith((_, __, length) => {
    now += duration;
    return length;
  });
  const quick = createQuickWrites(() => now);
  const write = () => quick.write(file, Buffer.from('a'), 0);
  assert.is(write(), true);
  assert.is(write(), true, 'five ms are not slow');
  for (const each of [6, 0, 6, 0, 6, 6]) {
    duration = each;
    assert.is(write(), true);
  }
  duration = 0;
  const next = Array.from({ length: 201 }, write);
  assert.is(next.indexOf(true), 200);
  assert.is(write(), true);
});

test(
  'writes to an open file at a position',
  inFolder(async (dir) => {
    const path = join(dir, 'file');
    const file = await openQuick(path, 'wx', 0o600);
    const quick = createQuickWrites();
    assert.is(quick.write(file, Buffer.from('world'), 6), true);
    assert.is(quick.write(file, Buffer.from('hello '), 0), true);
    await file.close();
    assert.is(readFileSync(path, 'utf8'), 'hello world');
    assert.throws(() => quick.write(file, Buffer.from('x'), 0), /EBADF|fd/);
  }),
);

test.run();
