import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Placeholder, readPlaceholders } from '../../src/config/children/placeholders.js';
import { createRow } from '../../src/config/children/row.js';
import { ExtractError } from '../../src/core/errors/errors.js';
import { type Exact, fromPlain, stringifyExact } from '../../src/core/json/exact.js';
import { parseExact } from '../../src/core/json/exact-parse.js';
import { fillEndpoint, instancesOf, noBindings, type PlaceholderBindings } from '../../src/job/instances.js';
import { createDiagnostics } from '../../src/language/config-path.js';
import { functions } from '../../src/language/expression/registry.js';

const context = { secrets: { add: () => undefined, isSecret: () => false } };

function compiled(definitions: object): readonly Placeholder[] {
  const names = { functions, attr: new Map() };
  return readPlaceholders(createDiagnostics().root, fromPlain(definitions), 9, names) ?? [];
}

/** The texts of each instance by name. */
const texts = (instances: Iterable<PlaceholderBindings>) =>
  [...instances].map((instance) => Object.fromEntries([...instance].map(([name, { text }]) => [name, text])));

const rowsOf = (...rows: readonly string[]) => rows.map((json) => createRow(parseExact(json)));

const resolved = (definitions: object, ...rows: readonly string[]) =>
  instancesOf(compiled(definitions), rowsOf(...rows), noBindings, context);

/** What a parent has handed down. */
const handedDown = (values: Readonly<Record<string, Exact>>): PlaceholderBindings =>
  new Map(Object.entries(values).map(([name, value]) => [name, { path: name, value, text: String(value) }]));

const single: readonly (readonly [row: string, definition: unknown, text: string, value?: string])[] = [
  ['{"id": 123}', 'id', '123'],
  ['{"id": 12345678901234567890}', 'id', '12345678901234567890'],
  ['{"id": 1.0}', 'id', '1.0'],
  ['{"id": "a/b?c"}', 'id', 'a/b?c'],
  ['{"id": true}', 'id', '1', 'true'],
  ['{"id": false}', 'id', '', 'false'],
  ['{"id": null}', 'id', '', 'null'],
  ['{"user-info": {"id": 5}}', 'user-info.id', '5'],
  ['{"list": ["a", "b"]}', 'list.1', 'b'],
  ['"whole"', '.', 'whole'],
  ['{"id": "x"}', { path: 'id', placeholder: 'value' }, 'x'],
  ['{"id": 123}', { path: 'id', function: 'sprintf', args: ["%'.05d", { placeholder: 'value' }] }, '00123'],
  ['{"id": "a/b c"}', { path: 'id', function: 'urlencode', args: [{ placeholder: 'value' }] }, 'a%2Fb+c'],
  ['{"id": "x"}', { path: 'id', function: 'concat', args: ['<', { placeholder: 'value' }, '>'] }, '<x>'],
  [
    '{"id": ""}',
    { path: 'id', function: 'sha1', args: [{ placeholder: 'value' }] },
    'da39a3ee5e6b4b0d3255bfef95601890afd80709',
  ],
];

for (const [row, definition, text, value = stringifyExact(text)] of single) {
  test(`${JSON.stringify(definition)} in ${row} is ${JSON.stringify(text)}`, () => {
    const [instance, ...others] = resolved({ p: definition }, row);
    const filled = instance?.get('p');
    assert.is(others.length, 0);
    assert.is(filled?.text, text);
    const written = stringifyExact(filled?.value ?? null);
    assert.is(/^\d/.test(written) ? JSON.stringify(written) : written, value);
  });
}

test('an instance knows by which path its values were found', () => {
  const [instance] = resolved(
    { '1:p': { path: 'a.b', function: 'concat', args: [] }, q: 'c' },
    '{"a": {"b": 1}, "c": 2}',
  );
  assert.equal(
    [...(instance?.values() ?? [])].map(({ path }) => path),
    ['a.b', 'c'],
  );
});

