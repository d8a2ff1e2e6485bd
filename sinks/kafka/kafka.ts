/** Apache Kafka: messages of an idempotent producer, or each page with the position after it in one transaction. */

import type { Batch } from '../../src/core/model/batch.js';
import { elementAt } from '../../src/core/util/element-at.js';
import { sinkInCode } from '../addresses/options.js';
import { hostText } from '../addresses/server-address.js';
import { countTargets } from '../addresses/templates.js';
import type { Sink } from '../contract.js';
import type { SinkEntry } from '../entry.js';
import { orAborted } from '../errors.js';
import { placeOf } from '../item-errors.js';
import { messageIds } from '../messages/message-id.js';
import { type ConnectionLine, createLine } from '../servers/connection-line.js';
import { fencedNote } from '../servers/fences.js';
import { createMessageSink, describing, type Messages, messagesFrom, type NoMessage } from '../servers/message-sink.js';
import { boundByMemory, pageTransactions } from '../servers/page-transactions.js';
import { type KafkaLink, kafkaPackages } from './kafka-client.js';
import { isProducerLost, kafkaError } from './kafka-errors.js';
import { preparePositions } from './kafka-positions.js';
import {
  beginProducer,
  coordinatorOf,
  fitsInBatch,
  type KafkaMessage,
  type Pending,
  type Producer,
  partitioned,
  sendPending,
  tooLarge,
} from './kafka-producer.js';
import { createKafkaSession, kafkaConnections } from './kafka-session.js';
import { type KafkaOptions, type KafkaSettings, kafkaOptions, settingsOf } from './kafka-settings.js';
import { isTopicName, prepareTopics, topicNameRule, verifyBrokers, verifyTopic } from './kafka-topics.js';

/**
 * Creates the sink of the address `kafka://...`: Apache Kafka. Loads the client and connects when the run begins.
 * Throws ERR_USAGE for wrong options; see docs/reference/sinks/kafka.md.
 */
export const kafka = (options: KafkaOptions): Sink => sinkInCode('kafka', kafkaEntry, options);

export const kafkaEntry: SinkEntry<typeof kafkaOptions> = {
  summary: 'messages of Apache Kafka, on request each page and its position in one transaction',
  address: {
    form: 'kafka://[USER:PASSWORD@]HOST:PORT[,HOST:PORT]/TOPIC',
    target: 'server',
    schemes: ['kafka', 'kafkas'],
    tlsScheme: 'kafkas',
    parts: { hosts: 'servers', path: 'topic', user: 'user', password: 'password' },
  },
  options: kafkaOptions,
  code: "kafka({ servers: 'localhost:9092', topic: 'items', key: 'item.id', transactions: true })",
  recovery: { usual: 'none', option: 'transactions=true', withOption: 'transaction' },
  rules: [
    '`kafkas` uses TLS. Kafka 3.0 or newer is needed; Kafka 4 is recommended for transactions, because older versions accept late messages of a transaction that has ended.',
    'The topic may contain `{dataType}`, `{job}` and `{item.PATH}`. In their values each byte that is no ASCII letter, digit, `_` or `-` is written `.` and its two hexadecimal digits.',
    'The partition of a message follows from its key, by the hash of the Java client. Without `key` it follows from the job, and the message has no key. The order of items holds in each partition: for all items of a job without `key`, for those of one key with it.',
    'A message is the item as compact JSON, or its CloudEvent with the header `content-type`. Without transactions it has the header `rxtract-id`, the message id: items that arrive again have the same one.',
    'Without transactions the producer is idempotent and waits for all replicas in sync: what it sends again after a broken connection is stored once. Only a resume can repeat items, at most those of one page for each job under way.',
    'With `transactions=true` a page is in memory until its transaction, 256 MiB at the most. Its position is a message in the topic of `positions`, which is compacted; it is removed at the end. The transactional id begins with `rxtract-`.',
    'Exactly once holds for readers with `isolation.level=read_committed`.',
    `With transactions: ${fencedNote} That is a message in the topic of positions for each run with a state, which a later run removes.`,
    'With transactions a run cannot be shared by many processes: each of them would read the positions of all others.',
    'A killed process leaves its transaction open. Readers with `read_committed` wait for its end: until the resume, or for `timeout`.',
    'A missing topic is made with `partitions` and `replication`. An existing topic is never changed.',
    'Rights: `Write` and `Describe` for the topic, `Create` for a missing one; with transactions also `Read` and `Write` for the topic of positions, and `Describe` and `Write` for transactional ids that begin with `rxtract-`.',
    'Refused items: one that is larger than `max.message.bytes` of its topic, 1 MiB by default, compressed if `compression` is set; one whose topic has no valid name; one without a key.',
  ],
  packages: kafkaPackages,
  example: 'kafka://localhost:9092/items-{dataType}?key=item.id',
  create(options, destination) {
    const settings = settingsOf(options, destination);
    return options.transactions ? transactional(settings) : idempotent(settings);
  },
};

