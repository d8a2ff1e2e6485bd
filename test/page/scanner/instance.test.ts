/** Instances of the scanner are used again: pages side by side must not make new ones for ever. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { compileScanner, createPool } from '../../../src/page/scanner/instance.js';

test('a hundred instances taken at once all serve again', () => {
  const pool = createPool();
  const taken = Array.from({ length: 100 }, () => pool.take());
  assert.is(new Set(taken).size, 100);
  for (const instance of taken) pool.give(instance);
  const again = Array.from({ length: 100 }, () => pool.take());
  assert.equal(new Set(again), new Set(taken));
});

test('the scanner is compiled once', () => {
  assert.is(compileScanner(), compileScanner());
});

test('instances beyond the memory limit are dropped', () => {
  const size = createPool().take().calls.memory.buffer.byteLength;
  const pool = createPool(2 * size);
  const taken = Array.from({ length: 3 }, () => pool.take());
  for (const instance of taken) pool.give(instance);
  const again = Array.from({ length: 3 }, () => pool.take());
  assert.is(again.filter((instance) => taken.includes(instance)).length, 2);
});

test.run();
