import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isLent, lend, owned, retain } from '../../../src/core/util/lent-memory.js';

const lent = () => {
  const bytes = Buffer.from(new ArrayBuffer(8), 0, 4).fill('abcd');
  let freed = 0;
  const done = lend(bytes, () => {
    freed += 1;
  });
  return { bytes, done, freed: () => freed };
};

test('memory is free when its owner and all who retained it are done', () => {
  const { bytes, done, freed } = lent();
  const release = retain(bytes.subarray(1, 2));
  done();
  assert.equal([isLent(bytes), freed()], [true, 0]);
  release?.();
  assert.equal([isLent(bytes), freed()], [false, 1]);
  assert.is(retain(bytes), undefined);
});

test('a part of lent bytes is copied, others are not', () => {
  const { bytes } = lent();
  const copy = owned(bytes.subarray(2));
  bytes.fill('x');
  assert.is(Buffer.from(copy).toString(), 'cd');
  const plain = Buffer.from('plain');
  assert.is(owned(plain), plain);
  assert.is(retain(plain), undefined);
});

test('lent memory is kept instead of a copy of most of it, and is never free then', () => {
  const bytes = Buffer.from(new ArrayBuffer(8)).fill('abcdefgh');
  let freed = 0;
  const done = lend(bytes, () => (freed += 1));
  const release = retain(bytes);
  const few = owned(bytes.subarray(0, 5));
  assert.is.not(few.buffer, bytes.buffer, 'a small part does not hold all of it');
  assert.is(isLent(bytes), true);
  assert.is(owned(bytes.subarray(1)).buffer, bytes.buffer);
  assert.is(isLent(bytes), false);
  done();
  release?.();
  assert.is(freed, 0);
});

test('the same memory is lent again after it was free', () => {
  const { bytes, done } = lent();
  done();
  let freed = 0;
  lend(bytes, () => {
    freed += 1;
  })();
  assert.is(freed, 1);
});

test.run();
