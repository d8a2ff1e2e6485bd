/**
 * A process of a run at a Kafka cluster: its connections, its fence against older processes, and each page in a
 * transaction. A compacted topic stores the epoch of the run, and for each lane the position after its last page. At
 * the end of a run with a state, one key for some days says that it has ended.
 */
import { ExtractError } from '../../src/core/errors/errors.js';
import { digestOf } from '../../src/core/util/digest.js';
import type { Earlier } from '../contract.js';
import { fenceSeconds } from '../servers/fences.js';
import {
  type Acknowledged,
  createAcknowledged,
  createLine,
  fenced,
  hasEndedBefore,
  type LanePosition,
  type ServerSession,
} from '../servers/server-session.js';
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
export type KafkaSession = ServerSession<KafkaLink, KafkaMessage>;

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

/** What a process knows of its run. */
interface Progress {
  readonly options: SessionOptions;
  /** The first part of all keys and transactional ids. */
  readonly id: string;
  run: string;
  epoch: string;
  isStored: boolean;
  readonly known: Acknowledged;
  producer: Producer | undefined;
  /** The connection on which the stored positions were compared with the known ones; undefined: to be done. */
  link: KafkaLink | undefined;
}

const remedy = 'Give the topics several replicas (`replication=3`), so that the cluster keeps what it acknowledges.';

/** So many times in a row the server may end the transaction of a page. */
const mostAborts = 3;

/** One connection to the cluster, with work one after the other. */
export const createKafkaLine = (server: KafkaServer) =>
  createLine<KafkaLink>({
    connect: () => connectKafka(server),
    isOpen: (link) => !link.isClosed(),
    close: (link) => link.close(),
    isBroken,
  });

/** Connects at the first use. */
export function createKafkaSession(options: SessionOptions): KafkaSession {
  const { alone, once, end } = createKafkaLine(options.server);
  const known = createAcknowledged('kafka', remedy);
  const id = digestOf(options.identity).slice(0, 12);
  const progress: Progress = {
    options,
    id,
    run: '',
    epoch: '',
    isStored: false,
    known,
    producer: undefined,
    link: undefined,
  };
  return {
    alone,
    once,
    async begin(earlier) {
      const { run, epoch, isStored } = earlier;
      Object.assign(progress, { run, epoch: String(epoch), isStored, link: undefined });
      known.clear();
      await alone((link) => takeOver(link, progress, earlier));
    },
    held() {
      known.mustNotBeLost();
      return alone(async (link) => {
        await beginAgain(link, progress);
        const stored = await readVerified(link, progress);
        progress.link = link;
        for (const [lane, position] of stored) known.set(lane, position);
        return stored;
      });
    },
    async store(messages, lane, position, signal) {
      known.mustNotBeLost();
      const page: Page = { messages, lane, position, aborts: 0 };
      await alone((link) => storePage(link, progress, page), signal);
      known.set(lane, position);
    },
    async forget() {
      if (progress.run !== '') await alone((link) => forgetRun(link, progress));
    },
    end,
  };
}

const prefixOf = ({ id }: Progress, run: string): string => `${id}/${run}/`;
const epochKey = (progress: Progress): string => `${prefixOf(progress, progress.run)}epoch`;
const laneKey = (progress: Progress, lane: string): string => `${prefixOf(progress, progress.run)}lane/${lane}`;
/** The beginning of the keys of all runs that have ended. A value has the last epoch, and when that was in epoch ms. */
const endedKeys = 'ended/';
const endedKey = (progress: Progress, run: string): string => `${endedKeys}${prefixOf(progress, run)}`;

/** A run has ended: processes up to this epoch are refused. `at` in epoch ms. */
const endOf = (progress: Progress, run: string, epoch: string, at: number): KafkaMessage =>
  record(progress, endedKey(progress, run), `${epoch} ${at}`);

/** The package that has the time is loaded with the first request. */
const clock = async (): Promise<number> => (await import('../servers/clock.js')).now();

const transactionOf = ({ id }: Progress, run: string): string => `rxtract-${id}-${run}`;

interface Page extends LanePosition {
  readonly messages: readonly KafkaMessage[];
  /** How often the server has ended its transaction. */
  aborts: number;
}

/** Stores a page once, also if an earlier connection broke meanwhile. ERR_RESUME: a newer process has begun. */
async function storePage(link: KafkaLink, progress: Progress, page: Page): Promise<void> {
  if (progress.link !== link) {
    await beginAgain(link, progress);
    // The page may be there already: an earlier attempt ended without an answer.
    const stored = await readVerified(link, progress, page);
    progress.link = link;
    if (stored.get(page.lane) === page.position) return;
  }
  await progress.options.prepare(link, page.messages);
  const position = record(progress, laneKey(progress, page.lane), page.position);
  try {
    await inTransaction(link, progress, [...page.messages, position]);
  } catch (thrown) {
    progress.link = undefined;
    if (isProducerLost(thrown) && ++page.aborts >= mostAborts) throw abortedTooOften(progress.options.timeoutMs);
    throw thrown;
  }
}

