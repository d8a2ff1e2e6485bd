import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { mergeUserData, readUserData } from '../../../src/config/children/user-data.js';
import { emptyObject, fromPlain, isObject, stringifyExact } from '../../../src/core/json/exact.js';
import { createDiagnostics } from '../../../src/language/config-path.js';
import { fakes } from '../fakes.js';

const object = (value: unknown) => {
  const made = fromPlain(value);
  return isObject(made) ? made : emptyObject;
};

function read(value: unknown, name: 'userData' | 'job_parent_id' = 'userData') {
  const findings = createDiagnostics();
  const scope = { functions: fakes.functions, attr: object({ team: 'x' }), references: ['attr'] as const };
  const made = readUserData(findings.root.at('userData'), fromPlain(value), name, scope);
  return {
    made: made === undefined ? undefined : stringifyExact(made),
    problems: findings.problems.map(({ path, message }) => `${path}: ${message}`),
  };
}

for (const [value, made] of [
  ['x', '{"userData":"x"}'],
  [12, '{"userData":12}'],
  [true, '{"userData":true}'],
  [{ b: 1, a: null, c: { attr: 'team' } }, '{"b":1,"a":null,"c":{"attr":"team"}}'],
  [{ a: { plain: 'object' } }, '{"a":{"plain":"object"}}'],
  [null, '{}'],
  ['', '{}'],
  ['0', '{}'],
  [0, '{}'],
  [false, '{}'],
  [[], '{}'],
  [{}, '{}'],
] as const) {
  test(`${JSON.stringify(value)} is read as ${made}`, () => assert.equal(read(value), { made, problems: [] }));
}

test('a single value of a job has its own name', () => {
  assert.is(read('x', 'job_parent_id').made, '{"job_parent_id":"x"}');
});

for (const [value, problem] of [
  [['hidden'], 'userData: expected a single value, or an object of them, found a list'],
  [{ a: 1, b: ['hidden'] }, 'userData.b: expected a single value or an expression, found a list'],
] as const) {
  test(`${JSON.stringify(value)} is refused`, () => {
    assert.equal(read(value), { made: undefined, problems: [problem] });
  });
}

test('expressions are checked', () => {
  const { problems } = read({ a: { attr: 'taem' }, b: { function: 'sha2' } });
  assert.is(problems.length, 2);
  assert.match(problems[0] ?? '', 'userData.a.attr: there is no such key in `config`; did you mean "team"?');
  assert.match(problems[1] ?? '', 'userData.b.function: unknown function');
});

test('that of a job is laid over that of the configuration by name', () => {
  const merged = mergeUserData(object({ a: 1, b: 2 }), object({ c: 3, a: 4 }));
  assert.is(stringifyExact(merged), '{"a":4,"b":2,"c":3}');
});

test.run();
