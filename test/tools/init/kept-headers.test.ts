import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { headerOf, keptHeaders, withoutName } from '../../../src/tools/init/kept-headers.js';

test('leaves out headers of the connection, of copies and of browsers', () => {
  const headers = [
    [':authority', 'api.example'],
    ['Host', 'api.example'],
    ['Accept-Encoding', 'gzip'],
    ['If-None-Match', '"1"'],
    ['Range', 'bytes=0-1'],
    ['Sec-Fetch-Mode', 'cors'],
    ['sec-ch-ua', '"Chromium"'],
    ['DNT', '1'],
    ['Accept', 'application/json'],
    ['Sec-Api-Key', 'k'],
  ] as const;
  assert.equal(keptHeaders(headers), [
    ['Accept', 'application/json'],
    ['Sec-Api-Key', 'k'],
  ]);
});

test('joins cookies, and keeps the last of other headers of one name', () => {
  const headers = [
    ['cookie', 'a=1'],
    ['X-A', '1'],
    ['Cookie', 'b=2'],
    ['x-a', '2'],
  ] as const;
  assert.equal(keptHeaders(headers), [
    ['Cookie', 'a=1; b=2'],
    ['x-a', '2'],
  ]);
});

test('cuts a Referer to its origin', () => {
  assert.equal(keptHeaders([['Referer', 'https://app.example/a?code=1']]), [['Referer', 'https://app.example/']]);
  assert.equal(keptHeaders([['Referer', 'none']]), [['Referer', 'none']]);
});

test('finds and removes a header by its name in any case', () => {
  const headers = [['X-A', '1']] as const;
  assert.is(headerOf(headers, 'x-a'), '1');
  assert.is(headerOf(headers, 'x-b'), undefined);
  assert.equal(withoutName(headers, 'x-A'), []);
});

test.run();
