/** Topics that are missing, made meanwhile, or not allowed, over a link that answers as a broker would. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isBroken, KafkaFailure } from '../../../sinks/kafka/kafka-errors.js';
import {
  configsOf,
  prepareTopics,
  type TopicRules,
  verifyBrokers,
  verifyTopic,
} from '../../../sinks/kafka/kafka-topics.js';
import { rejection } from '../lib.js';
import { type Answer, linkOf } from './link.js';

const rules: TopicRules = {
  ...{ mayCreate: true, partitions: 2, replication: -1, configs: { 'cleanup.policy': 'compact' } },
  rights: ['Write', 'Describe'],
};

/** A server without rights. */
const notGiven = -2_147_483_648;
const all = (1 << 3) | (1 << 4) | (1 << 8);

const topic = (name: string, more: object = {}) => ({
  ...{ name, errorCode: 0, topicAuthorizedOperations: notGiven },
  partitions: [
    { errorCode: 0, partitionIndex: 1, leaderId: 7 },
    { errorCode: 0, partitionIndex: 0, leaderId: 8 },
  ],
  ...more,
});

const missing = (name: string) => ({ name, errorCode: 3, topicAuthorizedOperations: notGiven, partitions: [] });

/** Answers by the name of the request; `seen` has the names in order. */
function scene(answers: Readonly<Record<string, Answer>>) {
  const seen: string[] = [];
  const link = linkOf((name, ...more) => {
    seen.push(name);
    const answer = answers[name];
    return answer === undefined ? { results: [] } : answer(name, ...more);
  });
  return { link, seen };
}

test('a missing topic is made, and used when it has leaders', async () => {
  let isMade = false;
  const { link, seen } = scene({
    Metadata: () => ({ topics: [isMade ? topic('new') : missing('new')] }),
    CreateTopics(_, broker, wanted, __, isTrial) {
      assert.equal([broker, isTrial], [undefined, false]);
      assert.equal(wanted, [
        {
          ...{ name: 'new', numPartitions: 2, replicationFactor: -1, assignments: [] },
          configs: [{ name: 'cleanup.policy', value: 'compact' }],
        },
      ]);
      isMade = true;
      throw new KafkaFailure('CreateTopics', [36], 'another process has made it');
    },
    DescribeConfigs: () => ({ results: [{ configs: [{ name: 'max.message.bytes', value: '5000' }] }] }),
  });
  await prepareTopics(link, ['new', 'new', 't'], rules);
  assert.equal(link.topics.get('new'), { leaders: [8, 7], mostBytes: 5000 });
  assert.equal(seen, ['Metadata', 'CreateTopics', 'Metadata', 'DescribeConfigs']);
  await prepareTopics(link, ['new'], rules);
  assert.is(seen.length, 4);
});

test('a topic that may not be made is named, with the option that names it', async () => {
  const { link } = scene({ Metadata: () => ({ topics: [missing('x')] }) });
  const none = { ...rules, mayCreate: false };
  await rejection(() => prepareTopics(link, ['x'], none), 'ERR_SINK', /there is no topic "x", and create=false$/);
  await rejection(
    () => verifyTopic(link, 'x', { ...none, option: 'positions' }),
    'ERR_SINK',
    /create=false: make it, or name another one with `positions`$/,
  );
  for (const name of ['', '.', '..', 'a b', 'x'.repeat(250)])
    await rejection(() => verifyTopic(link, name, rules), 'ERR_SINK', /which is no name of a topic/);
});

test('rights that are missing are named', async () => {
  const lacking = async (answers: Readonly<Record<string, Answer>>, message: RegExp) =>
    rejection(() => verifyTopic(scene(answers).link, 'x', rules), 'ERR_SINK', message);
  const withRights = (bits: number) => ({
    Metadata: () => ({ topics: [topic('x', { topicAuthorizedOperations: bits })] }),
  });
  await lacking(withRights(all & ~(1 << 4)), /the user lacks the right Write for the topic "x"/);
  await lacking(withRights(1 << 4), /the user lacks the right Describe for the topic "x"/);
  await lacking({ Metadata: () => ({ topics: [{ ...missing('x'), errorCode: 29 }] }) }, /lacks the right Describe/);
  for (const code of [29, 31]) {
    const CreateTopics = () => {
      throw new KafkaFailure('CreateTopics', [code], 'no');
    };
    await lacking({ Metadata: () => ({ topics: [missing('x')] }), CreateTopics }, /lacks the right Create/);
  }
  await verifyTopic(scene(withRights(all)).link, 'x', rules);
});

test('errors of the server and of a connection stay what they are', async () => {
  const thrownBy = (answers: Readonly<Record<string, Answer>>) =>
    verifyTopic(scene(answers).link, 'x', rules).catch((thrown: unknown) => thrown);
  const failing = (thrown: unknown) => () => {
    throw thrown;
  };
  const gone = Object.assign(new Error('gone'), { code: 'ECONNRESET' });
  assert.is(await thrownBy({ Metadata: failing(gone) }), gone);
  const empty = new KafkaFailure('Metadata', [7], 'no answer');
  assert.is(await thrownBy({ Metadata: failing(empty) }), empty);
  const partly = new KafkaFailure('Metadata', [3], 'unknown', { topics: [topic('x')] });
  assert.is(await thrownBy({ Metadata: failing(partly) }), undefined);
  const refused = new KafkaFailure('CreateTopics', [38], 'too few brokers');
  const unmade = await thrownBy({ Metadata: () => ({ topics: [missing('x')] }), CreateTopics: failing(refused) });
  assert.is(unmade, refused);
  const partitions = [{ errorCode: 5, partitionIndex: 0, leaderId: -1 }];
  const leaderless = await thrownBy({ Metadata: () => ({ topics: [topic('x', { partitions })] }) });
  assert.match(String(leaderless), /the topic "x" has the error 5/);
  assert.ok(isBroken(leaderless));
});

test('each broker with a partition is asked once', async () => {
  const brokers: unknown[] = [];
  const { link } = scene({ ApiVersions: (_, broker) => void brokers.push(broker) });
  await verifyBrokers(link, [2, -1, 2, 3]);
  assert.equal(brokers, [2, 3]);
});

test('a configuration that may not be read is empty, a broken connection is an error', async () => {
  const answering = (answer: Answer) => configsOf(scene({ DescribeConfigs: answer }).link, 't', ['k']);
  const failing = (code: number) => () => {
    throw new KafkaFailure('DescribeConfigs', [code], 'no');
  };
  assert.is((await answering(failing(3))).size, 0);
  assert.is((await answering(failing(29))).size, 0);
  const broken = await answering(failing(7)).catch((thrown: unknown) => thrown);
  assert.ok(isBroken(broken));
  const found = await answering(() => ({ results: [{ configs: [{ name: 'k', value: null }] }] }));
  assert.equal([...found], [['k', '']]);
});

test.run();
