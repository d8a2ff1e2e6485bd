import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createListSplitter, type SplitterOptions } from '../../../sinks/related-tables/list-rows.js';
import { itemAt } from '../../../src/core/model/batch.js';
import { rejection } from '../lib.js';
import { batchOfTexts } from '../table-runs.js';

const every = { depth: Number.POSITIVE_INFINITY, forms: new Map() };

const create = (options: Partial<SplitterOptions> = {}) =>
  createListSplitter({
    ...{ dataType: 'orders', rules: every, keys: [['id']], isAppending: false, isMarked: false, onTable: () => {} },
    ...options,
  });

/** The rows of items, by table. */
function rowsOf(texts: readonly string[], options: Partial<SplitterOptions> = {}): Record<string, readonly string[]> {
  const { items, lists } = create(options).split(batchOfTexts(texts, { dataType: 'orders' }));
  const linesOf = (rows: typeof items) =>
    Array.from({ length: rows.count }, (_, index) => itemAt(rows, index).slice(0, -1));
  return {
    orders: linesOf(items),
    ...Object.fromEntries(lists.map(({ table, rows }) => [table.dataType, linesOf(rows)])),
  };
}

test('a list is taken out wherever it is among the members, and its rows have key and place', () => {
  const rows = '"lines":[{"sku":"a"},{"sku":"b"}]';
  const lines = ['{"orders__id":1,"lines__position":0,"sku":"a"}', '{"orders__id":1,"lines__position":1,"sku":"b"}'];
  const cases: readonly (readonly [item: string, owner: string])[] = [
    [`{${rows},"id":1}`, '{"id":1}'],
    [`{"id":1,${rows}}`, '{"id":1}'],
    [`{"id":1,${rows},"x":"[,"}`, '{"id":1,"x":"[,"}'],
    [`{"id":1,${rows},"other":[]}`, '{"id":1}'],
    [`{"other":[],${rows},"id":1,"more":[]}`, '{"id":1}'],
    [`{"in":{"a":[]},"id":1,${rows}}`, '{"id":1}'],
    [`{"lines":[9],"id":1,${rows}}`, '{"id":1}'],
    [`{"id":1,"in":{"a":{"b":[]},"c":[]},"none":{},${rows}}`, '{"id":1,"none":{}}'],
    [`{"in":{"a":{"b":[]},"x":1,"c":[]},${rows},"id":1}`, '{"in":{"x":1},"id":1}'],
  ];
  for (const [item, owner] of cases) assert.equal(rowsOf([item]), { orders: [owner], orders__lines: lines }, item);
});

test('lists inside objects and lists are tables too, with the places of all elements around them', () => {
  assert.equal(rowsOf(['{"id":"x","a":{"b":[{"c":[true,null]},5]},"m":[[1,2],[],[[3]]]}']), {
    orders: ['{"id":"x"}'],
    orders__a__b: ['{"orders__id":"x","a__b__position":0}', '{"orders__id":"x","a__b__position":1,"value":5}'],
    orders__a__b__c: [
      '{"orders__id":"x","a__b__position":0,"a__b__c__position":0,"value":true}',
      '{"orders__id":"x","a__b__position":0,"a__b__c__position":1,"value":null}',
    ],
    orders__m: [0, 1, 2].map((at) => `{"orders__id":"x","m__position":${at}}`),
    orders__m__value: [
      '{"orders__id":"x","m__position":0,"m__value__position":0,"value":1}',
      '{"orders__id":"x","m__position":0,"m__value__position":1,"value":2}',
      '{"orders__id":"x","m__position":2,"m__value__position":0}',
    ],
    orders__m__value__value: [
      '{"orders__id":"x","m__position":2,"m__value__position":0,"m__value__value__position":0,"value":3}',
    ],
  });
});

test('depth and paths choose the lists that are tables; the others stay in their row', () => {
  const item = '{"id":1,"lines":[{"tags":["x"]}],"tags":[1]}';
  const two = { orders: ['{"id":1}'], orders__lines: ['{"orders__id":1,"lines__position":0}'] };
  const tags = { orders__tags: ['{"orders__id":1,"tags__position":0,"value":1}'] };
  const deep = { orders__lines__tags: ['{"orders__id":1,"lines__position":0,"lines__tags__position":0,"value":"x"}'] };
  assert.equal(rowsOf([item], { rules: { depth: 2, forms: new Map() } }), { ...two, ...tags, ...deep });
  const shallow = { ...two, orders__lines: ['{"orders__id":1,"lines__position":0,"tags":["x"]}'] };
  assert.equal(rowsOf([item], { rules: { depth: 1, forms: new Map() } }), { ...shallow, ...tags });
  const named = new Map([
    ['lines', 'table'],
    ['lines[].tags', 'table'],
  ] as const);
  assert.equal(rowsOf([item], { rules: { depth: 0, forms: named } }), {
    ...two,
    orders: ['{"id":1,"tags":[1]}'],
    ...deep,
  });
  const without = new Map([
    ['tags', 'json'],
    ['lines[].tags', 'json'],
  ] as const);
  assert.equal(rowsOf([item], { rules: { ...every, forms: without } }), {
    ...shallow,
    orders: ['{"id":1,"tags":[1]}'],
  });
});

