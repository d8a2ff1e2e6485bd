/** The topic with the positions of runs: what is committed in it, whatever other producers have open there. */
import { ExtractError } from '../../src/core/errors/errors.js';
import type { KafkaLink } from './kafka-client.js';
import { codes, KafkaFailure } from './kafka-errors.js';
import type { RecordBatch } from './kafka-protocol.js';
import { configsOf, prepareTopics, type TopicRules, verifyTopic } from './kafka-topics.js';

/** One partition is used, so that positions have an order. */
export const positionsPartition = 0;

const positionsRules = (mayCreate: boolean): TopicRules => ({
  mayCreate,
  partitions: 1,
  replication: -1,
  option: 'positions',
  rights: ['Read', 'Write'],
  configs: { 'cleanup.policy': 'compact', 'segment.bytes': String(16 * 1024 * 1024) },
});

/** Makes the topic if it is missing, or with `isTrial` verifies that it could be made. Throws ERR_SINK. */
export async function preparePositions(
  link: KafkaLink,
  topic: string,
  mayCreate: boolean,
  isTrial: boolean,
): Promise<void> {
  const rules = positionsRules(mayCreate);
  if (isTrial) await verifyTopic(link, topic, rules);
  else await prepareTopics(link, [topic], rules);
  const policy = (await configsOf(link, topic, ['cleanup.policy'])).get('cleanup.policy');
  if (policy === undefined || policy === 'compact') return;
  throw new ExtractError(
    'ERR_SINK',
    `kafka: the topic "${topic}" for positions has the cleanup.policy "${policy}", which removes them: expected "compact"`,
  );
}

/** The committed values of the keys with one of these prefixes. Transactions that are still open do not count. */
export async function readPositions(
  link: KafkaLink,
  topic: string,
  prefixes: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const isWanted = (key: string) => prefixes.some((prefix) => key.startsWith(prefix));
  const reader = createReader(isWanted);
  const end = await offsetOf(link, topic, latest);
  for (let offset = await offsetOf(link, topic, earliest); offset < end; ) {
    const batches = await fetchFrom(link, topic, offset);
    const last = batches.at(-1);
    if (last === undefined)
      throw new KafkaFailure('Fetch', [codes.leaderNotAvailable], `nothing at ${offset} of ${end}`);
    for (const batch of batches) reader.add(batch);
    offset = last.firstOffset + BigInt(last.lastOffsetDelta) + 1n;
  }
  return reader.values;
}

const [latest, earliest] = [-1n, -2n];
const fetchBytes = 8 * 1024 * 1024;
/** How long a fetch waits for what is not there yet, in ms. */
const fetchPatience = 1000;

async function offsetOf(link: KafkaLink, topic: string, timestamp: bigint): Promise<bigint> {
  const partitions = [{ partitionIndex: positionsPartition, currentLeaderEpoch: -1, timestamp }];
  const { topics } = await link.call('ListOffsets', leaderOf(link, topic), -1, 0, [{ name: topic, partitions }]);
  return topics[0]?.partitions[0]?.offset ?? 0n;
}

async function fetchFrom(link: KafkaLink, topic: string, fetchOffset: bigint): Promise<readonly RecordBatch[]> {
  const place = { partition: positionsPartition, currentLeaderEpoch: -1, lastFetchedEpoch: -1, fetchOffset };
  const topics = [{ topicId: topic, partitions: [{ ...place, partitionMaxBytes: fetchBytes }] }];
  const session = [0, -1] as const;
  const leader = leaderOf(link, topic);
  const { responses } = await link.call('Fetch', leader, fetchPatience, 1, fetchBytes, 0, ...session, topics, [], '');
  return responses[0]?.partitions[0]?.records ?? [];
}

const leaderOf = (link: KafkaLink, topic: string): number => link.topics.get(topic)?.leaders[positionsPartition] ?? -1;

const [isTransactional, isControl] = [1 << 4, 1 << 5];
const committed = 1;

/**
 * Follows the markers of transactions: a reader of committed records would wait for the open transactions of other
 * runs.
 */
function createReader(isWanted: (key: string) => boolean) {
  const values = new Map<string, string>();
  const open = new Map<bigint, Map<string, string | undefined>>();
  const apply = (changes: ReadonlyMap<string, string | undefined>) => {
    for (const [key, value] of changes) {
      if (value === undefined) values.delete(key);
      else values.set(key, value);
    }
  };
  return {
    values,
    add({ attributes, producerId, records }: RecordBatch): void {
      if ((attributes & isControl) !== 0) {
        const kind = records[0]?.key?.readInt16BE(2);
        if (kind === committed) apply(open.get(producerId) ?? new Map());
        open.delete(producerId);
        return;
      }
      const changes = open.get(producerId) ?? new Map<string, string | undefined>();
      for (const { key, value } of records) {
        const name = key?.toString() ?? '';
        if (isWanted(name)) changes.set(name, value?.toString());
      }
      if ((attributes & isTransactional) === 0) apply(changes);
      else open.set(producerId, changes);
    },
  };
}