/** A larger item is not compressed to find out whether it fits. */
const mostCompressed = 64 * 1024 * 1024;
/** The longest position, in bytes: a topic accepts messages of 1 MB. */
const mostKeepBytes = 500_000;

/** What both kinds share: topics, messages, counts and the end. */
function createBase(settings: KafkaSettings, { alone, end }: ConnectionLine<KafkaLink>) {
  const { compression, server, topic } = settings;
  const candidatesOf = createCandidates(settings);
  const hosts = server.hosts.map(hostText).join(',');
  const base = createMessageSink({
    ...settings,
    sink: 'kafka',
    inServer: inKafka,
    end,
    nameOf: (dataType) => `${topic.summaryOf(dataType)} at ${hosts}`,
    createLine: () => createLine(kafkaConnections(server)),
    verify: (link) => verify(link, settings, true),
  });
  return {
    ...base,
    /** The messages of a batch, without those of items that are refused. */
    async messagesOf(batch: Batch, headersOf: HeadersOf, signal: AbortSignal): Promise<Messages<KafkaMessage>> {
      const candidates = candidatesOf(batch, headersOf);
      const found = candidates.filter((each): each is KafkaMessage => 'topic' in each);
      const prepared = async (link: KafkaLink) => {
        await prepare(link, found, settings);
        return (message: KafkaMessage) => reasonOf(link, message, compression);
      };
      const reasonFor = await orAborted(
        inKafka('prepare topics', () => alone(prepared, signal)),
        signal,
      );
      return messagesFrom(batch, candidates, base.errors, (each) => {
        const reason = 'topic' in each ? reasonFor(each) : undefined;
        return reason === undefined ? each : { reason };
      });
    },
  };
}

const inKafka = describing(kafkaError);

const prepare = (link: KafkaLink, messages: readonly KafkaMessage[], { rules }: KafkaSettings) =>
  prepareTopics(link, topicsIn(messages), rules);

const topicsIn = (messages: readonly KafkaMessage[]) => new Set(messages.map(({ topic }) => topic));

type HeadersOf = (index: number) => KafkaMessage['headers'];

/** Returns a function that makes a message of each item, or says why it cannot have one. */
function createCandidates({ topic, key, form }: KafkaSettings) {
  const targets = countTargets('kafka: the topic');
  return (batch: Batch, headersOf: HeadersOf): readonly (KafkaMessage | NoMessage)[] => {
    const names = topic.findNames(batch);
    const keys = key?.findNames(batch);
    const job = Buffer.from(batch.job);
    return form.messagesOf(batch).map(({ buffer, byteOffset, length }, index) => {
      const [name = '', text] = [names[index], keys?.[index]];
      if (typeof name !== 'string') return name;
      if (typeof text === 'object') return text;
      if (!isTopicName(name)) return { reason: `is for ${topicNameRule(name)}` };
      targets.add(name);
      const bytes = text === undefined ? null : Buffer.from(text);
      const value = Buffer.from(buffer, byteOffset, length);
      const item = placeOf(batch, index);
      return { topic: name, key: bytes, partitionKey: bytes ?? job, value, headers: headersOf(index), item };
    });
  };
}

