/** Queues and exchanges that are there, missing, or not allowed, over channels whose answers the test decides. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readTemplate } from '../../../sinks/addresses/templates.js';
import { type AmqpChannel, isBroken, type RabbitLink, rabbitError } from '../../../sinks/rabbitmq/rabbitmq-client.js';
import { type RabbitTarget, verifyQueue, verifyTarget } from '../../../sinks/rabbitmq/rabbitmq-targets.js';
import { ExtractError } from '../../../src/core/errors/errors.js';
import { rejection } from '../lib.js';

const closed = (code: number, words: string) =>
  Object.assign(new Error(`Channel closed by server: ${code} with message "${words}"`), { code });
const noQueue = closed(404, "NOT_FOUND - no queue 'q' in vhost '/'");

/** Each call is in `seen`, and fails as the faults say. */
function scene(faults: { readonly [Name in 'checkQueue' | 'assertQueue' | 'checkExchange' | 'publish']?: Error } = {}) {
  const seen: string[] = [];
  const called = async (name: keyof typeof faults, about: string) => {
    seen.push(`${name} ${about}`);
    if (faults[name] !== undefined) throw faults[name];
  };
  const channel: AmqpChannel = {
    checkQueue: (name) => called('checkQueue', name),
    assertQueue: (name, options) => called('assertQueue', `${name} ${JSON.stringify(options)}`),
    checkExchange: (name) => called('checkExchange', name),
    publish(exchange, key, _, options, confirmed) {
      const shown = key.replace(/^rxtract-probe-.{16}$/, 'PROBE');
      seen.push(`publish ${exchange} ${shown} ${JSON.stringify(options)}`);
      confirmed(faults.publish ?? null);
      return true;
    },
    close: async () => {},
    on: () => undefined,
  };
  const link: RabbitLink = {
    ...{ isRabbitMq: true, ending: undefined, publish: () => assert.unreachable(), close: async () => {} },
    onChannel: (work) => work(channel),
  };
  return { link, seen };
}

const key = (text: string) => readTemplate(text, { what: 'amqp: the key', escape: (value) => value });
const queue = (text: string, mayCreate = true): RabbitTarget => ({
  kind: 'queue',
  exchange: '',
  key: key(text),
  mayCreate,
});
const exchange = (text: string): RabbitTarget => ({ kind: 'exchange', exchange: 'e', key: key(text) });

test('a queue that is there is used as it is', async () => {
  const { link, seen } = scene();
  await verifyTarget(link, queue('q'), true);
  assert.equal(seen, ['publish  PROBE {"mandatory":true}', 'checkQueue q']);
  const many = scene();
  await verifyTarget(many.link, queue('q-{dataType}'), true);
  assert.is(many.seen.length, 1);
});

test('a missing queue is created, but not by a check, and not without leave', async () => {
  const made = scene({ checkQueue: noQueue });
  await verifyQueue(made.link.onChannel, 'q', true, true);
  assert.equal(made.seen, ['checkQueue q', 'assertQueue q {"durable":true,"arguments":{"x-queue-type":"quorum"}}']);
  const checked = scene({ checkQueue: noQueue });
  await verifyQueue(checked.link.onChannel, 'q', true, false);
  assert.equal(checked.seen, ['checkQueue q']);
  await rejection(
    () => verifyQueue(checked.link.onChannel, 'q', false, true),
    'ERR_SINK',
    /amqp: there is no queue "q", and create=false/,
  );
});

test('an answer that does not say that a queue is missing stays an error', async () => {
  for (const fault of [closed(404, 'NOT_FOUND - no exchange'), closed(403, 'no queue'), new Error('Channel closed')]) {
    const { link, seen } = scene({ checkQueue: fault });
    assert.is(await verifyQueue(link.onChannel, 'q', true, true).catch((thrown: unknown) => thrown), fault);
    assert.is(seen.length, 1);
  }
});

test('a queue that cannot be created is named, unless another process has created it', async () => {
  const create = (assertQueue: Error) =>
    verifyQueue(scene({ checkQueue: noQueue, assertQueue }).link.onChannel, 'q', true, true);
  await create(closed(406, 'PRECONDITION_FAILED - inequivalent arg'));
  const right = closed(403, "ACCESS_REFUSED - access to queue 'q' refused");
  await rejection(
    () => create(right),
    'ERR_SINK',
    /cannot create the queue "q": the user lacks the permission "configure"/,
  );
  const gone = closed(320, 'CONNECTION_FORCED');
  assert.is(await create(gone).catch((thrown: unknown) => thrown), gone);
});

test('an exchange is verified, and RabbitMQ is asked for the right to write', async () => {
  const invalid = closed(406, 'PRECONDITION_FAILED - invalid expiration');
  const { link, seen } = scene({ publish: invalid });
  await verifyTarget(link, exchange('k'), true);
  await verifyTarget(link, exchange('{dataType}'), true);
  await verifyTarget({ ...link, isRabbitMq: false }, exchange('k'), true);
  const expiring = '{"mandatory":true,"expiration":"rxtract-probe"}';
  const probes = [`publish e k ${expiring}`, `publish e  ${expiring}`];
  assert.equal(seen, ['checkExchange e', probes[0], 'checkExchange e', probes[1], 'checkExchange e']);
  const missing = scene({ checkExchange: closed(404, "NOT_FOUND - no exchange 'e'") });
  await rejection(
    () => verifyTarget(missing.link, exchange('k'), true),
    'ERR_SINK',
    /there is no exchange "e": create/,
  );
  for (const faults of [{ checkExchange: closed(403, 'no') }, { publish: closed(403, 'no') }]) {
    const thrown = await verifyTarget(scene(faults).link, exchange('k'), true).catch((each: unknown) => each);
    assert.is(thrown, Object.values(faults)[0]);
  }
});

test('another attempt helps when the broker or the connection is gone', () => {
  const reset = Object.assign(new Error('x'), { code: 'ECONNRESET' });
  for (const thrown of [closed(320, 'x'), closed(541, 'x'), reset, new Error('Heartbeat timeout')])
    assert.ok(isBroken(thrown), String(thrown));
  assert.ok(isBroken(new ExtractError('ERR_SINK', 'x', { cause: reset })));
  const refused = new Error('Expected ConnectionOpenOk; got <ConnectionClose closed>');
  for (const thrown of [
    closed(403, 'closed'),
    refused,
    new Error('other'),
    'closed',
    new ExtractError('ERR_SINK', 'closed'),
  ])
    assert.not(isBroken(thrown), String(thrown));
});

test('the message has the words of the server, and what they mean', () => {
  const described = (words: string) => rabbitError('publish', closed(403, words)).message;
  assert.match(described("access to exchange 'e' refused"), /the user lacks the permission "write" \(access to/);
  assert.match(described('Login was refused'), /the server rejects the user or the password/);
  assert.is(described('something'), 'amqp: cannot publish: something');
  const early = rabbitError('publish', new Error('Socket closed abruptly during opening handshake'));
  assert.match(early.message, /amqps: is for TLS, amqp: for none/);
  assert.is(rabbitError('publish', early), early);
});

test.run();
