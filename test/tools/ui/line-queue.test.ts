/** Lines for one reader, in order. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { byLine, createLineQueue } from '../../../src/tools/ui/line-queue.js';

const readAll = async (lines: AsyncIterable<string>) => {
  const read: string[] = [];
  for await (const line of lines) read.push(line);
  return read;
};

test('a reader gets what was pushed before it, and what is pushed while it waits', async () => {
  const queue = createLineQueue<string>();
  queue.push('a');
  const reading = readAll(queue.read());
  await new Promise(setImmediate);
  queue.push('b');
  queue.push('c');
  queue.end();
  assert.equal(await reading, ['a', 'b', 'c']);
});

test('a failure comes after what was pushed, and an end after it does not count', async () => {
  const queue = createLineQueue<string>();
  const read: string[] = [];
  queue.push('a');
  queue.fail(new Error('broken'));
  queue.end();
  try {
    for await (const line of queue.read()) read.push(line);
    assert.unreachable();
  } catch (thrown) {
    assert.match(String(thrown), 'broken');
  }
  assert.equal(read, ['a']);
});

test('texts are cut into lines, wherever they break', () => {
  const lines: string[] = [];
  const take = byLine((line) => void lines.push(line));
  for (const text of ['a\nb', 'c', '\n\n', 'rest']) take(text);
  assert.equal(lines, ['a', 'bc', '']);
});

test.run();
