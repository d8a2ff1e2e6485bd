/** Login requests: counted separately, and named in errors. */
import { firstValueFrom } from 'rxjs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { LoginRequest } from '../../src/auth/types.js';
import type { ErrorCode } from '../../src/core/errors/error-codes.js';
import { ExtractError } from '../../src/core/errors/errors.js';
import { emptyObject } from '../../src/core/json/exact.js';
import { defaultRetry } from '../../src/core/model/retry.js';
import { noHeaders } from '../../src/core/url/headers.js';
import { bodyOf } from '../../src/http/body.js';
import { createLoginRequester } from '../../src/http/login-requester.js';
import type { Handler, HttpResponse } from '../../src/http/types.js';
import { failure } from '../support/failure.js';

const request: LoginRequest = { method: 'POST', endpoint: 'login', params: emptyObject, headers: noHeaders };
const rules = {
  baseUrl: 'http://api.example/',
  defaultOptions: { method: 'GET' as const, params: emptyObject, headers: noHeaders },
  clientHeaders: noHeaders,
  userAgent: 'test',
  origins: { trusts: () => true },
  secrets: { isSecret: () => false, mask: (text: string) => text },
};

const replyOf = (...chunks: readonly Uint8Array[]): HttpResponse => ({
  status: 200,
  headers: {},
  request: { method: 'POST', url: 'http://api.example/login', headers: noHeaders },
  contentType: undefined,
  isOpenEnded: false,
  body: bodyOf(chunks),
});

const loginsThrough = (send: Handler) =>
  createLoginRequester({
    send,
    rules,
    policy: { retry: { ...defaultRetry, maxRetries: 0 }, notify: () => {} },
    isSentOnce: () => false,
  });

test('returns the status and the complete body', async () => {
  const logins = loginsThrough(async () => ({ ...replyOf(Buffer.from('{"a":'), Buffer.from('1}')), status: 403 }));
  const reply = await firstValueFrom(logins.ask(request));
  assert.is(reply.status, 403);
  assert.is(Buffer.from(reply.body).toString(), '{"a":1}');
});

test('is sent without credentials', async () => {
  const logins = loginsThrough(async (_, context) => {
    assert.is(context.credentials, undefined);
    return replyOf();
  });
  await firstValueFrom(logins.ask(request));
});

test('requests are counted until the count is read', async () => {
  const logins = loginsThrough(async (_, { onRequest }) => {
    onRequest(1);
    onRequest(2);
    return replyOf();
  });
  assert.is(logins.take(), 0);
  await firstValueFrom(logins.ask(request));
  await firstValueFrom(logins.ask(request));
  assert.is(logins.take(), 6);
  assert.is(logins.take(), 0);
});

const failures: readonly (readonly [code: ErrorCode, message: string])[] = [
  ['ERR_STATUS', 'the login request was refused'],
  ['ERR_LOGIN', 'was refused'],
  ['ERR_ABORTED', 'was refused'],
];
for (const [code, message] of failures) {
  test(`an error names the login once: ${code}`, async () => {
    const logins = loginsThrough(() => Promise.reject(new ExtractError(code, 'was refused')));
    const error = await failure(firstValueFrom(logins.ask(request)));
    assert.is(error.code, code);
    assert.is(error.message, message);
  });
}

test('a reply that is too large is a failure of the login, and read no further', async () => {
  const piece = new Uint8Array(8 * 1024 * 1024);
  let pulled = 0;
  async function* endless() {
    for (;;) {
      pulled += 1;
      yield piece;
    }
  }
  const logins = loginsThrough(async () => ({ ...replyOf(), body: bodyOf(endless()) }));
  const error = await failure(firstValueFrom(logins.ask(request)));
  assert.is(error.code, 'ERR_LOGIN');
  assert.is(error.message, 'the login response is larger than 16777216 bytes');
  assert.is(pulled, 3);
});

test.run();
