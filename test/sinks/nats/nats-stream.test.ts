/** What a stream must allow, and what its replies mean, over a link whose replies the test decides. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isBroken, mustBeAvailable, type NatsLink, natsError, type Outgoing } from '../../../sinks/nats/nats-client.js';
import {
  lastOf,
  type NatsStream,
  oldestOf,
  prepareStream,
  probe,
  purge,
  subjectsBelow,
} from '../../../sinks/nats/nats-stream.js';
import { ExtractError } from '../../../src/core/errors/errors.js';
import { rejection } from '../lib.js';

const stream: NatsStream = { name: 's', subjects: ['a.b'], hasTransactions: false, mayCreate: true };

/** Each call gets the next reply; `seen` has the calls in order. A message gets `published` as its reply. */
function scene(replies: readonly object[], published: readonly object[] = [], maxPayload = 1000) {
  const seen: (readonly [name: string, body: object])[] = [];
  const rest = [...replies];
  const link: NatsLink = {
    maxPayload,
    call: async (name, body) => {
      seen.push([name, body]);
      return { ...rest.shift() };
    },
    publish: async (messages: readonly Outgoing[]) => {
      for (const { subject, headers } of messages) seen.push([subject, headers]);
      return published.map((reply) => ({ ...reply }));
    },
    isClosed: () => false,
    close() {},
  };
  return { link, seen };
}

const withConfig = (more: object) => ({ config: { subjects: ['a.b'], ...more } });
const failing = (err_code: number, description: string) => ({ error: { code: 400, err_code, description } });

test('an existing stream says how long it remembers ids, and which messages are too long', async () => {
  const factsOf = (config: object) => prepareStream(scene([withConfig(config)]).link, stream, true);
  const facts = await factsOf({ duplicate_window: 120e9, max_msg_size: 300 });
  assert.equal(facts, { windowMs: 120_000, mostBytes: 300 });
  assert.equal(await factsOf({ max_msg_size: -1 }), { windowMs: 0, mostBytes: 1000 });
  assert.equal(await factsOf({}), { windowMs: 0, mostBytes: 1000 });
});

test('a missing stream is created, but not by a check', async () => {
  const missing = failing(10_059, 'stream not found');
  const made = scene([missing, withConfig({ allow_atomic: true })]);
  await prepareStream(made.link, { ...stream, hasTransactions: true }, true);
  const wanted = { name: 's', subjects: ['a.b'], storage: 'file' };
  assert.equal(made.seen, [
    ['STREAM.INFO.s', {}],
    ['STREAM.CREATE.s', { ...wanted, allow_atomic: true }],
  ]);
  const plain = scene([missing, withConfig({})]);
  await prepareStream(plain.link, stream, true);
  assert.equal(plain.seen[1], ['STREAM.CREATE.s', wanted]);
  assert.is(await prepareStream(scene([missing]).link, stream, false), undefined);
  const none = () => prepareStream(scene([missing]).link, { ...stream, mayCreate: false }, true);
  await rejection(none, 'ERR_SINK', /there is no stream "s", and create=false/);
});

test('a stream that cannot have the messages is an error', async () => {
  const refused = async (reply: object, message: RegExp, more: Partial<NatsStream> = {}) =>
    rejection(() => prepareStream(scene([reply]).link, { ...stream, ...more }, true), 'ERR_SINK', message);
  await refused(failing(10_039, 'JetStream not enabled'), /stream "s": JetStream not enabled/);
  await refused({}, /does not have the subject a\.b/);
  await refused({ config: null }, /does not have the subject a\.b/);
  await refused(withConfig({ allow_atomic: false }), /does not allow atomic batches/, { hasTransactions: true });
});

test('subjects of a stream include those of items token by token', async () => {
  const covers = async (filter: string, subject: string) => {
    const { link } = scene([{ config: { subjects: ['other', filter] } }]);
    return prepareStream(link, { ...stream, subjects: [subject] }, true).then(
      () => true,
      () => false,
    );
  };
  for (const [filter, subject] of [
    ['a.b', 'a.b'],
    ['a.*', 'a.b'],
    ['a.*', 'a.*'],
    ['*.*', '*.b'],
    ['a.>', 'a.b.c'],
    ['>', 'a'],
  ] as const)
    assert.ok(await covers(filter, subject), `${filter} ${subject}`);
  for (const [filter, subject] of [
    ['a.b', 'a.*'],
    ['a.*', 'a.b.c'],
    ['a.b.c', 'a.b'],
    ['a.>', 'a'],
    ['b.>', 'a.b'],
  ] as const)
    assert.not(await covers(filter, subject), `${filter} ${subject}`);
});

