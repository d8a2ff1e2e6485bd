import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ObservedRequest } from '../../src/core/model/request-watch.js';
import { createSecrets } from '../../src/core/secrets/secrets.js';
import { observeRequests } from '../../src/http/observe-requests.js';
import { createRequestScope, RequestContext } from '../../src/http/request-context.js';
import type { Handler } from '../../src/http/types.js';

const send: Handler = async (request) => ({
  status: 200,
  headers: {},
  contentType: undefined,
  request,
  isOpenEnded: false,
  body: { read: async () => {}, cancel: () => {} },
});

async function seenOf(url: string, isFollowed: boolean): Promise<readonly ObservedRequest[]> {
  const seen: ObservedRequest[] = [];
  const watch = {
    request(request: ObservedRequest) {
      seen.push(request);
      return { responds() {}, ends() {} };
    },
  };
  const options = { isLast: true, onRequest: () => {}, ...(isFollowed ? { watch } : {}) };
  const context = new RequestContext(createRequestScope(), options);
  const request = { method: 'GET', url, headers: new Map() };
  await observeRequests(send, createSecrets(), () => true)(request, context);
  return seen;
}

test('a request has the host and the port of its address, which its scheme may say', async () => {
  for (const [url, host, port] of [
    ['http://example.com/a', 'example.com', 80],
    ['https://example.com/a', 'example.com', 443],
    ['https://example.com:8443/a', 'example.com', 8443],
  ] as const) {
    const [request] = await seenOf(url, true);
    assert.equal(request?.server, { host, port });
    assert.is(request?.url(), url);
  }
});

test('a request that nothing follows is sent as it is', async () => {
  assert.equal(await seenOf('http://example.com/a', false), []);
});

test.run();
