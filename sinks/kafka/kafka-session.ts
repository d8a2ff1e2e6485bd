/**
 * A process of a run at a Kafka cluster: its connections, its fence against older processes, and each page in a
 * transaction. A compacted topic stores the epoch of the run, and for each lane the position after its last page. At
 * the end of a run with a state, one key for some days says that it has ended.
 */
import { ExtractError } from '../../src/core/errors/errors.js';
import { digestOf } from '../../src/core/util/digest.js';
import type { Earlier } from '../contract.js';
import { createAcknowledged } from '../servers/acknowledged.js';
import type { ConnectionKind } from '../servers/connection-line.js';
import { type FencedSession, fencedSession, type StoredRun } from '../servers/fenced-session.js';
import { fenceSeconds } from '../servers/fences.js';
import { connectKafka, type KafkaLink } from './kafka-client.js';
import { isBroken, isProducerLost } from './kafka-errors.js';
import { positionsPartition, preparePositions, readPositions } from './kafka-positions.js';
import {
  beginProducer,
  coordinatorOf,
  type KafkaMessage,
  type Pending,
  type Producer,
  partitioned,
  patiently,
  sendPending,
} from './kafka-producer.js';
import type { KafkaServer } from './kafka-protocol.js';

/** Messages of a page are stored with its position in one transaction. */
export type KafkaSession = FencedSession<KafkaLink, readonly KafkaMessage[]>;

interface SessionOptions {
  readonly server: KafkaServer;
  /** What the sink writes to, and how: sinks that differ in it do not share positions. */
  readonly identity: string;
  /** The topic with the positions. */
  readonly positions: string;
  readonly mayCreate: boolean;
  /** How long a transaction may take, in ms. */
  readonly timeoutMs: number;
  readonly compression: string | undefined;
  /** How long the key of a run that has ended stays, in ms. */
  readonly fenceMs?: number;
  /** Prepares the topics of messages. */
  prepare(link: KafkaLink, messages: readonly KafkaMessage[]): Promise<void>;
}

/** The transactions of one sink. */
interface Transactions {
  readonly options: SessionOptions;
  /** The first part of all keys and transactional ids. */
  readonly id: string;
  /** That of the run of this process, with the connection on which it began. */
  producer: Producer | undefined;
}

/** The values of the topic of positions that a run reads when it begins and ends. */
interface FoundRun extends StoredRun {
  readonly values: ReadonlyMap<string, string>;
}

const remedy = 'Give the topics several replicas (`replication=3`), so that the cluster keeps what it acknowledges.';

/** So many times in a row the server may end the transaction of a page. */
const mostAborts = 3;

/** Connections to the cluster. */
export const kafkaConnections = (server: KafkaServer): ConnectionKind<KafkaLink> => ({
  connect: () => connectKafka(server),
  isOpen: (link) => !link.isClosed(),
  close: (link) => link.close(),
  isBroken,
});

/** Connects at the first use. */
export function createKafkaSession(options: SessionOptions): KafkaSession {
  const transactions: Transactions = { options, id: digestOf(options.identity).slice(0, 12), producer: undefined };
  /** How often the server has ended the transaction of the last page. */
  let aborts = 0;
  let last: unknown;
  return fencedSession({
    kind: kafkaConnections(options.server),
    known: createAcknowledged('kafka', remedy),
    lost: () => lostAll(options.positions),
    async readEpoch(link, run) {
      await endReplaced(link, transactions, run);
      return readRun(link, transactions, run);
    },
    async writeEpoch(link, run, { values }) {
      await takeOver(link, transactions, run, values);
      return true;
    },
    async clean(link, run) {
      if (run.replaces === undefined || run.replaces.length === 0) return;
      // The removals can be read now. A process that read its positions before them has begun again, and ends here.
      await beginAgain(link, transactions, run);
      await endReplaced(link, transactions, run);
    },
    readPositions: (link, run) => readRun(link, transactions, run),
    async storeOnce(link, run, page) {
      const { content, lane, position } = page;
      if (last !== page) aborts = 0;
      last = page;
      await options.prepare(link, content);
      const stored = record(transactions, laneKey(transactions, run, lane), position);
      try {
        await inTransaction(link, transactions, run, [...content, stored]);
      } catch (thrown) {
        if (isProducerLost(thrown) && ++aborts >= mostAborts) throw abortedTooOften(options.timeoutMs);
        throw thrown;
      }
      return true;
    },
    async remove(link, run, { epoch, values }) {
      if (epoch !== undefined) await removeRun(link, transactions, run, values);
      return true;
    },
  });
}