/** Stores all the messages, or none. */
async function inTransaction(link: KafkaLink, progress: Progress, messages: readonly KafkaMessage[]): Promise<void> {
  const producer = progress.producer ?? (await beginAgain(link, progress));
  const { id, epoch, transaction } = producer;
  const pending = partitioned(link, messages);
  const list = topicsOf(pending);
  const coordinator = await coordinatorOf(link, transaction ?? '');
  const part = { transactionalId: transaction, producerId: id, producerEpoch: epoch, verifyOnly: false, topics: list };
  await patiently(() => link.call('AddPartitionsToTxn', coordinator, [part]));
  const finish = (isCommit: boolean) => link.call('EndTxn', coordinator, transaction, id, epoch, isCommit);
  try {
    await sendPending(link, producer, pending, progress.options.compression);
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
function record({ options }: Progress, key: string, value: string | undefined): KafkaMessage {
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
async function beginAgain(link: KafkaLink, progress: Progress): Promise<Producer> {
  const { options, run } = progress;
  await preparePositions(link, options.positions, options.mayCreate, false);
  progress.producer = await beginProducer(link, transactionOf(progress, run), options.timeoutMs);
  return progress.producer;
}

/** The stored positions of the run. They must be the acknowledged ones, but for a page that is in question. */
async function readVerified(
  link: KafkaLink,
  progress: Progress,
  page?: LanePosition,
): Promise<ReadonlyMap<string, string>> {
  const { options, run } = progress;
  const ended = endedKey(progress, run);
  const values = await readPositions(link, options.positions, [prefixOf(progress, run), ended]);
  const epoch = values.get(epochKey(progress));
  if (epoch === undefined && !values.has(ended)) progress.known.lose(lostAll(options.positions));
  if (epoch !== progress.epoch) throw fenced('kafka');
  const stored = lanesIn(progress, values);
  progress.known.verify(stored, page);
  return stored;
}

function lanesIn(progress: Progress, values: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const prefix = laneKey(progress, '');
  const lanes = [...values].filter(([key]) => key.startsWith(prefix));
  return new Map(lanes.map(([key, position]) => [key.slice(prefix.length), position]));
}

/** Ends older processes, stores the epoch if it is the highest, and ends the runs that this one replaces. */
async function takeOver(link: KafkaLink, progress: Progress, { phase, replaces = [] }: Earlier): Promise<void> {
  const { options, run, epoch } = progress;
  const endReplaced = async () => {
    for (const old of replaces) await beginProducer(link, transactionOf(progress, old), options.timeoutMs);
  };
  await endReplaced();
  await beginAgain(link, progress);
  const prefixes = [run, ...replaces].map((each) => prefixOf(progress, each));
  const values = await readPositions(link, options.positions, [...prefixes, endedKeys]);
  const ended = values.get(endedKey(progress, run));
  const epochs = [values.get(epochKey(progress)), ended?.split(' ')[0]];
  if (epochs.some((each) => Number(each ?? 0) > Number(epoch))) throw fenced('kafka');
  if (ended !== undefined && phase === 'writing') throw hasEndedBefore('kafka', run);
  const at = await clock();
  const isLeft = (key: string) => !key.startsWith(endedKeys) && !key.startsWith(prefixOf(progress, run));
  const removals = [...[...values.keys()].filter(isLeft), ...oldFences(values, at, options)];
  await inTransaction(link, progress, [
    record(progress, epochKey(progress), epoch),
    ...removals.map((key) => record(progress, key, undefined)),
    ...replaces.map((old) => endOf(progress, old, replacedEpoch, at)),
  ]);
  if (replaces.length > 0) {
    // The removals can be read now. A process that read its positions before them has begun again, and ends here.
    await beginAgain(link, progress);
    await endReplaced();
  }
  progress.link = link;
}

/** The epoch of a run that was replaced: no process has a higher one. */
const replacedEpoch = 'Infinity';

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

/** Removes the keys of the run, unless an earlier attempt has. With a state one key says that it has ended. */
async function forgetRun(link: KafkaLink, progress: Progress): Promise<void> {
  const { options, run, epoch, isStored } = progress;
  await beginAgain(link, progress);
  progress.link = undefined;
  const ended = endedKey(progress, run);
  const values = await readPositions(link, options.positions, [prefixOf(progress, run), ended]);
  const keys = [...values.keys()].filter((key) => key !== ended);
  if (keys.length === 0 && values.get(ended)?.startsWith(replacedEpoch) !== true) return;
  if (values.get(epochKey(progress)) !== epoch) throw fenced('kafka');
  const removals = keys.map((key) => record(progress, key, undefined));
  await inTransaction(link, progress, [...removals, ...(isStored ? [endOf(progress, run, epoch, await clock())] : [])]);
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
