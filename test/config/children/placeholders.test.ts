import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readPlaceholders } from '../../../src/config/children/placeholders.js';
import { fromPlain, isObject, stringifyExact } from '../../../src/core/json/exact.js';
import { createDiagnostics } from '../../../src/language/config-path.js';
import { references } from '../../../src/language/expression/references.js';
import { documentOf, fakes, warningsOf } from '../fakes.js';

function read(definitions: unknown, depth = 1) {
  const findings = createDiagnostics();
  const names = { functions: fakes.functions, attr: new Map() };
  const place = findings.root.at('placeholders');
  const made = readPlaceholders(place, fromPlain(definitions), depth, names);
  return {
    made: made?.map(({ expression, ...rest }) =>
      isObject(expression) ? { ...rest, expression: stringifyExact(expression) } : rest,
    ),
    problems: findings.problems.map(({ path, message }) => `${path}: ${message}`),
    notices: findings.notices.map(({ message }) => message),
  };
}

const value = { placeholder: 'value' };

test('reads every form, in order', () => {
  const definitions = {
    'user-id': 'id',
    '1:x': 'a.b',
    '2:y': 'list.0',
    '3:a:b': '.',
    index: 0,
    code: { path: 'id', function: 'sha1', args: [value] },
    same: { placeholder: 'value', path: 'id' },
  };
  const { made, problems, notices } = read(definitions, 3);
  assert.equal([problems, notices], [[], []]);
  assert.equal(made, [
    { name: 'user-id', level: 1, path: 'id' },
    { name: '1:x', level: 1, path: 'a.b' },
    { name: '2:y', level: 2, path: 'list.0' },
    { name: '3:a:b', level: 3, path: '.' },
    { name: 'index', level: 1, path: '0' },
    { name: 'code', level: 1, path: 'id', expression: '{"function":"sha1","args":[{"placeholder":"value"}]}' },
    { name: 'same', level: 1, path: 'id', expression: '{"placeholder":"value"}' },
  ]);
});

for (const nothing of [null, {}, []]) {
  test(`${JSON.stringify(nothing)} defines none`, () =>
    assert.equal(read(nothing), { made: [], problems: [], notices: [] }));
}

const expectedLevel = 'the level, the number before the colon, is';
const only = 'expected 1 for the item of the direct parent, the only level here';
type Fault = readonly [definitions: unknown, depth: number, ...problems: readonly string[]];

/** The references of other places. */
const strangers = Object.keys(references)
  .filter((name) => name !== 'placeholder')
  .map((name): Fault => {
    const at = `placeholders.a.args[0].${name}`;
    const definitions = { a: { path: 'id', function: 'concat', args: [{ [name]: 'hidden' }] } };
    return [definitions, 1, `${at}: not allowed here: a placeholder can only refer to {"placeholder": "value"}`];
  });

const faults: readonly Fault[] = [
  ...strangers,
  [['hidden'], 1, 'placeholders: expected an object, found a list'],
  ['hidden', 1, 'placeholders: expected an object, found a string'],
  [{ '2:a': 'hidden' }, 1, `placeholders["2:a"]: ${expectedLevel} 2: ${only}`],
  [
    { '4:a': 'hidden' },
    3,
    `placeholders["4:a"]: ${expectedLevel} 4: expected 1 for the item of the direct parent, up to 3 here`,
  ],
  [{ '0:a': 'hidden' }, 1, `placeholders["0:a"]: ${expectedLevel} 0: ${only}`],
  [{ 'x:a': 'hidden' }, 1, `placeholders["x:a"]: ${expectedLevel} 0: ${only}`],
  [{ '-1:a': 'hidden' }, 1, `placeholders["-1:a"]: ${expectedLevel} 0: ${only}`],
  [{ ':a': 'hidden' }, 1, `placeholders[":a"]: ${expectedLevel} 0: ${only}`],
  [{ a: '' }, 1, 'placeholders.a: expected a path, or an object with "path", found an empty string'],
  [{ a: null }, 1, 'placeholders.a: required: expected a path, or an object with "path"'],
  [{ a: ['hidden'] }, 1, 'placeholders.a: expected a path, or an object with "path", found a list'],
  [{ a: true }, 1, 'placeholders.a: expected a path, or an object with "path", found true or false'],
  [{ a: { function: 'sha1', args: [value] } }, 1, 'placeholders.a.path: required: expected a path'],
  [{ a: { path: ['hidden'], ...value } }, 1, 'placeholders.a.path: expected a path, found a list'],
  [{ a: { path: 'hidden' } }, 1, 'placeholders.a: expected "function" and "args" beside "path", or "placeholder"'],
  [
    { a: { path: 'id', placeholder: 'value', more: 'hidden' } },
    1,
    'placeholders.a: expected "function" and "args" beside "path", or "placeholder"',
  ],
  [{ a: { path: 'id', placeholder: 'hidden' } }, 1, 'placeholders.a.placeholder: expected "value"'],
  [
    { a: { path: 'id', function: 'concat', args: [{ placeholder: 'hidden' }] } },
    1,
    'placeholders.a.args[0].placeholder: expected "value"',
  ],
  [
    { a: { path: 'id', function: 'sha2', args: [value] } },
    1,
    'placeholders.a.function: unknown function, expected one of "base64_encode", "concat", "sha1", "urlencode"; did you mean "sha1"?',
  ],
  [
    { a: { path: 'id', function: 'sha1' }, '9:b': '' },
    1,
    'placeholders.a.args: expected 1 argument (text), found 0',
    `placeholders["9:b"]: ${expectedLevel} 9: ${only}`,
    'placeholders["9:b"]: expected a path, or an object with "path", found an empty string',
  ],
];

