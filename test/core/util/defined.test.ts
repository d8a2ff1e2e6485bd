import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { combine, combineList, defined } from '../../../src/core/util/defined.js';

test('defined drops undefined members and keeps all other values', () => {
  assert.equal(defined({ a: undefined, b: null, c: 0, d: '', e: false }), { b: null, c: 0, d: '', e: false });
  assert.equal(Object.keys(defined({ a: undefined })), []);
});

test('combine returns the parts only if all of them are defined', () => {
  assert.equal(combine({ a: null, b: 0 }), { a: null, b: 0 });
  assert.is(combine({ a: 1, b: undefined }), undefined);
  assert.equal(combine({}), {});
});

test('combineList returns the list only if all elements are defined', () => {
  assert.equal(combineList([1, null]), [1, null]);
  assert.is(combineList([1, undefined]), undefined);
  assert.equal(combineList([]), []);
});

test.run();
