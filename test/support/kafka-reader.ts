/** Reads topics as a consumer of committed records does, with the protocol alone: what tests find in a destination. */
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
    const found = await metadataV9.api.async(connection, [topic], false, false).catch(() => undefined);
    const records: KafkaRecord[] = [];
    for (const { partitionIndex } of found?.topics[0]?.partitions ?? []) {
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

export const textsOf = (records: readonly KafkaRecord[]): readonly string[] => records.map(({ text }) => text);

const readCommitted = 1;
const isControl = 1 << 5;

async function readPartition(
  connection: Connection,
  topic: string,
  partition: number,
): Promise<readonly KafkaRecord[]> {
  const latest = [{ name: topic, partitions: [{ partitionIndex: partition, currentLeaderEpoch: -1, timestamp: -1n }] }];
  const { topics } = await listOffsetsV6.api.async(connection, -1, readCommitted, latest);
  const end = topics[0]?.partitions[0]?.offset ?? 0n;
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
    const { responses } = await fetchV12.api.async(
      connection,
      500,
      1,
      1 << 24,
      readCommitted,
      0,
      -1,
      topicPlace,
      [],
      '',
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
