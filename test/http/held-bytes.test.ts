/** Bodies that wait for their page: what they may hold together, and how their connections pause. */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { lastValueFrom } from 'rxjs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createSecrets } from '../../src/core/secrets/secrets.js';
import { noHeaders } from '../../src/core/url/headers.js';
import { HeldBody, HeldBytes } from '../../src/http/held-bytes.js';
import { redirects } from '../../src/http/interceptors/redirects.js';
import { createRequestScope } from '../../src/http/request-context.js';
import { createTransport } from '../../src/http/transport/transport.js';
import type { HttpResponse } from '../../src/http/types.js';
import { startApi } from '../loopback/api.js';
import { turns } from '../sinks/lib.js';
import { failure } from '../support/failure.js';
import { startClock } from '../support/virtual-clock.js';
import { anyAddress } from './sender.js';

const reader = (log: string[], name: string) => ({ proceed: () => void log.push(name) });

test('lets bodies hold bytes up to the budget, and pauses what comes beyond', () => {
  const all = new HeldBytes(100);
  const [a, b] = [new HeldBody(all), new HeldBody(all)];
  const log: string[] = [];
  assert.ok(a.keep(60, reader(log, 'a')));
  assert.ok(b.keep(40, reader(log, 'b')));
  assert.not.ok(b.keep(10, reader(log, 'b')));
  assert.is(all.kept, 110);
  assert.equal(log, []);
  a.end();
  assert.equal(log, ['b']);
  assert.is(all.kept, 50);
  b.end();
  assert.is(all.kept, 0);
});

test('lets the one that waits longest proceed first, as far as there is room', () => {
  const all = new HeldBytes(100);
  const log: string[] = [];
  const bodies = ['a', 'b', 'c'].map((name) => ({ name, body: new HeldBody(all) }));
  for (const { name, body } of bodies) body.keep(101, reader(log, name));
  bodies[0]?.body.end();
  assert.equal(log, []);
  bodies[1]?.body.end();
  assert.equal(log, []);
  bodies[2]?.body.end();
  assert.equal(log, []);
  assert.is(all.kept, 0);
});

test('counts no body twice, and none that is over', () => {
  const all = new HeldBytes(100);
  const body = new HeldBody(all);
  body.keep(10, reader([], ''));
  body.end();
  body.end();
  assert.ok(body.keep(1000, reader([], '')));
  assert.is(all.kept, 0);
});

const size = 8 * 1024 * 1024;

/** A server whose body stops when its reader does. `sent` are the bytes that it could write. */
async function startLarge() {
  const seen = { sent: 0 };
  const body = async (response: ServerResponse) => {
    const chunk = Buffer.alloc(64 * 1024, 'x');
    while (seen.sent < size && !response.destroyed) {
      seen.sent += chunk.length;
      if (!response.write(chunk)) await once(response, 'drain').catch(() => undefined);
    }
    response.end();
  };
  return { ...(await startApi(() => ({ body }))), seen };
}

const origins = { trusts: () => true };

/** Sends a request whose response waits under this budget. */
function ask(
  origin: string,
  hold: HeldBody,
  { follows = false, ...timeouts }: { readonly requestTimeout?: number; readonly follows?: boolean } = {},
) {
  const secrets = createSecrets();
  const transport = createTransport({ origins, privateHosts: anyAddress, secrets, ...timeouts });
  const send = follows ? redirects({ origins, secrets })(transport.send) : transport.send;
  const scope = createRequestScope();
  const options = { isLast: true, onRequest: () => {}, hold };
  const request = { method: 'GET', url: `${origin}/`, headers: noHeaders };
  const response = lastValueFrom(scope.attempt(options, (context) => send(request, context)));
  return { response, scope, transport };
}

async function lengthOf({ body }: HttpResponse): Promise<number> {
  let length = 0;
  await body.read((chunk) => {
    length += chunk.length;
  });
  return length;
}

