/** Apache Kafka: messages of an idempotent producer, or each page with the position after it in one transaction. */
import type { Batch } from '../../src/core/model/batch.js';
import type { SinkAddress } from '../addresses/address.js';
import { addressOf } from '../addresses/address-of.js';
import { sinkFrom } from '../addresses/address-secrets.js';
import { hostText } from '../addresses/server-address.js';
import { countTargets } from '../addresses/templates.js';
import type { Sink } from '../contract.js';
import { orAborted } from '../errors.js';
import { placeOf } from '../item-errors.js';
import { messageIds } from '../messages/message-id.js';
import { createMessageSink, describing, type Messages, messagesFrom, type NoMessage } from '../servers/message-sink.js';
import { boundByMemory, pageTransactions } from '../servers/page-transactions.js';
import type { ConnectionLine } from '../servers/server-session.js';
import type { KafkaLink } from './kafka-client.js';
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
import { createKafkaLine, createKafkaSession } from './kafka-session.js';
import { type KafkaOptions, type KafkaSettings, kafkaOptions, settingsOf } from './kafka-settings.js';
import { isTopicName, prepareTopics, topicNameRule, verifyBrokers, verifyTopic } from './kafka-topics.js';

/**
 * Creates the sink of the address `kafka://...`: Apache Kafka. Loads the client and connects when the run begins.
 * Throws ERR_USAGE for wrong options; see docs/reference/sinks/kafka.md.
 */
export function kafka({ servers, topic, tls = false, user, password, ...values }: KafkaOptions): Sink {
  const more = ['servers', 'topic', 'tls', 'user', 'password'];
  const rules = { options: kafkaOptions, templates: ['key'], more };
  const target = { hosts: servers, path: topic, user, password };
  return sinkFrom(addressOf(tls ? 'kafkas' : 'kafka', target, { ...values }, rules), kafkaFromAddress);
}

/** Creates the sink of an address. Throws ERR_USAGE. */
export function kafkaFromAddress(address: SinkAddress): Sink {
  const settings = settingsOf(address);
  return settings.hasTransactions ? transactional(settings) : idempotent(settings);
}

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
    createLine: () => createKafkaLine(server),
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
  const line = createKafkaLine(settings.server);
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
      const headersOf = (index: number) => withId(settings.headers, ids[index] ?? '');
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
