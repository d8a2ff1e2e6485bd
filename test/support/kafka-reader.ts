/** Reads topics as a consumer of committed records does, with the protocol alone: what tests find in a destination. */
import { setTimeout } from 'node:timers/promises';
import { Connection, fetchV12, listOffsetsV6, metadataV9 } from '@platformatic/kafka';

export interface KafkaRecord {
  readonly partition: number;
  readonly key: string | undefined;
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** All records of committed transactions and those of none, by partition in their order; empty without the topic. */
export async function readTopic(port: number, topic: string): Promise<readonly KafkaRecord[]> {
  return connected(port, async (connection) => {
    const partitions = await findPartitions(connection, topic);
    const records: KafkaRecord[] = [];
    for (const partitionIndex of partitions) {
      for (const record of await readPartition(connection, topic, partitionIndex)) records.push(record);
    }
    return records;
  });
}

/** How many brokers may hold topics. */
export const countBrokers = (port: number): Promise<number> =>
  connected(port, async (connection) => (await metadataV9.api.async(connection, [], false, false)).brokers.length);

async function connected<T>(port: number, work: (connection: Connection) => Promise<T>): Promise<T> {
  const connection = new Connection('reader');
  connection.on('error', () => {});
  await connection.connect('127.0.0.1', port);
  try {
    return await work(connection);
  } finally {
    await connection.close();
  }
}

/** The numbers of the partitions; none without the topic. */
async function findPartitions(connection: Connection, topic: string): Promise<readonly number[]> {
  try {
    const { topics } = await onceReady(() => metadataV9.api.async(connection, [topic], false, false), noTopic);
    return (topics[0]?.partitions ?? []).map(({ partitionIndex }) => partitionIndex);
  } catch (thrown) {
    if (hasError(thrown, ({ apiId }) => apiId === noTopic)) return [];
    throw thrown;
  }
}

const noTopic = 'UNKNOWN_TOPIC_OR_PARTITION';

/**
 * A broker that has just started knows its topics, but leads none of them for a moment: then it is asked again, unless
 * the error is the one that is an answer.
 */
async function onceReady<T>(ask: () => Promise<T>, answer?: string): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await ask();
    } catch (thrown) {
      const mayPass = hasError(thrown, ({ apiId, canRetry }) => canRetry === true && apiId !== answer);
      if (!mayPass || attempt === 1000) throw thrown;
      await setTimeout(20);
    }
  }
}

interface AnswerError {
  readonly apiId?: string;
  readonly canRetry?: boolean;
}

const hasError = (thrown: unknown, isIt: (error: AnswerError) => boolean): boolean =>
  thrown instanceof AggregateError && thrown.errors.some(isIt);

export const textsOf = (records: readonly KafkaRecord[]): readonly string[] => records.map(({ text }) => text);

const readCommitted = 1;
const isControl = 1 << 5;

async function readPartition(
  connection: Connection,
  topic: string,
  partition: number,
): Promise<readonly KafkaRecord[]> {
  const end = await endOf(connection, topic, partition);
  const records: KafkaRecord[] = [];
  for (let offset = 0n; offset < end; ) {
    const place = {
      partition,
      currentLeaderEpoch: -1,
      fetchOffset: offset,
      lastFetchedEpoch: -1,
      partitionMaxBytes: 1 << 24,
    };
    const topicPlace = [{ topicId: topic, partitions: [place] }];
    const { responses } = await onceReady(() =>
      fetchV12.api.async(connection, 500, 1, 1 << 24, readCommitted, 0, -1, topicPlace, [], ''),
    );
    const [part] = responses[0]?.partitions ?? [];
    let aborted = part?.abortedTransactions ?? [];
    const skipped = new Set<bigint>();
    for (const batch of part?.records ?? []) {
      for (const { producerId, firstOffset } of aborted) if (firstOffset <= batch.firstOffset) skipped.add(producerId);
      offset = batch.firstOffset + BigInt(batch.lastOffsetDelta) + 1n;
      if ((batch.attributes & isControl) !== 0) {
        skipped.delete(batch.producerId);
        const isOver = (each: (typeof aborted)[number]) =>
          each.producerId === batch.producerId && each.firstOffset <= batch.firstOffset;
        aborted = aborted.filter((each) => !isOver(each));
      } else if (!skipped.has(batch.producerId))
        for (const record of batch.records) records.push(read(record, partition));
    }
  }
  return records;
}

/** The end of what is committed. A commit shows a moment later; the transaction of a dead process stays open. */
async function endOf(connection: Connection, topic: string, partition: number): Promise<bigint> {
  const latest = [{ name: topic, partitions: [{ partitionIndex: partition, currentLeaderEpoch: -1, timestamp: -1n }] }];
  const offsetAt = async (isolation: number): Promise<bigint> => {
    const { topics } = await onceReady(() => listOffsetsV6.api.async(connection, -1, isolation, latest));
    return topics[0]?.partitions[0]?.offset ?? 0n;
  };
  const all = await offsetAt(0);
  for (let attempt = 0; ; attempt++) {
    const end = await offsetAt(readCommitted);
    if (end >= all || attempt === 50) return end;
    await setTimeout(20);
  }
}

interface RawRecord {
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: readonly (readonly [Buffer | null, Buffer | null])[];
}

const read = ({ key, value, headers }: RawRecord, partition: number): KafkaRecord => ({
  partition,
  key: key?.toString(),
  text: value?.toString() ?? '',
  headers: Object.fromEntries(headers.map(([name, text]) => [String(name), String(text)])),
});
