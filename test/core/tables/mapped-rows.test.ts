import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseExact } from '../../../src/core/json/exact-parse.js';
import { mappedRows } from '../../../src/core/tables/mapped-rows.js';
import { headerOf, keyOf, type MappedEntry, type TableMapping, tablesOf } from '../../../src/core/tables/mapping.js';
import { md5 } from '../../../src/core/tables/safe-names.js';

const column = (path: string, isKey = false, isText = false): MappedEntry => ({
  type: 'column',
  path: path.split('.'),
  column: path,
  isKey,
  isText,
});

const list = (path: string, table: TableMapping, link?: string): MappedEntry => ({
  type: 'table',
  path: [path],
  table,
  ...(link === undefined ? {} : { link }),
});

/** The tables of an item: for each its header and its rows. */
function tablesFrom(mapping: TableMapping, text: string, columns: Readonly<Record<string, string>> = {}) {
  const written: Record<string, (readonly string[])[]> = {};
  const write = mappedRows(mapping, {
    table(name, header) {
      const rows: (readonly string[])[] = [header];
      written[name] = rows;
      return (cells) => void rows.push(cells);
    },
  });
  write(parseExact(text), new Map(Object.entries(columns)));
  return written;
}

const reference = { column: 'x_pk', isKey: false };
const itself: MappedEntry = { type: 'column', path: [''], column: 'tag', isKey: false, isText: false };
const tag: TableMapping = { name: 'tag', entries: [itself], parentKey: reference };

test('a row without a key is referred to by the MD5 of its item, and its link has the same', () => {
  const key = md5('O:8:"stdClass":1:{s:4:"tags";a:1:{i:0;s:1:"a";}}');
  assert.equal(tablesFrom({ name: 'x', entries: [list('tags', tag, 'tag')] }, '{"tags":["a"]}'), {
    x: [['tag'], [key]],
    tag: [
      ['tag', 'x_pk'],
      ['a', key],
    ],
  });
});

test('columns that the job adds are part of that MD5, and are mapped by their names', () => {
  const user: MappedEntry = { type: 'user', source: 'parent_o.id', column: 'owner', isKey: false };
  const mapping: TableMapping = { name: 'x', entries: [user, list('tags', tag, 'tag')] };
  const item = 'O:8:"stdClass":1:{s:4:"tags";a:1:{i:0;s:1:"a";}}';
  const { x } = tablesFrom(mapping, '{"tags":["a"]}', { 'parent_o.id': '7' });
  assert.equal(x?.[1], ['7', md5(`${item}a:1:{s:11:"parent_o.id";s:1:"7";}`)]);
});

test('with a primary key the reference has its values, in their order, the own reference last', () => {
  const inner: TableMapping = { name: 'z', entries: [column('v')], parentKey: { column: 'y_pk', isKey: false } };
  const middle: TableMapping = {
    name: 'y',
    entries: [column('k', true), list('z', inner)],
    parentKey: { column: 'x_pk', isKey: true },
  };
  const mapping: TableMapping = { name: 'x', entries: [column('id', true), list('y', middle)] };
  const written = tablesFrom(mapping, '{"id":1,"y":[{"k":7,"z":[{"v":"a"}]}]}');
  assert.equal(written.y, [
    ['k', 'x_pk'],
    ['7', '1'],
  ]);
  assert.equal(written.z, [
    ['v', 'y_pk'],
    ['a', '7,1'],
  ]);
  assert.equal(keyOf(middle), ['k', 'x_pk']);
  assert.equal(
    tablesOf(mapping).map(({ name }) => name),
    ['x', 'y', 'z'],
  );
});

for (const empty of ['[]', 'null', '""', '0', '"0"', 'false']) {
  test(`without a primary key ${empty} has no rows, and the link is empty`, () => {
    assert.equal(tablesFrom({ name: 'x', entries: [list('tags', tag, 'tag')] }, `{"tags":${empty}}`), {
      x: [['tag'], ['']],
    });
  });
}

test('with a primary key a missing list is one row with empty cells, and an empty list is none', () => {
  const mapping: TableMapping = { name: 'x', entries: [column('id', true), list('tags', tag)] };
  assert.equal(tablesFrom(mapping, '{"id":1}').tag, [
    ['tag', 'x_pk'],
    ['', '1'],
  ]);
  assert.equal(tablesFrom(mapping, '{"id":1,"tags":[]}'), { x: [['id'], ['1']] });
});

test('what is not a list is one row', () => {
  const part: TableMapping = { name: 'part', entries: [column('v')] };
  assert.equal(tablesFrom({ name: 'x', entries: [list('o', part)] }, '{"o":{"v":1}}').part, [['v'], ['1']]);
  assert.equal(tablesFrom({ name: 'x', entries: [list('o', part)] }, '{"o":{}}').part, [['v'], ['']]);
});

test('a column may be the JSON text of an object or a list; other values are as they are', () => {
  const mapping: TableMapping = { name: 'x', entries: [column('a', false, true), column('b', false, true)] };
  assert.equal(tablesFrom(mapping, '{"a":{"k":[1]},"b":"c"}').x?.[1], ['{"k":[1]}', 'c']);
});

test('a list where a single value is needed is an error that names the column', () => {
  assert.throws(
    () => tablesFrom({ name: 'x', entries: [column('a')] }, '{"a":[1]}'),
    /"a" is a list, and column "a" of/,
  );
});

test('a primary key is a single value', () => {
  const mapping: TableMapping = { name: 'x', entries: [column('a', true, true), list('tags', tag)] };
  assert.throws(
    () => tablesFrom(mapping, '{"a":{"b":1},"tags":[1]}'),
    /the value is an object, and the primary key "a" of "x"/,
  );
});

test('the header of a table without rows has no columns of links', () => {
  const mapping: TableMapping = { name: 'x', entries: [column('id'), list('tags', tag, 'tag')], parentKey: reference };
  assert.equal(headerOf(mapping), ['id', 'tag', 'x_pk']);
  assert.equal(headerOf(mapping, false), ['id', 'x_pk']);
});

test.run();
