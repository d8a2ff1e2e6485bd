import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { fillFromEnv } from '../../src/config/env.js';
import { ExtractError } from '../../src/errors.js';
import { stringifyExact } from '../../src/exact.js';
import { parseExact } from '../../src/exact-parse.js';

const env = { USER: 'joe', PASSWORD: 'hush "hush"', EMPTY: '', GONE: undefined };

const cases = [
  ['{"a": {"env": "USER"}}', '{"a":"joe"}', ['joe']],
  ['{"a": [1.0, {"b": {"env": "PASSWORD"}}]}', '{"a":[1.0,{"b":"hush \\"hush\\""}]}', ['hush "hush"']],
  ['{"#a": {"env": "USER"}, "b": {"env": "USER"}}', '{"#a":"joe","b":"joe"}', ['joe']],
  ['{"a": {"env": "EMPTY"}}', '{"a":""}', ['']],
  // No references, but values.
  ['{"a": {"env": "USER", "b": 1}}', '{"a":{"env":"USER","b":1}}', []],
  ['{"a": {"env": 5}, "env": null}', '{"a":{"env":5},"env":null}', []],
  ['{"a": {"env": {"env": "USER"}}}', '{"a":{"env":"joe"}}', ['joe']],
] as const;

for (const [written, filled, values] of cases) {
  test(`${written} becomes ${filled}`, () => {
    const found = fillFromEnv(parseExact(written), env);
    assert.is(stringifyExact(found.document), filled);
    assert.equal(found.values, values);
  });
}

test('a variable that is empty is a warning, wherever it stands', () => {
  const { notices } = fillFromEnv(parseExact('{"#a": {"env": "EMPTY"}, "b": {"env": "USER"}}'), env);
  assert.equal(notices, [{ level: 'warning', code: 'empty-secret', message: '#a: the variable "EMPTY" is empty' }]);
});

function problemsOf(written: string, variables: Parameters<typeof fillFromEnv>[1]) {
  try {
    fillFromEnv(parseExact(written), variables);
  } catch (thrown) {
    if (thrown instanceof ExtractError && thrown.code === 'ERR_CONFIG') return thrown.problems;
    throw thrown;
  }
  return [];
}

test('all variables that are missing are told at once, each with its path and the nearest name', () => {
  const written = '{"api": {"#key": {"env": "PASWORD"}}, "config": {"jobs": [{"endpoint": {"env": "GONE"}}]}}';
  assert.equal(problemsOf(written, env), [
    { path: 'api.#key', message: 'there is no variable "PASWORD" in the environment; did you mean "PASSWORD"?' },
    { path: 'config.jobs[0].endpoint', message: 'there is no variable "GONE" in the environment' },
  ]);
});

test('without an environment that is said', () => {
  assert.equal(problemsOf('{"a": {"env": "USER"}}', {}), [
    { path: 'a', message: 'there is no variable "USER": no environment was given' },
  ]);
});

test('what every object has is no variable', () => {
  assert.is(problemsOf('{"a": {"env": "constructor"}}', env).length, 1);
});

test.run();
