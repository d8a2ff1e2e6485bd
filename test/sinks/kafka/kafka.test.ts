/** Kafka without a server: addresses that are wrong, the function in code, and names. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { kafka } from '../../../sinks/kafka/kafka.js';
import { sinkFromUri } from '../../../sinks/registry.js';
import { rejection } from '../lib.js';

test('addresses that are wrong', async () => {
  for (const [uri, message] of [
    ['kafka://h:9092', /^kafka: expected the topic of each item, .*, as in kafka:\/\/localhost:9092\/items/],
    ['kafka://h/a%20b', /the topic is "a b", which is no name of a topic: expected 1 to 249/],
    ['kafka://h/..', /the topic is "..", which is no name/],
    ['kafka://h/t?positions={job}', /positions is "\{job\}", which is no name/],
    ['kafka://h/t?sasl=plain', /expected USER:PASSWORD@ before the host/],
    ['kafka://joe@h/t', /expected USER:PASSWORD@ before the host/],
    ['kafka://joe:x@h/t?sasl=gssapi', /sasl: expected plain, scram-sha-256 or scram-sha-512/],
    ['kafka://h/t?compression=brotli', /compression: expected none, gzip/],
    ['kafka://h/t?ca=x.pem', /ca, cert and certkey need a connection with TLS: use kafkas:\/\//],
    ['kafka://h/t?partitions=0', /partitions: expected a whole number/],
    ['kafka://h/{item}', /unknown placeholder/],
    ['kafka://h/t?key={user}', /kafka: the key: unknown placeholder/],
  ] as const) {
    await rejection(() => sinkFromUri(uri), 'ERR_USAGE', message);
  }
});

test('in code and as an address it is the same sink', () => {
  const inCode = kafka({
    ...{ servers: ['a:1', 'b:2'], topic: 't-{dataType}', user: 'joe', password: 'secret/1', tls: true },
    ...{ key: 'item.id', sasl: 'scram-sha-512', transactions: true, compression: 'gzip', partitions: 3 },
  });
  const options = 'key=item.id&sasl=scram-sha-512&transactions=true&compression=gzip&partitions=3';
  const address = sinkFromUri(`kafkas://joe:secret%2F1@a:1,b:2/t-{dataType}?${options}`);
  assert.is(inCode.name, address.name);
  assert.equal([inCode.recovery, address.recovery], ['transaction', 'transaction']);
  assert.ok(address.secrets?.includes('secret/1'));
  assert.is(kafka({ servers: 'h', topic: 't' }).recovery, undefined);
});

test('the summary names topics and servers', async () => {
  const sink = sinkFromUri('kafka://h:1,g:2/t.{dataType}');
  await sink.open?.('a/b', 'j');
  assert.equal(sink.summary?.(), [{ dataType: 'a/b', name: 't.a.2Fb at h:1,g:2', items: 0, bytes: 0 }]);
  await sink.abort(undefined);
  const byItem = sinkFromUri('kafka://h/t.{item.id}');
  await byItem.open?.('a', 'j');
  assert.is(byItem.summary?.()[0]?.name, 't.{item.id} at h:9092');
});

test.run();
