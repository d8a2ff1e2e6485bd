/** What a producer sends again, in halves, or not at all, over a link that answers as a broker would. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isBroken, isProducerLost, KafkaFailure } from '../../../sinks/kafka/kafka-errors.js';
import {
  beginProducer,
  fitsInBatch,
  type KafkaMessage,
  partitioned,
  sendPending,
  sizeOf,
} from '../../../sinks/kafka/kafka-producer.js';
import { linkOf } from './link.js';

const message = (text: string, more: Partial<KafkaMessage> = {}): KafkaMessage => ({
  ...{ topic: 't', key: null, partitionKey: Buffer.from(text), headers: new Map(), item: `item ${text}` },
  value: Buffer.from(text),
  ...more,
});

const producer = () => ({ id: 7n, epoch: 0, transaction: null, sequences: new Map<string, number>() });

const response = (index: number, errorCode: number, batchIndex?: number) => ({
  name: 't',
  partitionResponses: [{ index, errorCode, recordErrors: batchIndex === undefined ? [] : [{ batchIndex }] }],
});

/** The messages and the first numbers of a request, by partition. */
function requestOf([, , , messages, options]: readonly unknown[]): string {
  const list = messages as readonly KafkaMessage[];
  const { sequences } = options as { readonly sequences: { getWithDefault(partition: string): number } };
  const texts = list.map(({ value }) => String(value)).join('');
  return `${texts}@${sequences.getWithDefault(`t:${list[0]?.partition ?? 0}`)}`;
}

test('numbers the messages of a partition, and takes a batch that is known for stored', async () => {
  const seen: string[] = [];
  const link = linkOf((...given) => {
    seen.push(requestOf(given.slice(1)));
    return { responses: [response(0, seen.length === 2 ? 46 : 0)] };
  });
  const own = producer();
  for (const texts of ['ab', 'cd', 'e'])
    await sendPending(
      link,
      own,
      partitioned(
        link,
        [...texts].map((each) => message(each)),
      ),
      undefined,
    );
  assert.equal(seen, ['ab@0', 'cd@2', 'e@4']);
  own.sequences.set('t:0', 2 ** 31 - 1);
  await sendPending(link, own, partitioned(link, [message('f')]), undefined);
  assert.is(own.sequences.get('t:0'), 0);
});

test('a batch that is too large is sent in halves, and a message that is too large is named', async () => {
  const seen: string[] = [];
  const link = linkOf((...given) => {
    const request = requestOf(given.slice(1));
    seen.push(request);
    const code = request.indexOf('@') > 2 ? 10 : 0;
    if (code === 0) return { responses: [response(0, 0)] };
    throw new KafkaFailure('Produce', [code], 'too large', { responses: [response(0, code)] });
  });
  await sendPending(
    link,
    producer(),
    partitioned(
      link,
      [...'abcde'].map((each) => message(each)),
    ),
    'gzip',
  );
  assert.equal(seen, ['abcde@0', 'abc@0', 'ab@0', 'c@2', 'de@3']);
  const refusing = linkOf(() => ({ responses: [response(0, 18)] }));
  const work = sendPending(refusing, producer(), partitioned(refusing, [message('x')]), undefined);
  const failure = await work.catch((thrown: unknown) => thrown);
  assert.match(String(failure), /kafka: item x has 1 bytes, and the topic "t" accepts messages of fewer/);
});

test('after a failure only what is left is sent again, with the same numbers', async () => {
  const seen: string[] = [];
  const failing = new Set(['1']);
  const link = linkOf(
    (_, broker, ...parameters) => {
      seen.push(requestOf([broker, ...parameters]));
      if (failing.delete(String(broker))) throw Object.assign(new Error('gone'), { code: 'ECONNRESET' });
      return { responses: [response(broker === 1 ? 0 : 1, 0)] };
    },
    [1, 2],
  );
  const pending = partitioned(link, [message('a', { partition: 0 }), message('b', { partition: 1 })]);
  const own = producer();
  const failure = await sendPending(link, own, pending, undefined).catch((thrown: unknown) => thrown);
  assert.ok(isBroken(failure));
  assert.equal([...pending.keys()], ['t:0']);
  await sendPending(link, own, pending, undefined);
  assert.equal(seen, ['a@0', 'b@0', 'a@0']);
});