test('a body waits in memory up to the budget; then its connection pauses until it is read', async () => {
  const api = await startLarge();
  const all = new HeldBytes(256 * 1024);
  const hold = new HeldBody(all);
  const { response, transport } = ask(api.origin, hold);
  try {
    const got = await response;
    while (all.hasRoom()) await turns(1);
    await turns(20);
    assert.ok(all.kept < 512 * 1024, `${all.kept} bytes wait`);
    assert.ok(hold.hasBegun);
    assert.is(await lengthOf(got), size);
    assert.is(all.kept, 0);
  } finally {
    await transport.close();
    await api.close();
  }
});

test('a paused body proceeds when another gives its bytes back', async () => {
  const api = await startLarge();
  const all = new HeldBytes(size * 2);
  const other = new HeldBody(all);
  other.keep(size * 2 - 1024, reader([], ''));
  const hold = new HeldBody(all);
  const { response, transport } = ask(api.origin, hold);
  try {
    const got = await response;
    while (all.hasRoom()) await turns(1);
    other.end();
    while (hold.bytes < size) await turns(1);
    assert.is(await lengthOf(got), size);
  } finally {
    await transport.close();
    await api.close();
  }
});

test('a body that is dropped or breaks gives its bytes back', async () => {
  const api = await startLarge();
  const all = new HeldBytes(256 * 1024);
  const hold = new HeldBody(all);
  const { response, transport } = ask(api.origin, hold);
  try {
    const got = await response;
    while (all.hasRoom()) await turns(1);
    got.body.cancel();
    assert.equal([all.kept, hold.isBroken], [0, true]);
  } finally {
    await transport.close();
    await api.close();
  }
});

test('a body that arrived whole and is dropped gives its bytes back at once, and cannot be read', async () => {
  const api = await startApi(() => ({ body: 'x'.repeat(1000) }));
  const all = new HeldBytes(size);
  const hold = new HeldBody(all);
  const { response, transport } = ask(api.origin, hold, { requestTimeout: 60_000 });
  try {
    const got = await response;
    while (hold.bytes < 1000) await turns(1);
    await turns(20); // its end has arrived too
    got.body.cancel();
    assert.is(all.kept, 0);
    await failure(lengthOf(got));
    got.body.cancel();
  } finally {
    await transport.close();
    await api.close();
  }
});

test('a paused body does not count for the time of a request', async () => {
  const api = await startLarge();
  const clock = startClock();
  const all = new HeldBytes(256 * 1024);
  const { response, transport } = ask(api.origin, new HeldBody(all), { requestTimeout: 1000 });
  try {
    const got = await response;
    while (all.hasRoom()) await turns(1);
    clock.pass(5000);
    assert.is(await lengthOf(got), size);
  } finally {
    clock.stop();
    await transport.close();
    await api.close();
  }
});

test('a body that has arrived and waits does not count for the time of a request', async () => {
  const api = await startApi(() => ({ body: 'x'.repeat(1000) }));
  const clock = startClock();
  const hold = new HeldBody(new HeldBytes(size));
  const { response, transport } = ask(api.origin, hold, { requestTimeout: 1000 });
  try {
    const got = await response;
    while (hold.bytes < 1000) await turns(1);
    await turns(20); // its end has arrived too
    clock.pass(5000);
    assert.not.ok(hold.isBroken);
    assert.is(await lengthOf(got), 1000);
  } finally {
    clock.stop();
    await transport.close();
    await api.close();
  }
});

for (const length of [10, 200_000]) {
  test(`a body after a redirect with ${length} bytes waits as any other`, async () => {
    const large = await startLarge();
    const api = await startApi(() => ({
      status: 302,
      headers: { location: `${large.origin}/` },
      body: 'x'.repeat(length),
    }));
    const all = new HeldBytes(256 * 1024);
    const hold = new HeldBody(all);
    const { response, transport } = ask(api.origin, hold, { follows: true });
    try {
      const got = await response;
      while (all.hasRoom() && large.seen.sent < size) await turns(1);
      await turns(20);
      assert.ok(all.kept > 256 * 1024 && all.kept < 512 * 1024, `${all.kept} bytes wait`);
      assert.not.ok(hold.isBroken);
      hold.take();
      assert.is(await lengthOf(got), size);
      assert.is(all.kept, 0);
    } finally {
      await transport.close();
      await api.close();
      await large.close();
    }
  });
}

test.run();
