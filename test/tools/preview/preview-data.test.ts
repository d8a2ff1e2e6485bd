/** A page of `preview --json`: plain data, all of it masked. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { previewData } from '../../../src/tools/preview/preview-data.js';
import type { PreviewedPage } from '../../../src/tools/preview/preview-text.js';

const request = { method: 'GET', url: 'http://h.example/', trusted: true, values: [] };
const member = (text: string, isCut = false) => ({ type: 'text', form: 0 as const, text, isCut });
const page = (more: object = {}, items: PreviewedPage['items'] = []): PreviewedPage => ({
  job: 'users',
  index: 1,
  count: 3,
  bytes: 30,
  requests: 1,
  retries: 0,
  items,
  page: { request, head: { status: 200, headers: { a: 'x', link: ['hidden', 'y'] } }, next: request, ...more },
});
const mask = (text: string) => text.replaceAll('hidden', '***');

test('values are cells by field, masked, and marked where they are cut', () => {
  const items = [
    new Map([
      ['id', member('hidden')],
      ['name', member('Ad', true)],
    ]),
    new Map([['id', member('2')]]),
    new Map([['id', member('3')]]),
  ];
  const data = previewData(page({}, items), 2, mask);
  assert.equal(data.rows, [
    ['***', 'Ad...'],
    ['2', null],
  ]);
  assert.equal(
    data.fields.map(({ name, count }) => [name, count]),
    [
      ['id', 3],
      ['name', 1],
    ],
  );
  assert.equal([data.page, data.items, data.headers], [2, 3, { a: 'x', link: '***, y' }]);
  assert.equal(data.next, request);
});

test('a body is its beginning, if it is a text', () => {
  const bodyOf = (body?: Buffer) => previewData(page(body && { body }), 1, mask).body;
  assert.is(bodyOf(), undefined);
  assert.is(bodyOf(Buffer.from([0xff, 0xfe])), undefined);
  assert.is(bodyOf(Buffer.from('a hidden word')), 'a *** word');
  assert.is(bodyOf(Buffer.from('x'.repeat(20_001)))?.length, 20_003);
});

test('the end of a pagination is masked too', () => {
  assert.equal(previewData(page({ next: { stop: 'hidden is empty' } }), 1, mask).next, { stop: '*** is empty' });
});

test.run();