const prefixOf = ({ id }: Transactions, run: string): string => `${id}/${run}/`;
const epochKey = (transactions: Transactions, { run }: Earlier): string => `${prefixOf(transactions, run)}epoch`;
const laneKey = (transactions: Transactions, { run }: Earlier, lane: string): string =>
  `${prefixOf(transactions, run)}lane/${lane}`;
/** The beginning of the keys of all runs that have ended. A value has the last epoch, and when that was in epoch ms. */
const endedKeys = 'ended/';
const endedKey = (transactions: Transactions, run: string): string => `${endedKeys}${prefixOf(transactions, run)}`;

/** A run has ended: processes up to this epoch are refused. `at` in epoch ms. */
const endOf = (transactions: Transactions, run: string, epoch: number, at: number): KafkaMessage =>
  record(transactions, endedKey(transactions, run), `${epoch} ${at}`);

/** The package that has the time is loaded with the first request. */
const clock = async (): Promise<number> => (await import('../servers/clock.js')).now();

const transactionOf = ({ id }: Transactions, run: string): string => `rxtract-${id}-${run}`;

/** Stores all the messages, or none. */
async function inTransaction(
  link: KafkaLink,
  transactions: Transactions,
  run: Earlier,
  messages: readonly KafkaMessage[],
): Promise<void> {
  const producer = transactions.producer ?? (await beginAgain(link, transactions, run));
  const { id, epoch, transaction } = producer;
  const pending = partitioned(link, messages);
  const list = topicsOf(pending);
  const coordinator = await coordinatorOf(link, transaction ?? '');
  const part = { transactionalId: transaction, producerId: id, producerEpoch: epoch, verifyOnly: false, topics: list };
  await patiently(() => link.call('AddPartitionsToTxn', coordinator, [part]));
  const finish = (isCommit: boolean) => link.call('EndTxn', coordinator, transaction, id, epoch, isCommit);
  try {
    await sendPending(link, producer, pending, transactions.options.compression);
  } catch (thrown) {
    // Readers wait for the end of a transaction. Another attempt ends it too.
    if (!isBroken(thrown)) await finish(false).catch(() => {});
    throw thrown;
  }
  await patiently(() => finish(true));
}

/** The partitions of the messages, as a transaction announces them. */
function topicsOf(pending: Pending): readonly { readonly name: string; readonly partitions: readonly number[] }[] {
  const topics = new Map<string, Set<number>>();
  for (const [batch = []] of pending.values()) {
    for (const { topic, partition = 0 } of batch) topics.set(topic, (topics.get(topic) ?? new Set()).add(partition));
  }
  return [...topics].map(([name, partitions]) => ({ name, partitions: [...partitions] }));
}

/** A message for the topic of positions; undefined removes the key. */
function record({ options }: Transactions, key: string, value: string | undefined): KafkaMessage {
  const name = Buffer.from(key);
  return {
    topic: options.positions,
    key: name,
    partitionKey: name,
    partition: positionsPartition,
    headers: new Map(),
    value: value === undefined ? null : Buffer.from(value),
  };
}

/**
 * Ends what an earlier process, or an earlier connection of this one, has begun: it is stored by now, or never. A
 * transaction of this process that is committed can be read only after it: its markers are written later.
 */
