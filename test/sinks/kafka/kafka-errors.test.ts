/** What errors of Kafka and of its client mean: another attempt, a new producer, or a message for the user. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  connectError,
  failureOf,
  hasCode,
  isBroken,
  isProducerLost,
  KafkaFailure,
  kafkaError,
  unreachable,
} from '../../../sinks/kafka/kafka-errors.js';
import type { KafkaServer } from '../../../sinks/kafka/kafka-protocol.js';
import { ExtractError } from '../../../src/core/errors/errors.js';

const coded = (code: string, message = code) => Object.assign(new Error(message), { code });

test('another attempt helps when a broker or a connection is gone', () => {
  for (const thrown of [
    new KafkaFailure('Produce', [0, 6], 'moved'),
    new KafkaFailure('Produce', [47], 'fenced'),
    coded('ECONNRESET'),
    coded('PLT_KFK_NETWORK'),
    new ExtractError('ERR_SINK', 'x', { cause: coded('EPIPE') }),
  ])
    assert.ok(isBroken(thrown), String(thrown));
  for (const thrown of [
    new KafkaFailure('Produce', [29], 'no right'),
    coded('ERR_TLS_CERT_ALTNAME_INVALID'),
    coded('PLT_KFK_AUTHENTICATION'),
    new Error('x', { cause: coded('SELF_SIGNED_CERT_IN_CHAIN') }),
    new ExtractError('ERR_SINK', 'x'),
    new Error('plain'),
    'text',
  ])
    assert.not(isBroken(thrown), String(thrown));
});

test('errors of a response keep their numbers and each text once', () => {
  const error = (apiCode: number, apiId: string, more: string | null = null) => ({
    ...{ apiCode, apiId, message: `about ${apiId}`, serverErrorMessage: more },
  });
  const errors = [error(3, 'A'), error(3, 'A'), error(47, 'B', 'said by the server'), error(9, 'C'), error(5, 'D')];
  const response = { topics: [] };
  const failure = failureOf('Metadata', Object.assign(new AggregateError(errors, 'many'), { response }));
  assert.instance(failure, KafkaFailure);
  assert.match(String(failure), /about A \(A\); said by the server \(B\); about C \(C\)$/);
  assert.equal([hasCode(failure, 9), hasCode(failure, 29), isProducerLost(failure)], [true, false, true]);
  const others = [new AggregateError([], 'no response'), new Error('x')];
  for (const other of others) assert.is(failureOf('Metadata', other), other);
  assert.not(isProducerLost(others[0]));
});

test('the message has the words of the server', () => {
  const said = { serverErrorMessage: 'the user joe is locked', apiId: 'SASL_AUTHENTICATION_FAILED' };
  const refused = Object.assign(new Error('SASL Authentication failed.'), said);
  assert.is(
    kafkaError('write', new Error('x', { cause: refused })).message,
    'kafka: cannot write: the server rejects the user or the password (the user joe is locked)',
  );
});

test('the message names what the user can do', () => {
  const described = (thrown: unknown) => kafkaError('write', thrown).message;
  for (const [text, reason] of [
    ['TOPIC_AUTHORIZATION_FAILED', /the user lacks a right for the topic \(TOPIC_/],
    ['TRANSACTIONAL_ID_AUTHORIZATION_FAILED', /transactional ids that begin with `rxtract-` \(TRANS/],
    ['INVALID_TRANSACTION_TIMEOUT', /set a shorter `timeout`/],
    ['INVALID_REPLICATION_FACTOR', /too few brokers for this `replication`/],
  ] as const)
    assert.match(described(new KafkaFailure('X', [1], text)), reason);
  assert.is(described('just text'), 'kafka: cannot write: just text');
  const nested = new Error('outer', { cause: new AggregateError([coded('PLT_KFK_USER', 'the deepest')]) });
  assert.is(described(nested), 'kafka: cannot write: the deepest');
  const byId = Object.assign(new Error('no'), { apiId: 'UNSUPPORTED_SASL_MECHANISM' });
  assert.match(described(byId), /choose another one with `sasl` \(no\)/);
  const own = new ExtractError('ERR_SINK', 'x');
  assert.is(kafkaError('write', own), own);
});

test('a connection that the server closes may lack TLS or a user', () => {
  const server = (more: Partial<KafkaServer> = {}): KafkaServer => ({
    ...{ hosts: [{ host: 'a', port: 1 }], tls: undefined },
    ...more,
  });
  const sasl = { mechanism: 'PLAIN', username: 'u', password: 'p' };
  const tls = async () => ({});
  const closed = coded('PLT_KFK_NETWORK', 'Connection closed');
  const messageOf = (more: Partial<KafkaServer>, thrown: unknown) => connectError(server(more), thrown).message;
  assert.match(
    messageOf({}, closed),
    /connect to kafka:\/\/a:1: .*: it may require TLS \(kafkas:\/\/\) or a user \(SASL\)$/,
  );
  assert.match(messageOf({ tls }, closed), /connect to kafkas:\/\/a:1: .*: it may require a user \(SASL\)$/);
  assert.match(messageOf({ sasl }, closed), /: it may require TLS \(kafkas:\/\/\)$/);
  assert.not.match(messageOf({ tls, sasl }, closed), /may require/);
  assert.not.match(messageOf({}, coded('ECONNREFUSED')), /may require/);
  const own = new ExtractError('ERR_SINK', 'x');
  assert.is(connectError(server(), own), own);
  assert.match(unreachable({ host: 'b', port: 2 }, closed).message, /the broker b:2, which the cluster names/);
});

test.run();
