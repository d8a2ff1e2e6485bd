/** Sinks as functions: their names, what is masked, and what is wrong with options. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { batchOf } from '../../../sinks/batch.js';
import type { Sink } from '../../../sinks/contract.js';
import { type HttpSinkOptions, http } from '../../../sinks/http/http.js';
import { type NatsOptions, nats } from '../../../sinks/nats/nats.js';
import { type RedisOptions, redis } from '../../../sinks/redis/redis.js';
import { sinkFromUri } from '../../../sinks/registry.js';
import { headerOf, startApi } from '../../loopback/api.js';
import { calm, pageEnd, rejection } from '../lib.js';

test('texts of code are used as they are, and the name has no secret', async () => {
  const sink = nats({
    servers: ['a:1', 'b'],
    user: 'jo:e',
    password: 'p@ss/?#&%',
    subject: 'x.{job}',
    stream: 'S&T=1',
  });
  assert.is(sink.name, 'nats://***@a:1,b/x.{job}?stream=S%26T%3D1');
  for (const secret of ['p@ss/?#&%', Buffer.from('jo:e:p@ss/?#&%').toString('base64')]) {
    assert.ok(sink.secrets?.includes(secret), secret);
  }
  await sink.abort(undefined);
});

test('a token is a secret', () => {
  const sink = nats({ servers: 'a', subject: 's', stream: 'S', token: 't/1' });
  assert.ok(sink.secrets?.includes('t/1'));
  assert.is(sink.name, 'nats://***@a/s?stream=S');
});

test('the text of a certificate is not shown, and that of a key is a secret', () => {
  const [cert, certkey] = ['-----BEGIN CERTIFICATE-----\nabc', '-----BEGIN KEY-----\nabc'];
  const sink = redis({ server: 'a', tls: true, stream: 's', cert, certkey });
  assert.is(sink.name, 'rediss://a?stream=s&cert=PEM&certkey=PEM');
  assert.equal([sink.secrets?.includes(cert), sink.secrets?.includes(certkey)], [false, true]);
});

/** Options as a program without types may give them. */
const untyped = <T>(value: unknown): T => value as T;

const faults: readonly (readonly [what: string, make: () => Sink, message: RegExp])[] = [
  [
    'a misspelt option',
    () => nats(untyped<NatsOptions>({ servers: 'a', subject: 's', streem: 'S' })),
    /^nats: unknown option "streem": expected servers, .*; did you mean "stream"\?$/,
  ],
  [
    'a misspelt server',
    () => redis(untyped<RedisOptions>({ host: 'a', server: 'a', stream: 's' })),
    /^redis: unknown option "host": expected server, /,
  ],
  ['no stream', () => nats(untyped<NatsOptions>({ servers: 'a', subject: 's' })), /^nats: needs the option stream=/],
  [
    'a subject that is no text',
    () => nats(untyped<NatsOptions>({ servers: 'a', subject: 5, stream: 'S' })),
    /^nats: subject: expected a non-empty string, found a number$/,
  ],
  [
    'an option that is a list',
    () => redis(untyped<RedisOptions>({ server: 'a', stream: ['s'] })),
    /^redis: stream: expected a non-empty string, found a list$/,
  ],
  ['null', () => redis(untyped<RedisOptions>({ server: 'a', stream: null })), /found null$/],
  ['a host that is none', () => redis({ server: 'a b', stream: 's' }), /^redis: "a b" is not a host with its port/],
  ['a fraction', () => redis({ server: 'a', stream: 's', maxlen: 1.5 }), /^redis: maxlen: expected a whole number/],
  ['TLS files without TLS', () => redis({ server: 'a', stream: 's', ca: 'x' }), /^redis: ca, cert and certkey need/],
  ['half of a pair', () => nats({ servers: 'a', subject: 's', stream: 'S', cert: 'x' }), /^nats: cert and certkey/],
  ['no url', () => http({ url: 'example.com' }), /^http: url: expected http:\/\/ or https:\/\//],
  ['a fragment', () => http({ url: 'https://example.com/#format=json' }), /without a fragment$/],
  ['two users', () => http({ url: 'https://a@example.com/', user: 'b' }), /not both$/],
  ['TLS files for http', () => http({ url: 'http://example.com/', ca: 'x' }), /^http: ca, cert and certkey need/],
  ['a format', () => http(untyped<HttpSinkOptions>({ url: 'http://a/', format: 'jsn' })), /did you mean "json"\?$/],
];

for (const [what, make, message] of faults) {
  test(`explains ${what}`, () => rejection(make, 'ERR_USAGE', message).then());
}

const twins: readonly (readonly [make: () => Sink, uri: string])[] = [
  [
    () => nats({ servers: ['a:1', 'b'], subject: 's.{dataType}', stream: 'S', transactions: true, create: false }),
    'nats://a:1,b/s.{dataType}?stream=S&transactions=true&create=false',
  ],
  [
    () => redis({ server: 'a', database: 2, tls: true, stream: '{job}%7B', maxlen: 5, envelope: 'cloudevents' }),
    'rediss://a/2?stream={job}%7B&maxlen=5&envelope=cloudevents',
  ],
  [
    () => http({ url: 'https://a/x?y={job}', items: 5, idempotent: true, window: 60 }),
    'https://a/x?y={job}#items=5&idempotent=true&window=60',
  ],
];

for (const [make, uri] of twins) {
  test(`the function and the address make the same sink: ${uri}`, () => {
    const [own, other] = [make(), sinkFromUri(uri)];
    assert.is(own.name, uri);
    assert.equal([own.recovery, own.window, Object.keys(own)], [other.recovery, other.window, Object.keys(other)]);
  });
}

test('headers and passwords of http are sent, and masked', async () => {
  const api = await startApi(() => ({ status: 204 }));
  try {
    const sink = http({ url: `${api.origin}/in`, user: 'joe', password: 'open sesame', headers: { 'X-Key': 'k=1 2' } });
    await sink.write(batchOf('t', [1]), calm);
    await sink.commit?.(pageEnd('t'), calm);
    await sink.close();
    const [request] = api.requests;
    assert.ok(request);
    assert.is(headerOf(request, 'x-key'), 'k=1 2');
    assert.is(headerOf(request, 'authorization'), `Basic ${Buffer.from('joe:open sesame').toString('base64')}`);
    assert.is(sink.name, `${api.origin.replace('//', '//***@')}/in#header.X-Key=***`);
    for (const secret of ['open sesame', 'k=1 2']) assert.ok(sink.secrets?.includes(secret));
  } finally {
    await api.close();
  }
});

test.run();
