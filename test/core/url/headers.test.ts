/** How headers are merged. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Headers } from '../../../src/core/model/request.js';
import {
  fillHeaders,
  hasHeader,
  headerValues,
  overlayHeaders,
  replaceHeaders,
  withHeader,
  withoutHeader,
} from '../../../src/core/url/headers.js';

const headers: Headers = new Map([
  ['X-A', ['1', '2']],
  ['x-a', ['3']],
  ['B', ['4']],
]);
const over: Headers = new Map([['X-a', ['new']]]);

test('names are compared without case', () => {
  assert.equal(headerValues(headers, 'x-A'), ['1', '2', '3']);
  assert.ok(hasHeader(headers, 'b'));
  assert.not(hasHeader(headers, 'c'));
  assert.equal([...withoutHeader(headers, 'X-A').keys()], ['B']);
});

test('a header replaces every spelling of its name', () => {
  assert.equal(
    [...withHeader(headers, 'X-a', 'new')],
    [
      ['B', ['4']],
      ['X-a', ['new']],
    ],
  );
  assert.equal(
    [...replaceHeaders(headers, over)],
    [
      ['B', ['4']],
      ['X-a', ['new']],
    ],
  );
});

test('an overlay replaces by exact spelling', () => {
  assert.equal([...overlayHeaders(headers, over).keys()], ['X-A', 'x-a', 'B', 'X-a']);
  assert.equal(overlayHeaders(headers, new Map([['B', ['5']]])).get('B'), ['5']);
});

test('spare headers are added only if missing in any spelling', () => {
  const spare: Headers = new Map([
    ['b', ['spare']],
    ['C', ['spare']],
  ]);
  assert.equal([...fillHeaders(headers, spare).keys()], ['X-A', 'x-a', 'B', 'C']);
});

test.run();