test('levels count the rows upwards', () => {
  const instances = resolved({ '3:a': 'id', '1:b': 'id', '2:c': 'id', d: 'id' }, '{"id":1}', '{"id":2}', '{"id":3}');
  assert.equal(texts(instances), [{ '3:a': '3', '1:b': '1', '2:c': '2', d: '1' }]);
});

test('each element of a list is an instance; of several lists the first varies slowest', () => {
  const instances = resolved({ a: 'x', b: 'one', c: 'y' }, '{"x": [1, 2], "y": ["p", null, true], "one": 0}');
  assert.equal(
    texts(instances).map(({ a, b, c }) => `${a}-${b}-${c}`),
    ['1-0-p', '1-0-', '1-0-1', '2-0-p', '2-0-', '2-0-1'],
  );
});

test('an empty list gives no instance, whatever the others', () => {
  assert.equal([...resolved({ a: 'id', b: 'list' }, '{"id": [1, 2], "list": []}')], []);
});

test('without a placeholder, own or inherited, there is no instance', () => {
  assert.equal([...resolved({}, '{"id": 1}')], []);
});

test('inherited values come first, and are enough', () => {
  const inherited = handedDown({ z: 'old', a: 'older' });
  assert.equal(texts(instancesOf([], rowsOf('{}'), inherited, context)), [{ z: 'old', a: 'older' }]);
  const [instance] = instancesOf(compiled({ b: 'id', z: 'id' }), rowsOf('{"id": 7}'), inherited, context);
  assert.equal(
    [...(instance ?? [])].map(([name, { text }]) => `${name}=${text}`),
    ['z=7', 'a=older', 'b=7'],
  );
});

test('a list in the place of an inherited value varies at that place', () => {
  const inherited = handedDown({ a: 'old' });
  const instances = instancesOf(compiled({ b: 'y', a: 'x' }), rowsOf('{"x":[1,2],"y":[3,4]}'), inherited, context);
  assert.equal(
    texts(instances).map(({ a, b }) => `${a}${b}`),
    ['13', '14', '23', '24'],
  );
});

test('names with different prefixes are different names', () => {
  const inherited = handedDown({ '1:id': 'old' });
  assert.equal(texts(instancesOf(compiled({ id: 'id' }), rowsOf('{"id":7}'), inherited, context)), [
    { '1:id': 'old', id: '7' },
  ]);
});

test('instances are made on demand', () => {
  const list = JSON.stringify(Array.from({ length: 1000 }, (_, at) => at));
  const row = `{"list": ${list}}`;
  const definitions = Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((name) => [name, 'list']));
  const [first] = texts(take(resolved(definitions, row), 1)); // of 10^15
  assert.equal(first, { a: '0', b: '0', c: '0', d: '0', e: '0' });
});

function* take<T>(all: Iterable<T>, most: number): Iterable<T> {
  let taken = 0;
  for (const each of all) {
    if (taken++ === most) return;
    yield each;
  }
}

test('a value of 64 KiB is accepted', () => {
  const [instance] = resolved({ p: 'v' }, JSON.stringify({ v: 'x'.repeat(65_536) }));
  assert.is(instance?.get('p')?.text.length, 65_536);
});