/** Why a message is refused; undefined: it is not, or its topic does not say how large messages may be. */
function reasonOf(link: KafkaLink, message: KafkaMessage, compression: string | undefined): string | undefined {
  const most = link.topics.get(message.topic)?.mostBytes;
  if (most === undefined || fitsInBatch(message, most)) return undefined;
  const { value } = message;
  const isSmaller = compression !== undefined && value !== null && value.length <= mostCompressed;
  if (isSmaller && fitsInBatch({ ...message, value: link.compress(compression, value) }, most)) return undefined;
  return tooLarge(message, most);
}

/** Verifies rights and topics; with `isTrial` without a change. Throws ERR_SINK. */
async function verify(link: KafkaLink, settings: KafkaSettings, isTrial: boolean): Promise<void> {
  const { topic, rules, hasTransactions, positions } = settings;
  if (topic.isConstant && isTrial) await verifyTopic(link, topic.text, rules);
  else if (topic.isConstant) {
    await prepareTopics(link, [topic.text], rules);
    await verifyBrokers(link, link.topics.get(topic.text)?.leaders ?? []);
  }
  if (!hasTransactions) return;
  await coordinatorOf(link, 'rxtract-probe');
  await preparePositions(link, positions, rules.mayCreate, isTrial);
}

/** Messages without an acknowledgement are sent again by the same producer, which stores them once. */
function idempotent(settings: KafkaSettings): Sink {
  const line = createLine(kafkaConnections(settings.server));
  const { alone, once } = line;
  const { members, messagesOf, tally, form, mayWrite, end } = createBase(settings, line);
  let producer: Producer | undefined;
  const send = async (link: KafkaLink, pending: Pending) => {
    producer ??= await beginProducer(link, null, settings.timeoutMs);
    try {
      await sendPending(link, producer, pending, settings.compression);
    } catch (thrown) {
      if (isProducerLost(thrown)) producer = undefined;
      throw thrown;
    }
  };
  return {
    ...members,
    async resume(earlier) {
      form.resume(earlier);
      await inKafka('begin', () => once((link) => verify(link, settings, false)));
    },
    async write(batch, signal) {
      mayWrite(signal);
      const ids = messageIds(batch);
      const headersOf = (index: number) => withId(settings.headers, elementAt(ids, index));
      const { messages, refused } = await messagesOf(batch, headersOf, signal);
      if (messages.length === 0) return;
      let pending: Pending | undefined;
      const work = async (link: KafkaLink) => {
        await prepare(link, messages, settings);
        pending ??= partitioned(link, messages);
        await send(link, pending);
      };
      const sending = alone(work, signal).catch((thrown: unknown) => {
        producer = undefined; // The batch may be stored: other messages with its numbers would be dropped as known.
        throw thrown;
      });
      await orAborted(
        inKafka('send messages', () => sending),
        signal,
      );
      tally.add(batch, refused);
    },
    close: end,
    leave: end,
    abort: end,
  };
}

const idHeader = Buffer.from('rxtract-id');
const withId = (headers: ReadonlyMap<Buffer, Buffer>, id: string): ReadonlyMap<Buffer, Buffer> =>
  new Map([...headers, [idHeader, Buffer.from(id)]]);

/** A page waits in memory until its commit. */
function transactional(settings: KafkaSettings): Sink {
  const session = createKafkaSession({
    ...settings,
    mayCreate: settings.rules.mayCreate,
    prepare: (link, messages) => prepare(link, messages, settings),
  });
  const { messagesOf, ...base } = createBase(settings, session);
  const transactions = pageTransactions<KafkaMessage>({
    base,
    session,
    prepare: () => session.once((link) => verify(link, settings, false)),
    messagesOf: (batch, signal) => messagesOf(batch, () => settings.headers, signal),
    mustFit: boundByMemory('kafka', 'leave out transactions=true'),
  });
  return { ...transactions, keepBytes: mostKeepBytes };
}
