import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseExact } from '../../../src/core/json/exact-parse.js';
import { automaticRows } from '../../../src/core/tables/automatic-rows.js';
import { createStructure } from '../../../src/core/tables/structure.js';
import { planTables } from '../../../src/core/tables/table-plan.js';

type Written = Readonly<Record<string, readonly (readonly string[])[]>>;

/** The tables of these items: for each its header and its rows. */
function tablesOf(texts: readonly string[], columns: Readonly<Record<string, string>> = {}, level = 3): Written {
  const items = texts.map((text) => parseExact(text));
  const structure = createStructure('x');
  for (const item of items) structure.grow(item);
  const written = new Map<string, (readonly string[])[]>();
  const output = {
    table(name: string, header: readonly string[]) {
      const rows: (readonly string[])[] = [header];
      written.set(name, rows);
      return (cells: readonly string[]) => void rows.push(cells);
    },
  };
  const adding = { added: Object.keys(columns), names: new Map(), overwrites: level === 1 };
  const write = automaticRows(planTables('x', structure.root), adding, output);
  for (const item of items) write(item, new Map(Object.entries(columns)));
  return Object.fromEntries(written);
}

const failureOf = (...texts: readonly string[]): string => {
  try {
    tablesOf(texts);
    return 'none';
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : '';
  }
};

test('members of objects are columns, in the order in which they were first seen', () => {
  assert.equal(tablesOf(['{"o":{"k":1},"z":2}', '{"y":3,"o":{"j":4}}']), {
    x: [
      ['o_k', 'o_j', 'z', 'y'],
      ['1', '', '2', ''],
      ['', '4', '', '3'],
    ],
  });
});

test('the id of a row with a list is the hash of the row', () => {
  const id = 'x_3e14b6a7761444b347f2627f19595628';
  assert.equal(tablesOf(['{"id":1,"t":[{"k":1}]}']), {
    x: [
      ['id', 't'],
      ['1', id],
    ],
    x_t: [
      ['k', 'JSON_parentId'],
      ['1', id],
    ],
  });
});

test('a single value beside lists of its kind is a list of itself; its owner is hashed with the row', () => {
  const id = 'x.o_7fe247e0e86053cd28991b72521445fd';
  const { x, x_o_t: list } = tablesOf(['{"o":{"t":"a"}}', '{"o":{"t":["b"]}}']);
  assert.equal(x?.[1], [id]);
  assert.equal(list?.slice(0, 2), [
    ['data', 'JSON_parentId'],
    ['a', id],
  ]);
});

test('null changes no kind: elements before it keep their columns', () => {
  const { x_tags: list } = tablesOf(['{"id":1,"tags":["a","b"]}', '{"id":2,"tags":null}']);
  assert.equal(
    list?.map(([cell]) => cell),
    ['data', 'a', 'b'],
  );
});

test('an empty list is a column without a table, and an empty object is none', () => {
  assert.equal(tablesOf(['{"a":1,"e":[],"o":{}}']), {
    x: [
      ['a', 'e'],
      ['1', ''],
    ],
  });
});

test('single items have the column data; a list in a list is its JSON text', () => {
  assert.equal(tablesOf(['"a"', 'null', '5']), { x: [['data'], ['a'], [''], ['5']] });
  assert.equal(tablesOf(['[1,2]']), { x: [['data'], ['[1,2]']] });
});

test('names that would be one column get numbers, in the order of first sight; objects take names too', () => {
  const { x } = tablesOf(['{"a b":1,"a.b":2,"a":{"b":3},"a_b":4}']);
  assert.equal(x?.[0], ['a_b', 'a_b_u0', 'a_b_u1', 'a_b_u2']);
});

test('an added column gives way to a member of its name, and tables that follow do the same', () => {
  assert.equal(tablesOf(['{"tag":"own"}'], { tag: 'added' }), {
    x: [
      ['tag', 'tag_u0'],
      ['own', 'added'],
    ],
  });
});

test('with compatLevel 1 an added column replaces the member, and an empty column has the MD5 of its name', () => {
  assert.equal(tablesOf(['{"tag":"own"}'], { tag: 'added' }, 1), {
    x: [
      ['tag', 'e4d23e841d8e8804190027bce3180fa5'],
      ['added', ''],
    ],
  });
});

test('`__proto__` is a member like any other', () => {
  assert.equal(tablesOf(['{"__proto__":{"x":1}}']), { x: [['proto_x'], ['1']] });
});

const misfits: readonly (readonly [string, string, RegExp])[] = [
  ['{"a":1}', '{"a":{}}', /"a" of "x" is an object, and was a single value/],
  ['{"a":{"b":1}}', '{"a":["c"]}', /"a" of "x" is a single value, and was an object|was a single value/],
  ['{"a":1}', '{"a":[{"b":1}]}', /"a" of "x"/],
  ['1', '{"a":1}', /an item of "x" is an object, and was a single value/],
];

for (const [first, second, message] of misfits) {
  test(`${first} before ${second} fits no table`, () => assert.match(failureOf(first, second), message));
}

test.run();