async function beginAgain(link: KafkaLink, transactions: Transactions, { run }: Earlier): Promise<Producer> {
  const { positions, mayCreate, timeoutMs } = transactions.options;
  await preparePositions(link, positions, mayCreate, false);
  transactions.producer = await beginProducer(link, transactionOf(transactions, run), timeoutMs);
  return transactions.producer;
}

/** Ends the transactions of the runs that this one replaces. */
async function endReplaced(link: KafkaLink, transactions: Transactions, { replaces = [] }: Earlier): Promise<void> {
  const { timeoutMs } = transactions.options;
  for (const old of replaces) await beginProducer(link, transactionOf(transactions, old), timeoutMs);
}

/** What is stored of the run, of those that it replaces, and of all that have ended. */
async function readRun(link: KafkaLink, transactions: Transactions, run: Earlier): Promise<FoundRun> {
  await beginAgain(link, transactions, run);
  const prefixes = [run.run, ...(run.replaces ?? [])].map((each) => prefixOf(transactions, each));
  const values = await readPositions(link, transactions.options.positions, [...prefixes, endedKeys]);
  const epoch = values.get(epochKey(transactions, run));
  const ended = values.get(endedKey(transactions, run.run))?.split(' ')[0];
  const prefix = laneKey(transactions, run, '');
  const lanes = [...values].filter(([key]) => key.startsWith(prefix));
  return {
    epoch: epoch === undefined ? undefined : Number(epoch),
    ended: ended === undefined ? undefined : Number(ended),
    positions: new Map(lanes.map(([key, position]) => [key.slice(prefix.length), position])),
    values,
  };
}

/** Stores the epoch, and removes the runs that this one replaces and the keys of those that ended some days ago. */
async function takeOver(
  link: KafkaLink,
  transactions: Transactions,
  run: Earlier,
  values: ReadonlyMap<string, string>,
): Promise<void> {
  const at = await clock();
  const { replaces = [], epoch } = run;
  const isLeft = (key: string) => replaces.some((old) => key.startsWith(prefixOf(transactions, old)));
  const removals = [...[...values.keys()].filter(isLeft), ...oldFences(values, at, transactions.options)];
  await inTransaction(link, transactions, run, [
    record(transactions, epochKey(transactions, run), String(epoch)),
    ...removals.map((key) => record(transactions, key, undefined)),
    ...replaces.map((old) => endOf(transactions, old, Number.POSITIVE_INFINITY, at)),
  ]);
}

/** The keys of runs that ended some days ago. */
const oldFences = (
  values: ReadonlyMap<string, string>,
  at: number,
  { fenceMs = fenceSeconds * 1000 }: SessionOptions,
): readonly string[] =>
  [...values].flatMap(([key, value]) => {
    const isOld = key.startsWith(endedKeys) && Number(value.split(' ')[1]) <= at - fenceMs;
    return isOld ? [key] : [];
  });

/** Removes the keys of the run. With a state one key says that it has ended. */
async function removeRun(
  link: KafkaLink,
  transactions: Transactions,
  run: Earlier,
  values: ReadonlyMap<string, string>,
): Promise<void> {
  const keys = [...values.keys()].filter((key) => key.startsWith(prefixOf(transactions, run.run)));
  const ends = run.isStored ? [endOf(transactions, run.run, run.epoch, await clock())] : [];
  const removals = keys.map((key) => record(transactions, key, undefined));
  await inTransaction(link, transactions, run, [...removals, ...ends]);
}

/** Without a cause: that is temporary, and this error is not. */
const abortedTooOften = (timeoutMs: number) =>
  new ExtractError(
    'ERR_SINK',
    `kafka: the server ended the transaction of a page ${mostAborts} times: it takes longer than ${timeoutMs / 1000} s, or a broker lost it: set a longer \`timeout\`, or request smaller pages`,
  );

const lostAll = (topic: string) =>
  new ExtractError(
    'ERR_SINK',
    `kafka: the topic "${topic}" has lost what this run stored in it: the topic was deleted or emptied`,
  );
