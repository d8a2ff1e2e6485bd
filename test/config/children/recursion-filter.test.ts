import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readRecursionFilter } from '../../../src/config/children/recursion-filter.js';
import { createRow } from '../../../src/config/children/row.js';
import { ExtractError } from '../../../src/core/errors/errors.js';
import { fromPlain } from '../../../src/core/json/exact.js';
import { parseExact } from '../../../src/core/json/exact-parse.js';
import { createDiagnostics } from '../../../src/language/config-path.js';

function read(filter: unknown) {
  const findings = createDiagnostics();
  const made = readRecursionFilter(findings.root.at('recursionFilter'), fromPlain(filter));
  return { made, problems: findings.problems.map(({ message }) => message), notices: findings.notices };
}

function filterOf(text: string) {
  const { made } = read(text);
  if (made === undefined) throw new TypeError('no filter');
  return made;
}

const row = createRow(
  parseExact(`{
    "id": 234, "role": "child", "price": 1.50, "big": 12345678901234567891, "on": true, "off": false, "none": null, "empty": "", "zero": 0,
    "text": "10", "name": "Jane Doe", "path": "a/b", "deep": {"x": "y"}, "list": ["first"], " id": "with space", "minus": -5, "word": "Zebra"
  }`),
);

const cases: readonly (readonly [filter: string, matches: boolean])[] = [
  // ==, !=: the texts themselves
  ['role==child', true],
  ['role==Child', false],
  ['role!=child', false],
  ['role!=parent', true],
  ['id==234', true],
  ['id==234.0', false],
  ['price==1.50', true],
  ['price==1.5', false],
  ['on==1', true],
  ['on==true', false],
  ['off==', true],
  ['none==', true],
  ['absent==', true],
  ['empty!=', false],
  ['zero!=', true],
  ['role!=', true],
  ['deep.x==y', true],
  ['list.0==first', true],
  ['big==12345678901234567891', true],
  // <, >, <=, >=: by number, else by letters
  ['id>233', true],
  ['id>234', false],
  ['id>=234', true],
  ['id<=234.0', true],
  ['id<1e3', true],
  ['id<+1000', true],
  ['id> 9', true],
  ['id<9 ', true],
  ['text>9', true],
  ['text>9a', false],
  ['price<1.6', true],
  ['minus<.5', true],
  ['minus>-6.', true],
  ['big>12345678901234567890', true],
  ['big<=12345678901234567890', false],
  ['word<apple', true],
  ['role>bird', true],
  ['empty<0', true],
  ['absent>', false],
  ['absent>=', true],
  ['word<\u{ff5e}', true],
  // ~~, !~: patterns
  ['name~~Jane%', true],
  ['name~~jane%', false],
  ['name~~Jane', false],
  ['name~~%ne D%', true],
  ['name!~%x%', true],
  ['name!~%Doe', false],
  ['path~~a/%', true],
  ['name~~.*', false],
  ['absent~~%', true],
  // which operator counts
  ['role==child==x', true],
  ['id>1>999', true],
  ['absent>x==', true],
  ['role!=a>b', true],
  [' id==with space', true],
  ['id ==234', false],
  // & before |
  ['id<400&role==child', true],
  ['id<400&role==parent', false],
  ['role==parent|id>200&id<300', true],
  ['role==child|id>300&id<400', true],
  ['role==parent|id>300&id<400', false],
  ['id==234|id==1&role==parent', true],
  ['role==parent&id==1|id==234', true],
  ['id==1|id==2|id==234', true],
];

for (const [filter, matches] of cases) {
  test(`${filter} ${matches ? 'lets the row in' : 'leaves the row out'}`, () => {
    assert.is(filterOf(filter).matches(row), matches);
  });
}

test('a row that is a single value has the path .', () => {
  assert.ok(filterOf('.>5').matches(createRow(parseExact('6'))));
  assert.not(filterOf('id>5').matches(createRow(parseExact('6'))));
});

test('a filter compares texts by their UTF-8 bytes', () => {
  assert.ok(filterOf('x>\uff5e').matches(createRow(parseExact('{"x": "😀"}'))));
});

test('lists each of its paths once', () => {
  assert.equal(filterOf('role==a|id>3&id<4&deep.x~~%').paths, ['role', 'id', 'deep.x']);
});

