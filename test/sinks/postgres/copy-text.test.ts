/** Rows in the text format of COPY, which PostgreSQL reads: escapes, values that are not there, and JSON. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type CopiedColumn, copyText } from '../../../sinks/postgres/copy-text.js';
import { createLeafReader, type ReadRows } from '../../../sinks/tables/leaves.js';

const plain = (index: number): CopiedColumn => ({ index, isJson: false });
const json = (index: number): CopiedColumn => ({ index, isJson: true });

const leaves = () => createLeafReader({ nameOf: (path) => path.join('.'), what: 'the table' });

const rowsOf = (...items: readonly unknown[]): ReadRows =>
  leaves().read(items.map((item) => Buffer.from(`${JSON.stringify(item)}\n`)));

const textOf = (rows: ReadRows, ...columns: readonly CopiedColumn[]) =>
  Buffer.concat([...copyText(rows, columns)]).toString();

test('a text has its characters, with those escaped that COPY takes for its own', () => {
  const rows = rowsOf({ a: 'x\ty\nz\rw', b: '\\N', c: 'é😀"' }, { a: '\\\t\\n', b: '\\\\' });
  assert.is(textOf(rows, plain(0), plain(1), plain(2)), 'x\\ty\\nz\\rw\t\\\\N\té😀"\n\\\\\\t\\\\n\t\\\\\\\\\t\\N\n');
});

test('as JSON a text keeps its quotes and escapes, and each backslash is twice', () => {
  const rows = rowsOf({ a: 'x\n"', b: ['\\', 1], c: true }, { a: 'y' });
  assert.is(textOf(rows, json(0), plain(1), json(2)), String.raw`"x\\n\\""	["\\\\",1]	true${'\n'}"y"	\N	\N${'\n'}`);
});

test('many rows are several chunks, none has none', () => {
  const lines = Array.from({ length: 401 }, (_, n) => `{"n":${n}}\n`).join('');
  const rows = leaves().read([Buffer.from(lines)]);
  assert.is([...copyText(rows, [plain(0)])].length, 3);
  assert.is(textOf(rows, plain(0)), Array.from({ length: 401 }, (_, n) => `${n}\n`).join(''));
  assert.equal([...copyText(leaves().read([]), [plain(0)])], []);
});

test.run();
