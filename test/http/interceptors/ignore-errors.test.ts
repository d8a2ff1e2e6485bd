/** Responses that the configuration ignores: the pages made of them, and errors that are never ignored. */

import { firstValueFrom } from 'rxjs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { memory } from '../../../sinks/index.js';
import { defaultRetry } from '../../../src/core/model/retry.js';
import { createSecrets } from '../../../src/core/secrets/secrets.js';
import { noHeaders } from '../../../src/core/url/headers.js';
import { sourceOf } from '../../../src/core/util/byte-source.js';
import { ignoreErrors } from '../../../src/http/interceptors/ignore-errors.js';
import { createRequestScope } from '../../../src/http/request-context.js';
import type { HttpResponse } from '../../../src/http/types.js';
import { run } from '../../../src/run/extract.js';
import { startApi } from '../../loopback/api.js';
import { rejection } from '../../sinks/lib.js';
import { chunksOf } from '../../support/chunks-of.js';
import {
  comeAgain,
  configOf,
  json,
  listener,
  login,
  type MockReply,
  onNetwork,
  pagenum,
  password,
} from '../../support/mock-network.js';

const whole = [{ endpoint: 'a', dataField: '.' }];
const ignoring = (...ignoreErrors: readonly unknown[]) => ({ http: { ignoreErrors } });

const becomes: readonly (readonly [what: string, ignored: readonly unknown[], reply: MockReply, items: unknown])[] = [
  ['an error with an object', [404], json({ error: 'x' }, { status: 404 }), [{ error: 'x' }]],
  ['an error with a list', [404], json([1, 2], { status: 404 }), [1, 2]],
  ['an error with text', [404], { status: 404, body: 'no "such" page' }, [{ errorData: 'no "such" page' }]],
  ['an error without a body', [404], { status: 404 }, [{ errorData: '' }]],
  ['an error with a single value', [404], { status: 404, body: '"not found"' }, [{ errorData: '"not found"' }]],
  ['an error that is listed as a text', ['404'], { status: 404, body: 'no' }, [{ errorData: 'no' }]],
  ['an error of the server', [500], { status: 500, body: '<html>' }, [{ errorData: '<html>' }]],
  ['JSON that breaks off', [200], { body: '{"a":[1,2,' }, [{ errorData: '{"a":[1,2,' }]],
  ['JSON with more behind it', [200], { body: '[1] [2]' }, [{ errorData: '[1] [2]' }]],
  [
    'JSON that nests too deep',
    [200],
    { body: '['.repeat(600) + ']'.repeat(600) },
    [{ errorData: `${'['.repeat(600)}${']'.repeat(600)}` }],
  ],
  ['good JSON', [200], json({ a: 1 }), [{ a: 1 }]],
  ['a single value of a success', [200], { body: '"text"' }, ['text']],
  ['an answer of white space', [200], { body: ' \n' }, [{ errorData: ' \n' }]],
  ['204', [204], { status: 204 }, [{ errorData: '' }]],
  ['lines', [200], { headers: { 'content-type': 'application/x-ndjson' }, body: '1\n2\n' }, [1, 2]],
  [
    'lines that are all blank',
    [200],
    { headers: { 'content-type': 'application/x-ndjson' }, body: ' \n' },
    [{ errorData: ' \n' }],
  ],
  [
    'no lines',
    [200],
    { headers: { 'content-type': 'application/x-ndjson' }, body: '1\nno\n' },
    [{ errorData: '1\nno\n' }],
  ],
];

for (const [what, ignored, reply, expected] of becomes) {
  test(
    `${what}, listed as ${JSON.stringify(ignored)}, becomes ${JSON.stringify(expected).slice(0, 60)}`,
    onNetwork({ 'GET /a': reply }, async ({ dispatcher }) => {
      const to = memory();
      const api = { ...ignoring(...ignored), retryConfig: { maxRetries: 0 } };
      await run(configOf(whole, api), { to, dispatcher });
      assert.equal(to.items(), expected);
    }),
  );
}

test(
  'a status that is not listed stays an error',
  onNetwork({ 'GET /a': { status: 404 } }, async ({ dispatcher }) => {
    await rejection(run(configOf(whole, ignoring(403, 200)), { dispatcher }), 'ERR_STATUS');
  }),
);

test(
  'the data field leads into an ignored response as into any other, and a page without items continues without error',
  onNetwork(
    { 'GET /a': json({ rows: [1, 2] }, { status: 410 }), 'GET /b': { status: 410, body: 'gone' } },
    async ({ dispatcher }) => {
      const to = memory();
      const { notify, codes } = listener();
      const jobs = [{ endpoint: 'a', dataField: 'rows' }, { endpoint: 'b' }];
      await run(configOf(jobs, ignoring(410)), { to, dispatcher, notify });
      assert.equal([to.items(), codes()], [[1, 2], ['no-list']]);
    },
  ),
);

