import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { missingVariable, withCommands } from '../../../src/core/util/missing-variable.js';

const env = { PASSWORD: 'secret-1', HOME: '/root', GONE: undefined };

test('a message about a missing variable ends with the command that sets it', () => {
  assert.is(
    missingVariable('API_TOKEN', env, 'linux'),
    'there is no variable "API_TOKEN" in the environment: export API_TOKEN=...',
  );
  assert.is(
    missingVariable('API_TOKEN', env, 'win32'),
    'there is no variable "API_TOKEN" in the environment: set API_TOKEN=...',
  );
});

test('a name that is near comes first', () => {
  assert.is(
    missingVariable('PASWORD', env, 'darwin'),
    'there is no variable "PASWORD" in the environment; did you mean "PASSWORD"? Otherwise: export PASWORD=...',
  );
});

test('a name that no shell can set has no command', () => {
  for (const name of ['my-token', '1ST', 'a b', '$(id)', '']) {
    assert.is(missingVariable(name, env, 'linux'), `there is no variable "${name}" in the environment`);
  }
});

test('without any variable, the program has given no environment', () => {
  const message =
    'there is no variable "A": no environment was given; in code it is the option `env`, as `env: process.env`';
  for (const none of [{}, { GONE: undefined }]) assert.is(missingVariable('A', none), message);
});

test('several variables are one command of a shell, and several of Windows, a line each', () => {
  const pairs = [
    ['API_USER', '...'],
    ['COOKIE', 'sid=...'],
  ] as const;
  assert.is(withCommands(pairs, 'linux'), ': export API_USER=... COOKIE="sid=..."');
  assert.is(withCommands(pairs, 'win32'), ':\n  set API_USER=...\n  set "COOKIE=sid=..."');
  assert.is(withCommands(pairs.slice(1), 'win32'), ': set "COOKIE=sid=..."');
});

test.run();
