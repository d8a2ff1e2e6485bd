/** Memory for bytes: it is used again when its loan has ended and no call retains it. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type BytePool, createBytePool, createBytes } from '../../sinks/growing-bytes.js';
import { retain } from '../../src/core/util/lent-memory.js';

function written(pool: BytePool, text: string) {
  const bytes = createBytes(100, pool);
  bytes.copy(Buffer.from(text), 0, text.length);
  const taken = bytes.take();
  return { taken, end: pool.lend(taken) };
}

test('memory is used again after its loan, not before', () => {
  const pool = createBytePool();
  const first = written(pool, 'first');
  const second = written(pool, 'second');
  assert.is(String(first.taken), 'first');
  first.end();
  const third = written(pool, 'third');
  assert.is(third.taken.buffer, first.taken.buffer);
  assert.is(String(second.taken), 'second');
});

test('memory that is retained is not used again before its release', () => {
  const pool = createBytePool();
  const { taken, end } = written(pool, 'first');
  const release = retain(taken);
  end();
  assert.is.not(written(pool, 'second').taken.buffer, taken.buffer);
  assert.is(String(taken), 'first');
  release?.();
  assert.is(written(pool, 'third').taken.buffer, taken.buffer);
});

test('what is too small for the bytes stays for others, and bytes that outgrow theirs are whole', () => {
  const pool = createBytePool();
  const { taken, end } = written(pool, 'first');
  end();
  const large = createBytes(200, pool);
  assert.is.not(large.take().buffer, taken.buffer);
  const text = 'x'.repeat(150);
  assert.is(String(written(pool, text).taken), text);
});

test('memory of more than 4 MiB is not kept', () => {
  const pool = createBytePool();
  const size = 5 * 1024 * 1024;
  const bytes = createBytes(size, pool).take();
  pool.lend(bytes)();
  assert.is.not(createBytes(size, pool).take().buffer, bytes.buffer);
});

test.run();