test(
  'pagination continues after an ignored response',
  onNetwork(
    {
      'GET /a?page=1': json([1]),
      'GET /a?page=2': json({ items: [2] }, { status: 404 }),
      'GET /a?page=3': { status: 404, body: 'the end' },
    },
    async ({ dispatcher }) => {
      const to = memory();
      await run(configOf([{ endpoint: 'a' }], { ...pagenum(), ...ignoring(404) }), { to, dispatcher });
      assert.equal(to.items(), [1, 2]);
    },
  ),
);

test(
  'retries come first',
  onNetwork(
    { 'GET /a': [comeAgain(503), comeAgain(503), { ...comeAgain(503), body: 'busy' }] },
    async ({ dispatcher }) => {
      const to = memory();
      const api = { ...ignoring(503), retryConfig: { maxRetries: 2 } };
      const { jobs } = await run(configOf(whole, api), { to, dispatcher });
      assert.equal([to.items(), jobs[0]?.retries], [[{ errorData: 'busy' }], 2]);
    },
  ),
);

test(
  'a login that fails is never ignored',
  onNetwork({ 'POST /login': json({ token: 't-12345' }, { status: 404 }) }, async ({ dispatcher }) => {
    const error = await rejection(
      run(configOf(whole, { ...login(), ...ignoring(404, 0) }, password), { dispatcher }),
      'ERR_STATUS',
    );
    assert.is(error.where.login, true);
  }),
);

/** Of the object that replaces a response. */
const textOf = (item: unknown): string => String(Object.entries(item ?? {}).find(([key]) => key === 'errorData')?.[1]);

/** An address without a listener. */
async function nowhere(): Promise<string> {
  const api = await startApi(() => ({}));
  await api.close();
  return api.origin;
}

test('a failed connection becomes its message if 0 is listed', async () => {
  const origin = await nowhere();
  const to = memory();
  const api = { baseUrl: `${origin}/`, ...ignoring(0), retryConfig: { maxRetries: 0 } };
  await run(configOf([{ endpoint: 'a?key=s3cret-key', dataField: '.' }], api, { '#key': 's3cret-key' }), { to });
  const [item] = to.items();
  assert.match(textOf(item), `GET ${origin}/a?key=`);
  assert.match(textOf(item), 'the connection was refused (ECONNREFUSED)');
  assert.not.match(textOf(item), 's3cret-key');
});

test('a connection that fails in a way that is not tried again becomes its message at once', async () => {
  const to = memory();
  const retryConfig = { maxRetries: 3, curl: { codes: [28] } };
  const api = { baseUrl: `${await nowhere()}/`, ...ignoring(0), retryConfig };
  const { jobs } = await run(configOf(whole, api), { to });
  assert.equal([to.items().length, jobs[0]?.requests], [1, 1]);
});

test('a connection that fails in a login is never ignored', async () => {
  const api = { baseUrl: `${await nowhere()}/`, ...login(), ...ignoring(0), retryConfig: { maxRetries: 0 } };
  await rejection(run(configOf(whole, api, password)), 'ERR_TRANSPORT');
});

const cutShort = { headers: { 'content-length': '100' } };

test('a broken body becomes its message if 0 is listed, after its retries', async () => {
  const api = await startApi(() => ({
    ...cutShort,
    body: (response) => void response.write('[1,2', () => response.destroy()),
  }));
  const to = memory();
  const config = configOf(whole, {
    baseUrl: `${api.origin}/`,
    ...ignoring(0),
    retryConfig: { maxRetries: 0, curl: { codes: [18, 56] } },
  });
  await run(config, { to });
  const [item, ...others] = to.items();
  assert.match(textOf(item), 'before it was complete');
  assert.equal([others, api.requests.length], [[], 1]);
  await api.close();
});

test('a body that is too large to be examined is streamed unchanged', async () => {
  const chunk = Buffer.alloc(1024 * 1024, 0x20);
  let given = 0;
  async function* body() {
    for (; given < 40; given += 1) yield chunk;
  }
  const content = await ignoring404(body());
  assert.ok(given < 18, `${given} MiB were read ahead`);
  let length = 0;
  for await (const each of chunksOf(content.body)) length += each.length;
  assert.is(length, 40 * chunk.length);
});

test('leaving a body that streams by cancels its source', async () => {
  let isCancelled = false;
  async function* body() {
    while (!isCancelled) yield Buffer.alloc(1024 * 1024, 0x20);
  }
  const cancel = () => {
    isCancelled = true;
  };
  const content = await ignoring404(body(), cancel);
  for await (const _ of chunksOf(content.body)) break;
  assert.ok(isCancelled);
});

/** What the interceptor makes of a 404 with this body. */
function ignoring404(chunks: AsyncIterable<Uint8Array>, cancel = () => {}): Promise<HttpResponse> {
  const secrets = createSecrets();
  const request = { method: 'GET', url: 'http://api.example/a', headers: noHeaders };
  const head = { status: 404, headers: {}, contentType: undefined, request, isOpenEnded: false };
  const handler = ignoreErrors({ ignored: new Set([404]), retry: defaultRetry, secrets })(async () => ({
    ...head,
    body: { ...sourceOf(chunks), cancel },
  }));
  const attempt = createRequestScope().attempt({ isLast: true, onRequest: () => {} }, (context) =>
    handler(request, context),
  );
  return firstValueFrom(attempt);
}

test.run();
