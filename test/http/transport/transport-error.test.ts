/** What the codes of Node and undici mean by the numbers of curl. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ExtractError } from '../../../src/core/errors/errors.js';
import type { ProxyServer } from '../../../src/http/transport/proxy.js';
import { unauthenticated, unreachable } from '../../../src/http/transport/proxy-failures.js';
import { bodyError, connectionError, transportCode } from '../../../src/http/transport/transport-error.js';

const coded = (code: string) => Object.assign(new Error('with TopSecret'), { code });

const table: readonly (readonly [code: string, connecting: number | undefined, reading: number | undefined])[] = [
  ['UND_ERR_CONNECT_TIMEOUT', 28, 28],
  ['UND_ERR_HEADERS_TIMEOUT', 28, 28],
  ['UND_ERR_BODY_TIMEOUT', 28, 28],
  ['ETIMEDOUT', 28, 28],
  ['ENOTFOUND', 6, 6],
  ['EAI_AGAIN', 6, 6],
  ['ECONNREFUSED', 7, 7],
  ['EHOSTUNREACH', 7, 7],
  ['EPROTO', 35, 35],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 35, 35],
  ['UND_ERR_SOCKET', 52, 18],
  ['ECONNRESET', 56, 56],
  ['CERT_HAS_EXPIRED', 60, 60],
  ['SELF_SIGNED_CERT_IN_CHAIN', 60, 60],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 60, 60],
  ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', undefined, 18],
  ['Z_DATA_ERROR', 61, 61],
  ['ZSTD_error_prefix_unknown', 61, 61],
  ['EMFILE', undefined, undefined],
];

for (const [code, connecting, reading] of table) {
  test(`${code} is ${connecting} before a response, ${reading} within one`, () => {
    assert.is(transportCode(connectionError(coded(code), 'GET x')), connecting);
    assert.is(transportCode(bodyError(coded(code), 'GET x')), reading);
  });
}

for (const [code, unsent] of [
  ['ENOTFOUND', true],
  ['ECONNREFUSED', true],
  ['EHOSTUNREACH', true],
  ['UND_ERR_CONNECT_TIMEOUT', true],
  ['ETIMEDOUT', undefined],
  ['EPROTO', undefined],
  ['UND_ERR_HEADERS_TIMEOUT', undefined],
  ['UND_ERR_SOCKET', undefined],
  ['ECONNRESET', undefined],
] as const) {
  test(`with ${code} ${unsent === true ? 'nothing' : 'something may have'} been sent; after a redirect something has`, () => {
    assert.is(connectionError(coded(code), 'GET x').where.unsent, unsent);
    assert.is(connectionError(coded(code), 'GET x', 1).where.unsent, undefined);
    assert.is(bodyError(coded(code), 'GET x').where.unsent, undefined);
  });
}

test('the thrown value is the cause, its message is not repeated', () => {
  const thrown = coded('ECONNREFUSED');
  const error = connectionError(thrown, 'GET x');
  assert.is(error.cause, thrown);
  assert.is(error.message, 'GET x: the connection was refused (ECONNREFUSED)');
});

test('several attempts to connect count as their first', () => {
  assert.is(transportCode(connectionError(new AggregateError([coded('ECONNREFUSED')]), 'GET x')), 7);
});

test('an error of ours stays and learns the request', () => {
  const error = bodyError(new ExtractError('ERR_JSON', 'bad'), 'GET x');
  assert.equal([error.code, error.where.request], ['ERR_JSON', 'GET x']);
});

test('other errors have no number', () => {
  assert.is(transportCode(new Error('x')), undefined);
  assert.is(transportCode(undefined), undefined);
  assert.is(transportCode(connectionError(new TypeError('x'), 'GET x')), undefined);
});

const proxy: ProxyServer = {
  ...{ scheme: 'http', host: 'proxy.example', port: 3128, address: 'http://proxy.example:3128' },
  ...{ user: '', password: '' },
};

test('a failure of a proxy names it, and what it is', () => {
  const of = (code: string) => unreachable(proxy, coded(code)).message;
  assert.is(
    of('UND_ERR_HEADERS_TIMEOUT'),
    'the proxy http://proxy.example:3128 did not connect in time (`api.http.connectTimeout`)',
  );
  assert.match(of('ECONNREFUSED'), /^the proxy http:\/\/proxy\.example:3128 cannot be reached: /);
  assert.match(of('ECONNRESET'), /^the proxy http:\/\/proxy\.example:3128: /);
  assert.match(unreachable(proxy, new TypeError('odd')).message, /^the proxy http:\/\/proxy\.example:3128/);
  assert.match(unauthenticated(proxy, '').message, /requires a user and a password$/);
  assert.match(
    unauthenticated({ ...proxy, user: 'ada', password: 'pw' }, ' (status 407)').message,
    /rejects the user and password \(status 407\)$/,
  );
});

test.run();
