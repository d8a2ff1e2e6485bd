import { inspect } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ExtractError } from '../../../src/core/errors/errors.js';
import { maskError } from '../../../src/core/secrets/mask-error.js';
import { createSecrets } from '../../../src/core/secrets/secrets.js';

const secret = 'correct horse';
const secrets = createSecrets();
secrets.add(secret);

/** An error that shows the secret everywhere. */
function leaky(): ExtractError {
  const inner = new Error(`inner ${secret}`);
  const cause = Object.assign(new TypeError(`cause ${secret}`, { cause: inner }), {
    code: 'ECONNRESET',
    options: { password: secret },
  });
  return new ExtractError('ERR_TRANSPORT', `message ${secret}`, {
    job: 'users',
    page: 2,
    request: `GET https://api.example/?key=${secret}`,
    transport: 56,
    problems: [{ path: 'api', message: `problem ${secret}` }],
    cause,
  });
}

test('leaves the secret nowhere', () => {
  const masked = maskError(leaky(), secrets);
  const shown = inspect(masked, { depth: null, showHidden: true }) + masked.stack + JSON.stringify(masked);
  assert.not.match(shown, secret);
  assert.match(inspect(leaky(), { depth: null }), secret); // Or the test would show nothing.
});

test('keeps all else: code, place, problems, and name and code of the cause', () => {
  const masked = maskError(leaky(), secrets);
  assert.instance(masked, ExtractError);
  assert.is(masked.code, 'ERR_TRANSPORT');
  assert.is(masked.message, 'message ***');
  const request = 'GET https://api.example/?key=***';
  assert.equal(masked.where, { job: 'users', page: 2, transport: 56, request });
  assert.equal(masked.problems, [{ path: 'api', message: 'problem ***' }]);
  const { cause } = masked;
  assert.instance(cause, Error);
  if (!(cause instanceof Error)) return;
  assert.equal([cause.name, cause.message, 'code' in cause && cause.code], ['TypeError', 'cause ***', 'ECONNRESET']);
  assert.is(cause.cause, undefined);
  assert.match(cause.stack ?? '', /^TypeError: cause \*\*\*\n +at leaky /);
});

test('drops internal members', () => {
  const error = new ExtractError('ERR_STATUS', 'no', { status: 503, kept: true, final: true, retryAfter: '7' });
  assert.equal(maskError(error, secrets).where, { status: 503, kept: true });
});

test('preserves the stack of the original error', () => {
  assert.match(maskError(leaky(), secrets).stack ?? '', /at leaky/);
});

test('invents neither cause nor request', () => {
  const masked = maskError(new ExtractError('ERR_USAGE', 'no'), secrets);
  assert.equal(masked.where, {});
  assert.not.ok('cause' in masked);
});

const causes: readonly [unknown, unknown][] = [
  [`said ${secret}`, 'said ***'],
  [{ secret }, undefined],
  [7, undefined],
];

for (const [cause, masked] of causes) {
  test(`makes ${JSON.stringify(masked)} of the cause ${JSON.stringify(cause)}`, () => {
    assert.equal(maskError(new ExtractError('ERR_SINK', 'no', { cause }), secrets).cause, masked);
  });
}

test('preserves the remedy', () => {
  assert.is(
    maskError(new ExtractError('ERR_TUNNEL', 'x', { remedy: 'Install it.' }), secrets).where.remedy,
    'Install it.',
  );
});

test('an error and a cause without a stack are masked too', () => {
  const without = <E extends Error>(error: E): E => Object.defineProperty(error, 'stack', { value: undefined });
  const cause = without(new Error(`cause ${secret}`));
  const masked = maskError(without(new ExtractError('ERR_TRANSPORT', `message ${secret}`, { cause })), secrets);
  assert.equal([masked.message, masked.stack], ['message ***', '']);
  assert.ok(masked.cause instanceof Error);
  assert.equal([masked.cause.message, masked.cause.stack], ['cause ***', '']);
});

test('masks the path in a response', () => {
  assert.equal(maskError(new ExtractError('ERR_DATA_FIELD', 'no', { path: `a.${secret}` }), secrets).where, {
    path: 'a.***',
  });
});

test.run();