test('a refused message is named, a partition without a leader is temporary', async () => {
  const link = linkOf(() => {
    throw new KafkaFailure('Produce', [87], 'no', { responses: [response(0, 87, 1)] });
  });
  const pending = partitioned(link, [message('a'), message('b')]);
  const refused = await sendPending(link, producer(), pending, undefined).catch((thrown: unknown) => thrown);
  assert.match(String(refused), /item b: no, topic "t"/);
  assert.not(isBroken(refused));
  const leaderless = linkOf(() => assert.unreachable(), [-1]);
  const waiting = await sendPending(leaderless, producer(), partitioned(leaderless, [message('a')]), undefined).catch(
    (thrown: unknown) => thrown,
  );
  assert.ok(isBroken(waiting));
  assert.not(isProducerLost(waiting));
});

test('large requests go out in several parts', async () => {
  const sizes: number[] = [];
  const link = linkOf((...given) => {
    const messages = given[4] as readonly KafkaMessage[];
    sizes.push(messages.length);
    return { responses: messages.map(({ partition = 0 }) => response(partition, 0)) };
  }, new Array<number>(12).fill(1));
  const large = Buffer.alloc(899_000);
  const messages = Array.from({ length: 12 }, (_, partition) => message('x', { partition, value: large }));
  await sendPending(link, producer(), partitioned(link, messages), undefined);
  assert.equal(sizes, [9, 3]);
});

test('waits while the server ends an earlier transaction', async () => {
  let attempts = 0;
  const link = linkOf((name) => {
    if (name === 'FindCoordinator') return { coordinators: [{ nodeId: 3, host: 'h', port: 1 }] };
    if (++attempts < 23) throw new KafkaFailure(name, [51], 'ending');
    return { producerId: 1n, producerEpoch: 2 };
  });
  const { id, epoch } = await beginProducer(link, 'x', 1000);
  assert.equal([id, epoch, link.coordinators.get('x')], [1n, 2, 3]);
  const none = linkOf(() => ({ coordinators: [] }));
  assert.ok(isBroken(await beginProducer(none, 'x', 1000).catch((thrown: unknown) => thrown)));
});

test('the bytes of a message include its key and its headers', () => {
  const plain = message('abc');
  const full = message('abc', {
    key: Buffer.from('12'),
    headers: new Map([[Buffer.from('name'), Buffer.from('text')]]),
  });
  assert.is(sizeOf(full) - sizeOf(plain), 2 + 10 + 'name'.length + 'text'.length);
  assert.is(sizeOf(plain) - sizeOf(message('abc', { value: null })), 3);
  const most = [1, 2, 3].map((each) => each * 1000).find((each) => fitsInBatch(plain, each)) ?? 0;
  assert.ok(fitsInBatch(message('abc'), most));
  assert.not(fitsInBatch(message('x'.repeat(most)), most));
});

test('messages beyond the bytes of a batch begin another one', () => {
  const link = linkOf(() => assert.unreachable());
  const value = Buffer.alloc(400_000);
  const messages = [...'abcd'].map((text) => message(text, { value }));
  const sizes =
    partitioned(link, messages)
      .get('t:0')
      ?.map(({ length }) => length) ?? [];
  assert.ok(sizes.length > 1);
  assert.is(
    sizes.reduce((sum, each) => sum + each, 0),
    4,
  );
  assert.equal([...partitioned(link, [message('a', { topic: 'other' })]).keys()], ['other:0']);
});

test('a failure without results for partitions stays what it is, and leaves all messages', async () => {
  const thrownBy = async (failure: unknown) => {
    const link = linkOf(() => {
      throw failure;
    });
    const pending = partitioned(link, [message('a')]);
    const thrown = await sendPending(link, producer(), pending, undefined).catch((each: unknown) => each);
    assert.equal([...pending.keys()], ['t:0']);
    return thrown;
  };
  for (const failure of [
    new KafkaFailure('Produce', [7], 'late'),
    new KafkaFailure('Produce', [7], 'late', null),
    new KafkaFailure('Produce', [7], 'late', {}),
    new Error('of the client'),
  ])
    assert.is(await thrownBy(failure), failure);
  const quiet = linkOf(() => ({ responses: [response(0, 87, 9)] }));
  const refused = sendPending(quiet, producer(), partitioned(quiet, [message('a')]), undefined);
  assert.match(String(await refused.catch((each: unknown) => each)), /: refused, topic "t"$/);
});

test.run();
