/** The sink of RabbitMQ without a server: its addresses, its options in code, and what errors mean. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { guaranteeOf } from '../../../sinks/contract.js';
import { rabbitmq } from '../../../sinks/rabbitmq/rabbitmq.js';
import { isBroken, rabbitError } from '../../../sinks/rabbitmq/rabbitmq-client.js';
import { sinkFromUri } from '../../../sinks/registry.js';
import { ExtractError } from '../../../src/core/errors/errors.js';
import { rejection } from '../lib.js';

const faults: readonly (readonly [uri: string, message: RegExp])[] = [
  ['amqp://h/', /^amqp: expected the option queue=\.\.\. or exchange=\.\.\.$/],
  ['amqp://h/?queue=q&exchange=x', /^amqp: expected queue=\.\.\. or exchange=\.\.\., found both$/],
  ['amqp://h/?queue=q&key=k', /^amqp: key belongs to exchange/],
  ['amqp://h/?exchange=x&create=false', /^amqp: create belongs to queue/],
  ['amqp://h/?exchange={job}', /^amqp: exchange: a placeholder belongs to key/],
  ['amqp://h/a/b?queue=q', /^amqp: vhost: expected one name, in which a slash is written %2F, found "a\/b"$/],
  ['amqp://h/?queue={jobs}', /^amqp: the queue: unknown placeholder "\{jobs\}".*did you mean "job"/],
  [
    'amqp://h/?queue=q&wait=0',
    /^amqp: wait: expected a whole number of seconds from 1 to 86400, or a time such as 10m or 1h30m, found "0"$/,
  ],
  ['amqp://h/?queue=q&ca=x', /^amqp: ca, cert and certkey need a connection with TLS: use amqps:/],
  ['amqps://h/?queue=q&cert=x', /^amqps: cert and certkey belong together/],
];

for (const [uri, message] of faults) {
  test(`explains what is wrong with ${uri}`, async () => {
    await rejection(() => sinkFromUri(uri), 'ERR_USAGE', message);
  });
}

test('it is at least once, and a user without a password is no secret', () => {
  const sink = sinkFromUri('amqp://joe@h,i:1/%2F?queue=q');
  assert.is(guaranteeOf(sink), 'at least once');
  assert.equal(sink.secrets, []);
  assert.equal(sinkFromUri('amqp://joe:word@h/?queue=q').secrets?.includes('word'), true);
});

test('in code it has the same options', async () => {
  const sink = rabbitmq({
    ...{ servers: ['a', 'b:1'], vhost: 'a/b', tls: true, user: 'joe', password: 'w/1' },
    ...{ exchange: 'x y', key: '{dataType}.{job}', wait: 5 },
  });
  await sink.abort(undefined);
  assert.match(sink.name ?? '', /^amqps:\/\/\*\*\*@a,b:1\/a%2Fb\?exchange=x%20y&key=\{dataType\}\.\{job\}&wait=5$/);
  assert.ok(sink.secrets?.includes('w/1'));
  assert.match(rabbitmq({ servers: 'h', queue: 'q' }).name ?? '', /^amqp:\/\/h\?queue=q$/);
  const wrong = { servers: 'h', queue: 'q', vhosts: '/' };
  await rejection(() => rabbitmq(wrong), 'ERR_USAGE', /unknown option "vhosts".*did you mean "vhost"/);
});

test('a write after the end is refused, and one with an aborted signal', async () => {
  const { batchOf } = await import('../../../sinks/batch.js');
  const sink = sinkFromUri('amqp://127.0.0.1:1/?queue=q');
  await rejection(async () => sink.write(batchOf('t', [1]), AbortSignal.abort()), 'ERR_ABORTED');
  await sink.abort(undefined);
  await rejection(async () => sink.write(batchOf('t', [1]), new AbortController().signal), 'ERR_SINK', /is closed/);
});

const coded = (message: string, code: number | string) => Object.assign(new Error(message), { code });

test('an error of the connection may pass, one of the server does not', () => {
  const passing = [
    ...[coded('', 'ECONNRESET'), coded('', 320), coded('', 541), new Error('Unexpected close')],
    ...[new Error('Heartbeat timeout'), new Error('Socket closed abruptly during opening handshake')],
    new ExtractError('ERR_SINK', '', { cause: new Error('channel closed') }),
  ];
  const lasting = [
    ...[coded('channel closed', 404), new Error('Expected ConnectionOpenOk; got <ConnectionClose channel:0>')],
    ...[new TypeError('content is not a buffer'), 'closed', new ExtractError('ERR_SINK', 'closed')],
  ];
  assert.equal([...passing, ...lasting].map(isBroken), [...passing.map(() => true), ...lasting.map(() => false)]);
});

test('an error has the words of the server', () => {
  const reasons: readonly [unknown, RegExp][] = [
    [new Error('403 with message "ACCESS_REFUSED - Login was refused"'), /rejects the user or the password \(ACCESS/],
    [new Error('x with message "ACCESS_REFUSED - access to exchange \'x\'"'), /lacks the permission "write" \(ACCESS/],
    [new Error("ACCESS_REFUSED - access to queue 'q'"), /lacks the permission "configure"/],
    [new Error('Socket closed abruptly during opening handshake'), /at its beginning: amqps: is for TLS/],
    [coded('connect', 'ECONNREFUSED'), /ECONNREFUSED/],
  ];
  for (const [thrown, text] of reasons) assert.match(rabbitError('do it', thrown).message, text);
  const known = new ExtractError('ERR_USAGE', 'x');
  assert.is(rabbitError('do it', known), known);
});

test.run();