test('a probe stores nothing, and shows whether the user may publish', async () => {
  const { link, seen } = scene([], [failing(10_060, 'expected stream does not match')]);
  await probe(link, 'a.b');
  assert.equal(seen, [['a.b', { 'Nats-Expected-Stream': '-' }]]);
  await rejection(() => probe(scene([], [failing(1, 'no')]).link, 'a.b'), 'ERR_SINK', /subject a\.b: no$/);
  for (const replies of [[], [{ seq: 4 }]])
    await rejection(() => probe(scene([], replies).link, 'a.b'), 'ERR_SINK', /accepted a message for another stream/);
});

test('the last message of a subject, and the subjects that have messages', async () => {
  const last = (reply: object) => lastOf(scene([reply]).link, 's', 'a.b');
  assert.is(await last(failing(10_037, 'no message found')), undefined);
  const data = Buffer.from('text').toString('base64');
  const message = { seq: 7, subject: 'a.b', data, time: '2026-01-02T00:00:00.5Z' };
  const expected = { seq: 7, subject: 'a.b', text: 'text', time: Date.UTC(2026, 0, 2) + 500 };
  assert.equal(await last({ message }), expected);
  const { link, seen } = scene([{ message }]);
  assert.equal(await oldestOf(link, 's', 'a.*'), expected);
  assert.equal(seen, [['STREAM.MSG.GET.s', { next_by_subj: 'a.*', seq: 1 }]]);
  assert.is((await last({ message: { seq: 8 } }))?.text, '');
  await rejection(() => last(failing(1, 'broken')), 'ERR_SINK', /nats: broken/);
  assert.is((await last({}))?.text, '');
  const below = (reply: object) => subjectsBelow(scene([reply]).link, 's', 'a.*');
  assert.equal(await below({ state: { subjects: { 'a.b': 1, 'a.c': 2 } } }), ['a.b', 'a.c']);
  for (const reply of [{}, { state: {} }, { state: { subjects: null } }]) assert.equal(await below(reply), []);
});

test('a purge keeps what it is asked to keep', async () => {
  const { link, seen } = scene([{}, {}]);
  await purge(link, 's', 'a.>', 0);
  await purge(link, 's', 'a.b', 1);
  assert.equal(seen, [
    ['STREAM.PURGE.s', { filter: 'a.>' }],
    ['STREAM.PURGE.s', { filter: 'a.b', keep: 1 }],
  ]);
});

test('another attempt helps when the connection or the stream is gone', () => {
  const replies = [{ seq: 1 }];
  assert.is(mustBeAvailable(replies), replies);
  let unavailable: unknown;
  try {
    mustBeAvailable([{ error: { code: 503, description: 'no stream has this subject' } }]);
  } catch (thrown) {
    unavailable = thrown;
  }
  const reset = Object.assign(new Error('gone'), { code: 'ECONNRESET' });
  class TimeoutError extends Error {}
  const nested = new ExtractError('ERR_SINK', 'x', { cause: reset });
  for (const thrown of [unavailable, reset, new TimeoutError('late'), nested]) assert.ok(isBroken(thrown));
  for (const thrown of [new Error('plain'), 'text', new ExtractError('ERR_SINK', 'x')]) assert.not(isBroken(thrown));
});

test('the message names what the user can do', () => {
  const described = (thrown: unknown) => natsError('publish', thrown).message;
  for (const [text, reason] of [
    ["server does not support 'tls'", /the server has no TLS, which the options tls, ca or cert require/],
    ['Authorization Violation', /the server rejects the user or the password/],
    ['no responders: a', /JetStream is not available/],
    ['maximum bytes exceeded', /the stream is full \(maximum bytes exceeded\): raise its limits/],
    ['Permissions Violation for Publish', /the user lacks a permission/],
    ['something else', /nats: cannot publish: something else$/],
  ] as const)
    assert.match(described(new Error(text)), reason);
  assert.match(described(new Error('outer', { cause: new Error('inner') })), /cannot publish: inner$/);
  const own = new ExtractError('ERR_SINK', 'x');
  assert.is(natsError('publish', own), own);
});

test.run();
