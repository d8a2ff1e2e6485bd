/** Requests of the sink http one by one: statuses, connections that fail, and waits that a receiver asks for. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createAddressSecrets } from '../../../sinks/addresses/address-secrets.js';
import { checkConnection, createReceiver, type Delivery, RefusedContent } from '../../../sinks/http/http-client.js';
import { type Answer, startApi } from '../../loopback/api.js';
import { calm, rejection } from '../lib.js';

const { excerpt } = createAddressSecrets();
const plain = { tls: undefined, excerpt };

type Work = (delivery: Delivery, requests: readonly unknown[]) => Promise<void>;

async function withApi(answer: Answer, work: Work): Promise<void> {
  const api = await startApi(answer);
  try {
    await work({ method: 'POST', url: new URL(`${api.origin}/in?x=secret`), headers: {} }, api.requests);
  } finally {
    await api.close();
  }
}

/** The same delivery over TLS, which the server does not have. */
const secure = (delivery: Delivery): Delivery => ({
  ...delivery,
  url: new URL(String(delivery.url).replace('http', 'https')),
});

test('a receiver that was never used has nothing to close', () => {
  createReceiver(plain).close();
});

test('a status is read once, whatever it is', () =>
  withApi(
    () => ({ status: 503 }),
    async (delivery, requests) => {
      const receiver = createReceiver(plain);
      assert.is(await receiver.statusOf({ ...delivery, method: 'OPTIONS' }), 503);
      assert.is(requests.length, 1);
      receiver.close();
    },
  ));

test('a connection without TLS where TLS is wanted is an error at once, without the query', () =>
  withApi(
    () => ({ status: 204 }),
    async (delivery, requests) => {
      const receiver = createReceiver(plain);
      const wrong = secure(delivery);
      for (const work of [() => receiver.statusOf(wrong), () => receiver.deliver(wrong, calm)]) {
        const { message } = await rejection(work, 'ERR_SINK', /http: POST https:\/\/127\.0\.0\.1:\d+\/in: /);
        assert.not.match(message, /secret/);
      }
      await rejection(() => checkConnection(wrong.url), 'ERR_SINK', /http: cannot connect to 127\.0\.0\.1:\d+: /);
      await checkConnection(delivery.url);
      assert.is(requests.length, 0);
      receiver.close();
    },
  ));

test('a port on which no server listens is an error of the connection', async () => {
  let free: Delivery | undefined;
  await withApi(
    () => ({ status: 204 }),
    async (delivery) => {
      free = delivery;
    },
  );
  assert.ok(free);
  const [receiver, { url }] = [createReceiver(plain), free];
  const failing = free;
  await rejection(() => receiver.statusOf(failing), 'ERR_SINK', /connection refused \(ECONNREFUSED\)/);
  await rejection(() => checkConnection(url), 'ERR_SINK', /connection refused \(ECONNREFUSED\)/);
  receiver.close();
});

test('a status says whether the content is refused', async () => {
  for (const [status, isContent] of [
    [400, true],
    [413, true],
    [422, true],
    [401, false],
    [404, false],
  ] as const)
    await withApi(
      () => ({ status, body: 'no\n  such ' }),
      async (delivery, requests) => {
        const receiver = createReceiver(plain);
        const work = () => receiver.deliver({ ...delivery, body: Buffer.from('1') }, calm);
        const thrown = await rejection(work, 'ERR_SINK', new RegExp(`/in: status ${status}: no such$`));
        assert.is(thrown instanceof RefusedContent, isContent);
        assert.is(requests.length, 1);
        receiver.close();
      },
    );
});

test('a wait is seconds, or a date after that of the response; beyond ten minutes it is an error', async () => {
  const date = 'Sun, 22 Nov 2026 14:00:00 GMT';
  for (const after of ['0', date, 'Sun, 22 Nov 2026 13:00:00 GMT', 'soon'])
    await withApi(
      (_, index) => (index === 0 ? { status: 429, headers: { 'retry-after': after, date } } : { status: 204 }),
      async (delivery, requests) => {
        const receiver = createReceiver(plain);
        await receiver.deliver(delivery, calm);
        assert.is(requests.length, 2);
        receiver.close();
      },
    );
  for (const after of ['601', 'Sun, 22 Nov 2026 15:00:00 GMT'])
    await withApi(
      () => ({ status: 429, headers: { 'retry-after': after, date } }),
      async (delivery, requests) => {
        const receiver = createReceiver(plain);
        await rejection(() => receiver.deliver(delivery, calm), 'ERR_SINK', /status 429$/);
        assert.is(requests.length, 1);
        receiver.close();
      },
    );
});

test('a secret across the end of what is shown does not show', () =>
  withApi(
    () => ({ status: 401, body: `${'x'.repeat(290)} hush-hush-hush` }),
    async (delivery) => {
      const address = createAddressSecrets();
      address.hide('hush-hush-hush');
      const receiver = createReceiver({ tls: undefined, excerpt: address.excerpt });
      const thrown = await rejection(() => receiver.deliver(delivery, calm), 'ERR_SINK', /status 401: x{290} \*\*\*$/);
      assert.not.match(thrown.message, 'hush');
      receiver.close();
    },
  ));

test.run();
