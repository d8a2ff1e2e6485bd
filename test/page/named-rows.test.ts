import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { memory } from '../../sinks/index.js';
import { guessedFormat } from '../../src/core/model/response-format.js';
import { sourceOf } from '../../src/core/util/byte-source.js';
import type { WalkMemory } from '../../src/page/formats/body-format.js';
import { type PageOptions, readPage } from '../../src/page/read-page.js';
import { rejection } from '../sinks/lib.js';
import { pageOptions, writerOf } from './lib.js';

async function* inChunks(text: string, size: number): AsyncIterable<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** Reads a body whose names are at `columns`, and its rows at `rows`. */
async function read(body: string, size = 7, given: Partial<PageOptions> = {}, before: WalkMemory = {}) {
  const sink = memory();
  const result = await readPage(sourceOf(inChunks(body, size)), writerOf({ sink }), {
    ...pageOptions,
    dataField: { kind: 'path', segments: ['rows'], text: 'rows' },
    format: { options: { ...guessedFormat, columns: 'columns' }, memory: before, warn: () => {} },
    ...given,
  });
  return { items: sink.items(), result };
}

const rows = '[[1, "a,]"], [2.50, {"x": ["y"]}], [null, []]]';
const items = [
  { id: 1, 'a "b"': 'a,]' },
  { id: 2.5, 'a "b"': { x: ['y'] } },
  { id: null, 'a "b"': [] },
];
const names = '["id", "a \\"b\\""]';

test('rows get the names of the list beside them, before or after them, in chunks of every size', async () => {
  for (const size of [1, 2, 3, 5, 7, 1000]) {
    for (const body of [`{"columns": ${names}, "rows": ${rows}}`, `{"rows": ${rows}, "columns": ${names}}`]) {
      const found = await read(body, size);
      assert.equal(found.items, items, `chunks of ${size}: ${body}`);
      assert.is(found.result.count, 3);
    }
  }
});

test('every digit of a value stays, and the page counts the bytes of its objects', async () => {
  const sink = memory();
  const lines: string[] = [];
  const write = async (batch: { readonly bytes: Uint8Array }) => void lines.push(Buffer.from(batch.bytes).toString());
  const { bytes } = await readPage(
    sourceOf(inChunks('{"columns":["n"],"rows":[[1.10],[12345678901234567890]]}', 9)),
    writerOf({ sink: { ...sink, write } }),
    {
      ...pageOptions,
      dataField: { kind: 'path', segments: ['rows'], text: 'rows' },
      format: { options: { ...guessedFormat, columns: 'columns' }, memory: {}, warn: () => {} },
    },
  );
  assert.is(lines.join(''), '{"n":1.10}\n{"n":12345678901234567890}\n');
  assert.is(bytes, lines.join('').length);
});

test('names may be objects that have one, deeper in the response; no rows need no names', async () => {
  const options = { ...guessedFormat, columns: 'meta.fields' };
  const format = { options, memory: {}, warn: () => {} };
  const body = '{"meta":{"fields":[{"name":"id","type":"int"},{"name":"n"}]},"rows":[[1,2]]}';
  assert.equal((await read(body, 5, { format })).items, [{ id: 1, n: 2 }]);
  assert.equal((await read('{"rows":[]}')).items, []);
  assert.equal((await read('{"columns":[],"rows":[[]]}')).items, [{}]);
});

const faults: readonly (readonly [what: string, body: string, says: RegExp])[] = [
  ['rows without names', '{"rows":[[1]]}', /no list of names at "columns"/],
  ['names that are no list', '{"columns":"id","rows":[[1]]}', /no list of names at "columns"/],
  ['a name that is none', '{"columns":["id",5],"rows":[[1,2]]}', /no name at "columns", place 1 \(from 0\)/],
  ['a name twice', '{"columns":["id","n","id"],"rows":[[1,2,3]]}', /the name "id" twice at "columns"/],
  [
    'a longer row',
    '{"columns":["id"],"rows":[[1],[1,2]]}',
    /item 1 of the page \(from 0\) has 2 values, and "columns" has 1 names/,
  ],
  [
    'a shorter row',
    '{"columns":["id","n"],"rows":[[1]]}',
    /item 0 of the page \(from 0\) has 1 value, and "columns" has 2 names/,
  ],
  ['a row that is no list', '{"rows":[[1],{"id":2}],"columns":["id"]}', /item 1 of the page \(from 0\) is not a list/],
];

for (const [what, body, says] of faults) {
  test(`${what} end the page`, async () => {
    for (const size of [3, 1000]) await rejection(read(body, size), 'ERR_COLUMNS', says);
  });
}

test('of two lists of names the last one counts, or the page ends', async () => {
  const body = (count: number) =>
    `{"columns":["id"],"rows":[${Array.from({ length: count }, () => '["xxxxx"]').join()}],"columns":["n"]}`;
  assert.equal((await read(body(1), 1000)).items, [{ n: 'xxxxx' }]);
  await rejection(read(body(20), 3), 'ERR_COLUMNS', /two lists of names at "columns"/);
});

test('pages of a walk have the same names, in any order', async () => {
  const walk: WalkMemory = {};
  await read('{"columns":["id","n"],"rows":[[1,2]]}', 7, {}, walk);
  const format = { options: { ...guessedFormat, columns: 'columns' }, memory: walk, warn: () => {} };
  assert.equal((await read('{"columns":["n","id"],"rows":[[1,2]]}', 7, { format })).items, [{ n: 1, id: 2 }]);
  const differ = /the names at "columns" differ from those of the page before it: without "n", with the new "m"$/;
  await rejection(read('{"columns":["id","m"],"rows":[[1,2]]}', 7, { format }), 'ERR_COLUMNS', differ);
});

test('rows before their names wait in memory up to the size of an item', async () => {
  const body = `{"rows":[${Array.from({ length: 40 }, () => '["xxxxxxxxxx"]').join()}],"columns":["a"]}`;
  await rejection(read(body, 50, { maxItemBytes: 100 }), 'ERR_COLUMNS', /more than 100 bytes of rows before the names/);
});

test.run();