test('a parenthesis that closes within a path or a value is a character like any other', () => {
  for (const filter of ['(a)==1', 'f(x)==1', 'name==Doe (Jane)', 'name~~(%']) {
    const { made, problems, notices } = read(filter);
    assert.ok(made, filter);
    assert.equal([problems, notices], [[], []], filter);
  }
});

test('lists its paths that a row does not have, with the nearest existing one', () => {
  const { absent } = filterOf('rol==child|role==x&wrod==1|none==2|nothing-like-it>1');
  assert.equal(
    [...absent(row)],
    [
      ['rol', 'role'],
      ['wrod', 'word'],
      ['nothing-like-it', undefined],
    ],
  );
});

test('looks no further than it needs', () => {
  assert.ok(filterOf('id==234|list==x').matches(row));
  assert.not(filterOf('id==1&deep==x').matches(row));
});

for (const [filter, kind] of [
  ['list==x', 'a list at "list"'],
  ['deep!=', 'an object at "deep"'],
] as const) {
  test(`${filter} cannot compare ${kind}`, () => {
    assert.throws(
      () => filterOf(filter).matches(row),
      (error: unknown) =>
        error instanceof ExtractError && error.code === 'ERR_FILTER' && error.message.includes(`the item has ${kind}`),
    );
  });
}

const operators = '"==", "!=", ">=", "<=", "~~", "!~", ">", "<"';
const faults: readonly (readonly [filter: unknown, ...problems: readonly string[]])[] = [
  ['hidden', `the condition has no operator: expected one of ${operators}`],
  ['hidden=1', `the condition has no operator: expected one of ${operators}; did you mean "=="?`],
  ['hidden~%a%', `the condition has no operator: expected one of ${operators}; did you mean "~~"?`],
  ['a==1&hidden', `condition 2 has no operator: expected one of ${operators}`],
  ['a==1&', 'condition 2 is empty: expected one on both sides of each "&" and "|"'],
  ['|a==1', 'condition 1 is empty: expected one on both sides of each "&" and "|"'],
  ['a==1&&b==2', 'condition 2 is empty: expected one on both sides of each "&" and "|"'],
  [
    'x=1|b==2|',
    `condition 1 has no operator: expected one of ${operators}; did you mean "=="?`,
    'condition 3 is empty: expected one on both sides of each "&" and "|"',
  ],
  ['==hidden', 'the condition has no path before its operator'],
  ['(a==1)', 'the condition begins with a parenthesis, which filters do not support: "&" binds tighter than "|"'],
  ['c==1&( a==1', 'condition 2 begins with a parenthesis, which filters do not support: "&" binds tighter than "|"'],
  [' ', `the condition has no operator: expected one of ${operators}`],
  [5, 'expected a string, found a number'],
  [{ a: 1 }, 'expected a string, found an object'],
];

for (const [filter, ...problems] of faults) {
  test(`${JSON.stringify(filter)} is refused, and not shown`, () => {
    const { made, ...found } = read(filter);
    assert.is(made, undefined);
    assert.equal(found.problems, problems);
  });
}

for (const empty of [null, '', '0', false, []]) {
  test(`${JSON.stringify(empty)} is no filter`, () => {
    assert.equal(read(empty), { made: undefined, problems: [], notices: [] });
  });
}

const odd = [
  ['id ==1', 'the path of the condition begins or ends with a space, which is part of it', 'warning'],
  ['a==1& b==1', 'the path of condition 2 begins or ends with a space, which is part of it', 'warning'],
  ['a== 1', 'the value of the condition begins or ends with a space, which is part of it', 'warning'],
  ['a==1|b==x)', 'the value of condition 2 contains ")", which is compared as part of it', 'warning'],
  ['id=>5', 'the path of the condition ends with a character of an operator'],
  ['id===5', 'the value of the condition begins with a character of an operator'],
  ['id<>5', 'the value of the condition begins with a character of an operator'],
] as const;

for (const [filter, message, level = 'info'] of odd) {
  test(`${filter} is valid, with a notice`, () => {
    const { made, problems, notices } = read(filter);
    assert.ok(made);
    assert.equal(problems, []);
    assert.equal(
      notices.map(({ level, message }) => [level, message]),
      [[level, `recursionFilter: ${message}`]],
    );
  });
}

test.run();