const faults: readonly (readonly [definitions: object, rows: readonly string[], message: string])[] = [
  [
    { p: 'ID' },
    ['{"id": 1}'],
    'placeholder "p" (level 1): the item of the parent job has no value at "ID"; did you mean "id"?',
  ],
  [
    { '2:p': 'usr.id' },
    ['{}', '{"user": {"id": "hidden"}}'],
    'placeholder "2:p" (level 2): the item of the parent job has no value at "usr.id"; did you mean "user.id"?',
  ],
  [{ p: 'x' }, ['{"id": "hidden"}'], 'placeholder "p" (level 1): the item of the parent job has no value at "x"'],
  [{ p: 'l.0' }, ['{"l": [null]}'], 'placeholder "p" (level 1): the item of the parent job has no value at "l.0"'],
  [
    { '3:p': 'id' },
    ['{"id": 1}', '{"id": 2}'],
    'placeholder "3:p" (level 3): the level, the number before the colon, is 3: expected 1 for the item of the direct parent, up to 2 here',
  ],
  [
    { p: 'o' },
    ['{"o": {"a": "hidden"}}'],
    'placeholder "p" (level 1): expected a single value or a list of them at "o", found an object',
  ],
  [
    { p: 'l' },
    ['{"l": [1, {"a": "hidden"}]}'],
    'placeholder "p" (level 1): expected a single value or a list of them at "l", found a list that contains an object',
  ],
  [
    { p: 'l' },
    ['{"l": [["hidden"]]}'],
    'placeholder "p" (level 1): expected a single value or a list of them at "l", found a list that contains a list',
  ],
  ...(['null', '["hidden"]', '{"a": "hidden"}'] as const).map(
    (json, index) =>
      [
        { p: { path: 'v', function: 'concat', args: [{ placeholder: 'value' }] } },
        [`{"v": ${json}}`],
        `placeholder "p" (level 1): the value is ${['null', 'a list', 'an object'][index]}, expected a single value that is not null`,
      ] as const,
  ),
  [
    { p: { path: 'v', function: 'base64_encode', args: [['x']] } },
    ['{"v": 1}'],
    'placeholder "p" (level 1): function "base64_encode": expected a string, found a list',
  ],
  [
    { p: 'v' },
    [JSON.stringify({ v: ['short', 'é'.repeat(32_769)] })],
    'placeholder "p" (level 1): the value has 65538 bytes; a URL can contain at most 65536',
  ],
  [
    { p: { path: 'v', function: 'concat', args: ['x'.repeat(65_536), { placeholder: 'value' }] } },
    ['{"v": 1}'],
    'placeholder "p" (level 1): the value has 65537 bytes; a URL can contain at most 65536',
  ],
];

for (const [definitions, rows, message] of faults) {
  test(message, () => {
    assert.throws(
      () => resolved(definitions, ...rows), // before the first instance is asked for
      (error: unknown) => {
        assert.instance(error, ExtractError);
        assert.is(error instanceof ExtractError && error.code, 'ERR_PLACEHOLDER');
        assert.is(error instanceof Error && error.message, message);
        return true;
      },
    );
  });
}

const filled = [
  ['user/{user-id}', { 'user-id': '5' }, 'user/5'],
  ['user/{2:id}/order/{1:id}/{2:id}', { '2:id': 'a', '1:id': 'b' }, 'user/a/order/b/a'],
  ['user/{id}/{other}', { id: '5' }, 'user/5/{other}'],
  ['user/{ id }{}', { id: '5' }, 'user/{ id }{}'],
  ['{a}{b}', { a: '{b}', b: '{a}' }, '{b}{a}'],
  ['{a}', { a: '$&$1' }, '$&$1'],
  ['{a.c}{abc}', { 'a.c': 'x' }, 'x{abc}'],
  ['{a{b}', { 'a{b': 'x' }, 'x'],
  ['{(+}', { '(+': 'x' }, 'x'],
  ['{{a}}', { a: 'x' }, '{x}'],
  ['plain', {}, 'plain'],
] as const;

for (const [endpoint, values, expected] of filled) {
  test(`${endpoint} becomes ${expected}`, () => assert.is(fillEndpoint(endpoint, handedDown(values)), expected));
}

test('any name is filled in by any text', () => {
  const word = fc.string({ unit: 'binary', minLength: 1 }).filter((name) => !/[{}]/.test(name));
  fc.assert(
    fc.property(word, fc.string({ unit: 'binary' }), (name, text) => {
      assert.is(fillEndpoint(`a/{${name}}/b{${name}}`, handedDown({ [name]: text })), `a/${text}/b${text}`);
    }),
  );
});

test.run();
