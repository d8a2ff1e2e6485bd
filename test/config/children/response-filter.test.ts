import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { filterRow, readResponseFilter } from '../../../src/config/children/response-filter.js';
import { ExtractError } from '../../../src/core/errors/errors.js';
import { fromPlain, stringifyExact } from '../../../src/core/json/exact.js';
import { parseExact } from '../../../src/core/json/exact-parse.js';
import { createDiagnostics } from '../../../src/language/config-path.js';
import { documentOf, warningsOf } from '../fakes.js';

function read(value: unknown, delimiter?: string) {
  const findings = createDiagnostics();
  const filter = readResponseFilter(findings.root.at('responseFilter'), fromPlain(value), delimiter);
  return { filter, problems: findings.problems.map(({ path, message }) => `${path}: ${message}`) };
}

const filtered = (row: string, value: unknown, delimiter?: string) =>
  stringifyExact(filterRow(parseExact(row), read(value, delimiter).filter ?? []));

const text = (json: string) => JSON.stringify(json);

const cases: readonly (readonly [filter: unknown, row: string, expected: string])[] = [
  ['a', '{"a":{"b":[1,2]},"c":3}', `{"a":${text('{"b":[1,2]}')},"c":3}`],
  ['a', '{"c":3}', '{"c":3}'],
  ['a', '{"a":"green"}', `{"a":${text('"green"')}}`],
  ['a', '{"a":1.5,"b":1.50}', '{"a":"1.5","b":1.50}'],
  ['a', '{"a":true}', '{"a":"true"}'],
  ['a', '{"a":null}', '{"a":"null"}'],
  ['a', '{"a":""}', `{"a":${text('""')}}`],
  ['a', '{"a":0}', '{"a":"0"}'],
  ['a', '{"a":[]}', '{"a":"[]"}'],
  ['a', '{"a":{}}', '{"a":"{}"}'],
  ['a', '{"a":{"u":"x/é"}}', `{"a":${text('{"u":"x\\/\\u00e9"}')}}`],
  ['a.b', '{"a":{"b":{"c":1},"d":2}}', `{"a":{"b":${text('{"c":1}')},"d":2}}`],
  ['a.b', '{"a":"text"}', '{"a":"text"}'],
  ['a.b', '{"a":null}', '{"a":null}'],
  ['a.b', '{"a":[{"b":1}]}', '{"a":[{"b":1}]}'],
  ['a[]', '{"a":[{"b":1},2,[3]]}', `{"a":[${text('{"b":1}')},"2","[3]"]}`],
  ['a[].b', '{"a":[{"b":[1]},{"c":2},3,null]}', '{"a":[{"b":"[1]"},{"c":2},3,null]}'],
  ['a[].b[].c', '{"a":[{"b":[{"c":{}},{}]},{}]}', '{"a":[{"b":[{"c":"{}"},{}]},{}]}'],
  ['a[]', '{"b":1}', '{"b":1}'],
  ['a[]', '{"a":[]}', '{"a":[]}'],
  [['a', 'c'], '{"c":[1],"a":[2]}', '{"c":"[1]","a":"[2]"}'],
  [['a.b', 'a'], '{"a":{"b":[1]}}', `{"a":${text('{"b":"[1]"}')}}`],
  [['a', 'a.b'], '{"a":{"b":[1]}}', `{"a":${text('{"b":[1]}')}}`],
  ['.', '{"a":1,"":{"":[1]}}', '{"a":1,"":{"":"[1]"}}'],
  ['.', '{"a":1}', '{"a":1}'],
  ['a', '[{"a":1}]', '[{"a":1}]'],
  ['a', '"text"', '"text"'],
  ['0', '{"0":[1]}', '{"0":[1]}'],
  [['0'], '{"0":[1]}', '{"0":"[1]"}'],
  ['__proto__', '{"__proto__":[1]}', '{"__proto__":"[1]"}'],
];

for (const [filter, row, expected] of cases) {
  test(`${JSON.stringify(filter)} makes ${expected} of ${row}`, () => assert.is(filtered(row, filter), expected));
}

test('segments are parted by the delimiter, of any length', () => {
  assert.is(filtered('{"a.b":{"c":[1]}}', 'a.b/c', '/'), '{"a.b":{"c":"[1]"}}');
  assert.is(filtered('{"a":{"c":[1]}}', 'a->c', '->'), '{"a":{"c":"[1]"}}');
  assert.is(filtered('{"a":{"c":[1]}}', 'a.c', '/'), '{"a":{"c":[1]}}');
  assert.is(filtered('{"a":{"c":[1]}}', 'a.c', ''), '{"a":{"c":"[1]"}}');
});

test('the row itself is not changed', () => {
  const row = parseExact('{"a":{"b":[1]}}');
  filterRow(row, read('a.b').filter ?? []);
  assert.is(stringifyExact(row), '{"a":{"b":[1]}}');
});

for (const [filter, row, kind] of [
  ['a[]', '{"a":"hidden"}', 'a string'],
  ['a[]', '{"a":null}', 'null'],
  ['a[].b', '{"a":{"b":1}}', 'an object'],
] as const) {
  test(`${filter} is rejected for ${kind}`, () => {
    assert.throws(
      () => filtered(row, filter),
      (error: unknown) =>
        error instanceof ExtractError &&
        error.code === 'ERR_FILTER' &&
        error.message === `\`responseFilter\`: expected a list at "a[]" of "${filter}", found ${kind} in an item`,
    );
  });
}

for (const empty of [null, '', [], {}, false]) {
  test(`${JSON.stringify(empty)} is no filter`, () => assert.equal(read(empty), { filter: [], problems: [] }));
}

for (const [value, ...problems] of [
  [{ a: 'hidden' }, 'responseFilter: expected a path, found an object'],
  [5, 'responseFilter: expected a path, found a number'],
  [
    ['a', 1, ['hidden']],
    'responseFilter[1]: expected a path, found a number',
    'responseFilter[2]: expected a path, found a list',
  ],
] as const) {
  test(`${JSON.stringify(value)} is refused, and not shown`, () => {
    assert.equal(read(value), { filter: undefined, problems });
  });
}

test('a filter without effect is reported, in a child too', () => {
  const child = { endpoint: 'orders/{id}', placeholders: { id: 'id' }, responseFilter: 'tags' };
  const looked = documentOf({ job: { responseFilter: 'tags', children: [{ ...child, responseFilter: '' }] } });
  const unused = documentOf({ job: { children: [child] } });
  const lone = documentOf({ job: { responseFilter: ['tags'] } });
  const message = 'has no effect: the job has no children, and items are not changed';
  assert.equal(warningsOf(looked), []);
  assert.equal(warningsOf(unused), [`config.jobs[0].children[0].responseFilter: ${message}`]);
  assert.equal(warningsOf(lone), [`config.jobs[0].responseFilter: ${message}`]);
});

test.run();
