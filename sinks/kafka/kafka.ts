/** Apache Kafka: messages of an idempotent producer, or each page with the position after it in one transaction. */
import { ExtractError } from '../../src/core/errors/errors.js';
import type { Batch } from '../../src/core/model/batch.js';
import type { SinkAddress } from '../addresses/address.js';
import { addressOf } from '../addresses/address-of.js';
import { hostText } from '../addresses/server-address.js';
import { countTargets } from '../addresses/templates.js';
import type { Sink } from '../contract.js';
import { type Counts, createTally } from '../counts.js';
import { hasEnded, orAborted, throwIfAborted } from '../errors.js';
import { createItemErrors, type ItemErrors, placeOf } from '../item-errors.js';
import { messageIds } from '../messages/message-id.js';
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
  return kafkaFromAddress(addressOf(tls ? 'kafkas' : 'kafka', target, { ...values }, rules));
}

/** Creates the sink of an address. Throws ERR_USAGE. */
export function kafkaFromAddress(address: SinkAddress): Sink {
  const settings = settingsOf(address);
  return settings.hasTransactions ? transactional(settings) : idempotent(settings);
}

/** A larger item is not compressed to find out whether it fits. */
const mostCompressed = 64 * 1024 * 1024;
/** The most that a page may have in a transaction, in bytes: it is in memory until its commit. */
const mostPageBytes = 256 * 1024 * 1024;
/** The longest position, in bytes: a topic accepts messages of 1 MB. */
const mostKeepBytes = 500_000;

/** What both kinds share: topics, messages, counts and the end. */
function createBase(settings: KafkaSettings) {
  const { rules, compression } = settings;
  const tally = createTally();
  const errors = createItemErrors('kafka');
  const candidatesOf = createCandidates(settings);
  let isOver = false;
  const prepare = (link: KafkaLink, messages: readonly KafkaMessage[]) =>
    prepareTopics(link, topicsIn(messages), rules);
  return {
    tally,
    prepare,
    mayWrite(signal: AbortSignal) {
      if (isOver) throw hasEnded('kafka');
      throwIfAborted(signal);
    },
    endWith(end: () => void) {
      isOver = true;
      end();
    },
    /** The messages of a batch, without those of items that are refused. `alone` runs work on the connection. */
    async messagesOf(batch: Batch, headersOf: HeadersOf, alone: Alone, signal: AbortSignal): Promise<Messages> {
      const candidates = candidatesOf(batch, headersOf);
      const found = candidates.filter((each): each is KafkaMessage => 'topic' in each);
      const prepared = async (link: KafkaLink) => {
        await prepare(link, found);
        return (message: KafkaMessage) => reasonOf(link, message, compression);
      };
      const reasonFor = await orAborted(
        inKafka('prepare topics', () => alone(prepared, signal)),
        signal,
      );
      const messages: KafkaMessage[] = [];
      const refused: number[] = [];
      for (const [index, each] of candidates.entries()) {
        const reason = 'topic' in each ? reasonFor(each) : each.reason;
        if (reason === undefined && 'topic' in each) messages.push(each);
        else {
          await errors.refuse({ batch, index, reason: reason ?? '' });
          refused.push(index);
        }
      }
      return { messages, refused };
    },
    members: membersOf(settings, tally, errors),
  };
}

const topicsIn = (messages: readonly KafkaMessage[]) => new Set(messages.map(({ topic }) => topic));

type HeadersOf = (index: number) => KafkaMessage['headers'];
type Alone = ConnectionLine<KafkaLink>['alone'];

interface Messages {
  readonly messages: readonly KafkaMessage[];
  /** Indexes of the items that are left out. */
  readonly refused: readonly number[];
}

