/** A first response that is a file, and one that says that it failed. */
import { gzipSync } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { stringifyExact } from '../../../src/core/json/exact.js';
import { parseIfJson } from '../../../src/core/json/exact-parse.js';
import { findConfiguration } from '../../../src/tools/init/run-init.js';
import { type Answer, json, type Reply, startApi } from '../../loopback/api.js';
import { failure } from '../../support/failure.js';

const usual = { maxRequests: 20 };

async function found(answer: Answer): Promise<string> {
  const api = await startApi(answer);
  try {
    const { text } = await findConfiguration([`${api.origin}/export`], usual);
    return text;
  } finally {
    await api.close();
  }
}

/** The `response` of the job; undefined: there is none. */
const responseIn = (text: string): unknown => {
  const written = /"response": (\{[^}]*\})/.exec(text)?.[1];
  const value = written === undefined ? undefined : parseIfJson(written);
  return value === undefined ? undefined : JSON.parse(stringifyExact(value));
};

const file =
  (body: string | Uint8Array, type = 'application/octet-stream'): Answer =>
  () => ({
    body,
    headers: { 'content-type': type },
  });

const rows = (between: string) => ['id,name', '1,a', '2,b', ''].join('\n').replaceAll(',', between);
const orders = '<orders><order id="1"><name>a</name></order><order id="2"><name>b</name></order></orders>';

const cases: readonly (readonly [string, Answer, unknown])[] = [
  ['CSV by its type', file(rows(','), 'text/csv'), { format: 'csv' }],
  ['CSV by its lines', file(rows(',')), { format: 'csv' }],
  ['a semicolon', file(rows(';'), 'text/csv'), { format: 'csv', delimiter: ';' }],
  ['a tab, in a plain text', file(rows('\t'), 'text/plain'), { format: 'csv', delimiter: '\t' }],
  [
    'quotes with delimiters and line ends',
    file('a;b\n"x;y\n,",1\n2;3\n'.replace('",1', '";1')),
    { format: 'csv', delimiter: ';' },
  ],
  ['one column, by its type', file('id\n1\n2\n', 'text/csv'), { format: 'csv' }],
  [
    'another encoding',
    file(Buffer.from('id,name\n1,é\n2,ü\n', 'latin1'), 'text/csv'),
    { format: 'csv', encoding: 'windows-1252' },
  ],
  ['a gzip file of CSV', file(gzipSync(rows('|'))), { format: 'csv', delimiter: '|' }],
  [
    'XML',
    file(`<?xml version="1.0"?>\n<!-- x -->\n${orders}`, 'application/xml'),
    { format: 'xml', element: 'orders.order' },
  ],
  [
    'XML of another type, with a list within',
    file(`<a.b><c>${orders}</c></a.b>`),
    { format: 'xml', element: ['a.b', 'c', 'orders', 'order'] },
  ],
  ['JSON', () => json([{ id: 1 }, { id: 2 }]), undefined],
  ['lines of JSON', file('{"id":1}\n{"id":2}\n', 'application/x-ndjson'), undefined],
];

for (const [what, answer, expected] of cases) {
  test(`recognises ${what}`, async () => {
    assert.equal(responseIn(await found(answer)), expected);
  });
}

test('a file with pages is paginated', async () => {
  const text = await found(({ target }) => {
    const query = new URL(target, 'http://h').searchParams;
    const [page, size] = [Number(query.get('page') ?? 1), Number(query.get('per_page') ?? 20)];
    const ids = Array.from({ length: 50 }, (_, at) => at + 1).slice((page - 1) * size, page * size);
    return file(`id,name\n${ids.map((id) => `${id},n${id}\n`).join('')}`, 'text/csv')(undefined as never, 0) as Reply;
  });
  assert.match(text, /"method": "pagenum"/);
  assert.equal(responseIn(text), { format: 'csv' });
});

const failures: readonly (readonly [string, Answer, RegExp])[] = [
  ['XML without a list', file('<a><b>1</b></a>'), /the XML document has no list/],
  ['XML that is invalid', file('<a><b>1</b>'), /invalid XML at line 1, in a: the document ends/],
  ['CSV that is invalid', file('a,a\n1,2\n', 'text/csv'), /the name "a" twice/],
  ['a page for people', file('<html><body>1</body></html>', 'text/html'), /answers with HTML/],
  ['bytes', file(Buffer.of(0, 1, 2, 0xff)), /answers with application\/octet-stream, no JSON/],
  ['gzip that is cut', file(gzipSync(rows(',')).subarray(0, 12)), /octet-stream, no JSON/],
  [
    'a failure',
    () => json({ status: 'failure', error: { message: 'no such user' }, items: [] }),
    /says that it failed, by its member "error": no such user/,
  ],
  [
    'a failure without a text',
    () => json({ success: false, data: [] }),
    /says that it failed, by its member "success"$/,
  ],
  ['an empty list', () => json({ status: 'ok', error: null, items: [] }), /the list at "items" is empty/],
];

for (const [what, answer, expected] of failures) {
  test(`${what} is an error that says what is wrong`, async () => {
    assert.match((await failure(found(answer))).message, expected);
  });
}

test('errors beside items are no failure', async () => {
  assert.match(await found(() => json({ errors: ['x'], items: [{ id: 1 }, { id: 2 }] })), /"dataField": "items"/);
});

test.run();