test('a key has several members, which may come after the list, and escapes in names', () => {
  const keys = [['org', 'id'], ['n"']];
  assert.equal(rowsOf(['{"l":[0],"n\\"":1.50,"org":{"x":1,"id":"č"}}'], { keys }), {
    orders: ['{"n\\"":1.50,"org":{"x":1,"id":"č"}}'],
    orders__l: ['{"orders__org__id":"č","orders__n\\"":1.50,"l__position":0,"value":0}'],
  });
});

test('an item that has a list and no key is left out, with its index; without a list it stays', () => {
  const texts = [
    '{"id":1,"l":[1]}',
    '{"l":[2]}',
    '{"id":null,"l":[3]}',
    '{"id":[4],"l":[4]}',
    '{"x":1}',
    '7',
    '[8]',
    '{"id":{},"l":[5]}',
  ];
  const split = create().split(batchOfTexts(texts, { dataType: 'orders' }));
  assert.equal(split.keyless, [1, 2, 3, 6, 7]);
  assert.equal(split.kept, [0, 4, 5]);
  assert.equal(
    split.lists.map(({ itemOf }) => itemOf),
    [[0]],
  );
  assert.equal(Buffer.from(split.items.bytes).toString(), '{"id":1}\n{"x":1}\n7\n');
});

test('without a key an item gets an id of its place and content, which its lists have', () => {
  const texts = ['{"a":[1]}', '{"a":[1]}', '[2]', 'null', '{}'];
  const rows = rowsOf(texts, { keys: [] });
  const ids = rows.orders?.map((row) => JSON.parse(row).row_id) ?? [];
  assert.is(new Set(ids).size, 5);
  assert.ok(ids.every((id) => /^[0-9a-f]{32}$/.test(id)));
  assert.equal(rows, {
    orders: [
      ...ids.slice(0, 3).map((id) => `{"row_id":"${id}"}`),
      `{"row_id":"${ids[3]}","value":null}`,
      `{"row_id":"${ids[4]}"}`,
    ],
    orders__a: [0, 1].map((at) => `{"orders__row_id":"${ids[at]}","a__position":0,"value":1}`),
    orders__value: [`{"orders__row_id":"${ids[2]}","value__position":0,"value":2}`],
  });
  assert.equal(rowsOf(texts, { keys: [] }), rows);
  assert.not.equal(rowsOf(texts, { keys: [], isAppending: true }), rows);
});

test('marked items begin their rows in each table that has rows', () => {
  assert.equal(rowsOf(['{"id":1}', '{"id":1,"l":[7]}', '{"id":2}', '{"x":0}'], { isMarked: true }), {
    orders: ['{"id":1}', '{"id":1}', '{"id":2}', '{"x":0}'],
    orders__l: ['{"orders__id":1,"l__position":0,"value":7}', '{"orders__id":2}'],
  });
});

test('of members with one name the last one counts', () => {
  assert.equal(rowsOf(['{"id":1,"l":[1],"l":2}', '{"id":2,"l":[1],"l":[3]}']), {
    orders: ['{"id":1,"l":2}', '{"id":2}'],
    orders__l: ['{"orders__id":2,"l__position":0,"value":3}'],
  });
});

test('two names that would be one are an error at their item, and its batch leaves no rows', async () => {
  const cases: readonly (readonly [item: string, message: RegExp, options?: Partial<SplitterOptions>])[] = [
    ['{"id":2,"a":{"b":[1]},"a__b":[1]}', /^the lists "a.b" and "a__b" would be one table, "orders__a__b" \(item 1 of/],
    ['{"id":2,"l":[{"orders__id":1}]}', /^the member "orders__id" has the name of a column .* "orders__l" \(item 1 of/],
    ['{"id":2,"l":[{"l__position":1}]}', /^the member "l__position" has the name/],
    ['{"row_id":2}', /^the member "row_id" has the name of a column .* "orders"/, { keys: [] }],
  ];
  for (const [item, message, options] of cases) {
    const splitter = create(options);
    const batch = (texts: readonly string[]) => batchOfTexts(texts, { dataType: 'orders' });
    await rejection(async () => splitter.split(batch(['{"id":1,"l":[1]}', item])), 'ERR_SINK', message);
    assert.equal(splitter.split(batch(['{"id":3}'])).lists, []);
  }
});

test('names that are data do not become tables without end', async () => {
  const item = `{"id":1,${Array.from({ length: 501 }, (_, at) => `"n${at}":[1]`).join(',')}}`;
  await rejection(async () => rowsOf([item]), 'ERR_SINK', /"orders" would have more than 500 tables of lists/);
});

test('tables of an earlier process are known again', () => {
  const splitter = create({ isMarked: true });
  splitter.restore([[['a', 'b']], [['a', 'b'], ['c']], [['a', 'b']]]);
  assert.equal([...splitter.tables.keys()], ['orders__a__b', 'orders__a__b__c']);
  const { lists } = splitter.split(batchOfTexts(['{"id":1}'], { dataType: 'orders' }));
  assert.equal(
    lists.map(({ table, rows }) => [table.dataType, rows.count]),
    [
      ['orders__a__b', 1],
      ['orders__a__b__c', 1],
    ],
  );
});

test.run();