/** Returns a function that makes a message of each item, or says why it cannot have one. */
function createCandidates({ topic, key, form }: KafkaSettings) {
  const targets = countTargets('kafka: the topic');
  return (batch: Batch, headersOf: HeadersOf): readonly (KafkaMessage | { readonly reason: string })[] => {
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

function membersOf(settings: KafkaSettings, tally: Counts, errors: ItemErrors): Partial<Sink> {
  const { shown, secrets, form, topic, server } = settings;
  const nameOfType = (dataType: string) => {
    const name = topic.readsItems ? topic.text : topic.nameOf({ dataType, job: '*' });
    return `${name} at ${server.hosts.map(hostText).join(',')}`;
  };
  return {
    name: shown,
    ...(secrets.length === 0 ? {} : { secrets }),
    open(dataType, job, opening) {
      tally.open(dataType);
      form.open(job, opening);
      errors.open(opening);
    },
    async check() {
      const { once, end } = createKafkaLine(server);
      try {
        await inKafka(`use ${shown}`, () => once((link) => verify(link, settings, true)));
      } finally {
        end();
      }
    },
    summary: () => tally.summary(nameOfType),
  };
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
  const { members, messagesOf, prepare, tally, mayWrite, endWith } = createBase(settings);
  const { alone, once, end } = createKafkaLine(settings.server);
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
      settings.form.resume(earlier);
      await inKafka('begin', () => once((link) => verify(link, settings, false)));
    },
    async write(batch, signal) {
      mayWrite(signal);
      const ids = messageIds(batch);
      const headersOf = (index: number) => withId(settings.headers, ids[index] ?? '');
      const { messages, refused } = await messagesOf(batch, headersOf, alone, signal);
      if (messages.length === 0) return;
      let pending: Pending | undefined;
      const work = async (link: KafkaLink) => {
        await prepare(link, messages);
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
    close: () => endWith(end),
    abort: () => endWith(end),
  };
}

const idHeader = Buffer.from('rxtract-id');
const withId = (headers: ReadonlyMap<Buffer, Buffer>, id: string): ReadonlyMap<Buffer, Buffer> =>
  new Map([...headers, [idHeader, Buffer.from(id)]]);

/** A page waits in memory until its commit. */
function transactional(settings: KafkaSettings): Sink {
  const { members, messagesOf, prepare, tally, mayWrite, endWith } = createBase(settings);
  const { mayCreate } = settings.rules;
  const session = createKafkaSession({ ...settings, mayCreate, prepare });
  const pages = new Map<string, PageInMemory>();
  return {
    ...members,
    recovery: 'transaction',
    keepBytes: mostKeepBytes,
    async resume(earlier) {
      settings.form.resume(earlier);
      await inKafka('begin', async () => {
        await session.once((link) => verify(link, settings, false));
        await session.begin(earlier);
      });
    },
    held: () => inKafka('read the last positions', () => session.held()),
    async write(batch, signal) {
      mayWrite(signal);
      const page = pages.get(batch.dataType) ?? { messages: [], batches: [], bytes: 0 };
      page.bytes += batch.bytes.length;
      if (page.bytes > mostPageBytes) throw pageTooLarge(batch);
      const { messages, refused } = await messagesOf(batch, () => settings.headers, session.alone, signal);
      for (const message of messages) page.messages.push(message);
      page.batches.push({ batch, refused });
      pages.set(batch.dataType, page);
    },
    async commit({ dataType, lane, walk, page: number, keep }, signal) {
      const { messages = [], batches = [] } = pages.get(dataType) ?? {};
      pages.delete(dataType); // The page ends here, also if no answer comes.
      if (messages.length === 0 && keep === undefined) return;
      const store = () => session.store(messages, lane, keep ?? `${walk} ${number}`, signal);
      await orAborted(inKafka('store a page', store), signal);
      for (const { batch, refused } of batches) tally.add(batch, refused);
    },
    rollback: (dataType) => void pages.delete(dataType),
    async close() {
      await inKafka('end the run', () => session.forget());
      endWith(session.end);
    },
    abort: () => endWith(session.end),
  };
}

interface PageInMemory {
  readonly messages: KafkaMessage[];
  readonly batches: { readonly batch: Batch; readonly refused: readonly number[] }[];
  bytes: number;
}

async function inKafka<T>(action: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw kafkaError(action, thrown);
  }
}

const pageTooLarge = ({ dataType, job, page }: Batch) =>
  new ExtractError(
    'ERR_SINK',
    `kafka: a page of "${dataType}" has more than ${mostPageBytes} bytes, which wait in memory for their transaction: request smaller pages, or leave out transactions=true`,
    { job, page },
  );