for (const [definitions, depth, ...problems] of faults) {
  test(`${JSON.stringify(definitions)} is refused before any request`, () => {
    const found = read(definitions, depth);
    assert.is(found.made, undefined);
    assert.equal(found.problems, problems);
    assert.not.match(found.problems.join(), 'hidden');
  });
}

test('an unknown member is reported', () => {
  const { made, notices } = read({ a: { path: 'id', function: 'sha1', args: [value], arg: 1 } });
  assert.is(made?.length, 1);
  assert.equal(notices, ['placeholders.a.arg: unknown key, not used; did you mean "args"?']);
});

/** The warnings of a child `{id}`, `{1:code}` below a job, with these members. */
const warningsWith = (child: object) => {
  const all = { endpoint: 'users/{id}', placeholders: { id: 'id', '1:code': 'code' }, ...child };
  return warningsOf(documentOf({ job: { children: [all] } }));
};
const path = 'config.jobs[0].children[0]';
const elsewhere = (name: string) =>
  `the placeholder "${name}" is not filled in here, only in \`endpoint\`; sent unchanged`;

const warned: readonly (readonly [child: object, ...warnings: readonly string[]])[] = [
  [
    { endpoint: 'users/{idd}' },
    `${path}.endpoint: there is no placeholder "idd", so it is sent with its braces; did you mean "id"?`,
  ],
  [
    { endpoint: 'users/{x}/{code}/{x}' },
    `${path}.endpoint: there is no placeholder "x", so it is sent with its braces`,
    `${path}.endpoint: there is no placeholder "code", so it is sent with its braces; did you mean "1:code"?`,
  ],
  [{ params: { user: '{id}' } }, `${path}.params.user: ${elsewhere('id')}`],
  [{ params: { a: [{ b: 'x-{1:code}' }] } }, `${path}.params.a[0].b: ${elsewhere('1:code')}`],
  [{ headers: { 'X-User': '{id}' } }, `${path}.headers.X-User: ${elsewhere('id')}`],
];

for (const [child, ...warnings] of warned) {
  test(`${JSON.stringify(child)} is warned of`, () => assert.equal(warningsWith(child), warnings));
}

for (const child of [
  {},
  { endpoint: 'users/{1:code}' },
  { endpoint: 'users?filter={"id":1}' },
  { params: { template: '{name}', filter: '{"id": 1}' } },
]) {
  test(`${JSON.stringify(child)} is not`, () => assert.equal(warningsWith(child), []));
}

test('a name of those above is filled too', () => {
  const inner = { endpoint: 'orders/{id}/{no}', placeholders: { no: 'no' } };
  assert.equal(warningsWith({ children: [inner] }), []);
});

test('a job without a parent fills nothing', () => {
  assert.equal(warningsOf(documentOf({ job: { endpoint: 'users/{id}' } })), [
    'config.jobs[0].endpoint: there is no placeholder "id", so it is sent with its braces',
  ]);
});

test.run();
