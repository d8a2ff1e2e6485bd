/** Topics: their partitions and leaders, the rights of the user, and new ones where they are missing. */
import { ExtractError } from '../../src/core/errors/errors.js';
import { absent } from '../errors.js';
import { repeated } from '../servers/reconnect.js';
import type { KafkaLink } from './kafka-client.js';
import { codes, hasCode, isBroken, KafkaFailure } from './kafka-errors.js';
import type { TopicMetadata } from './kafka-protocol.js';

/** How a missing topic is made. */
export interface TopicRules {
  readonly mayCreate: boolean;
  /** -1: as the server says. */
  readonly partitions: number;
  readonly replication: number;
  /** What the topic is to have, by the names of Kafka. */
  readonly configs: Readonly<Record<string, string>>;
  /** Which rights the user needs, by name. */
  readonly rights: readonly (keyof typeof rightBits)[];
  /** The option that names the topic. */
  readonly option?: string;
}

/** The bit of a right in what the server says about a topic. */
const rightBits = { Read: 3, Write: 4, Describe: 8 } as const;

/** Reads what is not known yet of these topics, and makes those that are missing. Throws ERR_SINK. */
export async function prepareTopics(link: KafkaLink, names: Iterable<string>, rules: TopicRules): Promise<void> {
  const unknown = [...new Set(names)].filter((name) => !link.topics.has(name));
  if (unknown.length === 0) return;
  for (const name of unknown) mustBeName(name);
  const wanted = async () => {
    const found = await readTopics(link, unknown, rules);
    const missing = unknown.filter((name) => !found.has(name));
    if (missing.length === 0) return found;
    await createTopics(link, missing, rules, false);
    throw new KafkaFailure('Metadata', [codes.leaderNotAvailable], `the new topic "${missing[0]}" is not ready`);
  };
  const found = await repeated(wanted, { isTemporary: isComing });
  const sizes = await sizesOf(link, unknown);
  for (const [name, { partitions }] of found) {
    const leaders = new Array<number>(partitions.length).fill(-1);
    for (const { partitionIndex, leaderId } of partitions) leaders[partitionIndex] = leaderId;
    link.topics.set(name, { leaders, mostBytes: sizes.get(name) });
  }
}

/** Verifies that a topic can be written, or could be made, without a change. Throws ERR_SINK. */
export async function verifyTopic(link: KafkaLink, name: string, rules: TopicRules): Promise<void> {
  mustBeName(name);
  const found = (await readTopics(link, [name], rules)).get(name);
  if (found === undefined) return createTopics(link, [name], rules, true);
  await verifyBrokers(
    link,
    found.partitions.map(({ leaderId }) => leaderId),
  );
}

/** Connects to these brokers. Throws ERR_SINK if one cannot be reached. */
export async function verifyBrokers(link: KafkaLink, brokers: Iterable<number>): Promise<void> {
  for (const broker of new Set(brokers)) if (broker >= 0) await link.call('ApiVersions', broker, 'rxtract', '0');
}

/** The configuration of a topic; empty if there is no such topic, or the user may not read it. */
export async function configsOf(link: KafkaLink, name: string, keys: readonly string[]): Promise<Map<string, string>> {
  const resources = [{ resourceType: topicResource, resourceName: name, configurationKeys: keys }];
  const { results } = await link.call('DescribeConfigs', undefined, resources, false, false).catch((thrown) => {
    if (hasCode(thrown, codes.unknownTopic)) return { results: [] };
    if (thrown instanceof KafkaFailure && !isBroken(thrown)) return { results: [] };
    throw thrown;
  });
  const configs = results.flatMap((each) => each.configs);
  return new Map(configs.map(({ name: key, value }) => [key, value ?? '']));
}

const topicResource = 2;

/** A topic that has just been made has no leader at first. */
const isComing = (thrown: unknown): boolean => hasCode(thrown, codes.leaderNotAvailable, codes.unknownTopic);

async function sizesOf(link: KafkaLink, names: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const key = 'max.message.bytes';
  const sizes = new Map<string, number>();
  for (const name of names) {
    const value = (await configsOf(link, name, [key])).get(key);
    if (value !== undefined) sizes.set(name, Number(value));
  }
  return sizes;
}

/** The topics that exist. */
async function readTopics(
  link: KafkaLink,
  names: readonly string[],
  rules: TopicRules,
): Promise<ReadonlyMap<string, TopicMetadata>> {
  const { topics } = await link.call('Metadata', undefined, names, false, true).catch((thrown: unknown) => {
    if (thrown instanceof KafkaFailure && isMetadata(thrown.response)) return thrown.response;
    throw thrown;
  });
  const found = new Map<string, TopicMetadata>();
  for (const topic of topics) {
    if (topic.errorCode === codes.unknownTopic) continue;
    if (topic.errorCode === codes.topicAuthorization) throw lacking('Describe', topic.name);
    const code = [topic.errorCode, ...topic.partitions.map(({ errorCode }) => errorCode)].find((each) => each !== 0);
    if (code !== undefined)
      throw new KafkaFailure('Metadata', [code], `the topic "${topic.name}" has the error ${code}`);
    const operations = topic.topicAuthorizedOperations;
    for (const right of rules.rights) {
      if (operations !== notGiven && ((operations >> rightBits[right]) & 1) === 0) throw lacking(right, topic.name);
    }
    found.set(topic.name, topic);
  }
  return found;
}

/** A server without rights does not say what a user may do. */
const notGiven = -2_147_483_648;

const isMetadata = (response: unknown): response is { readonly topics: readonly TopicMetadata[] } =>
  typeof response === 'object' && response !== null && 'topics' in response;

async function createTopics(
  link: KafkaLink,
  names: readonly string[],
  { mayCreate, partitions, replication, configs, option }: TopicRules,
  isTrial: boolean,
): Promise<void> {
  const [first = ''] = names;
  if (!mayCreate) {
    const hint = option === undefined ? '' : `: make it, or name another one with \`${option}\``;
    throw absent('kafka', `topic "${first}"`, hint);
  }
  const wanted = names.map((name) => ({
    name,
    numPartitions: partitions,
    replicationFactor: replication,
    assignments: [],
    configs: Object.entries(configs).map(([key, value]) => ({ name: key, value })),
  }));
  await link.call('CreateTopics', undefined, wanted, topicPatience, isTrial).catch((thrown: unknown) => {
    if (hasCode(thrown, codes.topicExists)) return;
    if (hasCode(thrown, codes.topicAuthorization, codes.clusterAuthorization)) throw lacking('Create', first);
    throw thrown;
  });
}

/** How long the server may take to make a topic, in ms. */
const topicPatience = 10_000;

export const isTopicName = (name: string): boolean => /^[\w.-]{1,249}$/.test(name) && name !== '.' && name !== '..';

/** What is wrong with a name. */
export const topicNameRule = (name: string): string =>
  `"${name.slice(0, 300)}", which is no name of a topic: expected 1 to 249 ASCII letters, digits, ".", "_" and "-"`;

function mustBeName(name: string): void {
  if (!isTopicName(name)) throw new ExtractError('ERR_SINK', `kafka: the topic is ${topicNameRule(name)}`);
}

const lacking = (right: string, topic: string) =>
  new ExtractError('ERR_SINK', `kafka: the user lacks the right ${right} for the topic "${topic}"`);
