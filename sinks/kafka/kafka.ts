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
import { messageIds } from '../messages/message-id.js';
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
import { prepareTopics, verifyTopic } from './kafka-topics.js';

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

/** The most that a page may have in a transaction, in bytes: it is in memory until its commit. */
const mostPageBytes = 256 * 1024 * 1024;
/** The longest position, in bytes: a topic accepts messages of 1 MB. */
const mostKeepBytes = 500_000;

/** What both kinds share: topics, messages, counts and the end. */
function createBase(settings: KafkaSettings) {
  const { topic, key, form, rules } = settings;
  const tally = createTally();
  const targets = countTargets('kafka: the topic');
  let isOver = false;
  return {
    tally,
    mayWrite(signal: AbortSignal) {
      if (isOver) throw hasEnded('kafka');
      throwIfAborted(signal);
    },
    endWith(end: () => void) {
      isOver = true;
      end();
    },
    /** Without `headersOf` all messages have those of the envelope. */
    messagesOf(
      batch: Batch,
      headersOf: (index: number) => KafkaMessage['headers'] = () => settings.headers,
    ): readonly KafkaMessage[] {
      const names = topic.namesOf(batch);
      const keys = key?.namesOf(batch);
      const job = Buffer.from(batch.job);
      return form.messagesOf(batch).map(({ buffer, byteOffset, length }, index) => {
        const name = names[index] ?? '';
        targets.add(name);
        const text = keys === undefined ? null : Buffer.from(keys[index] ?? '');
        const value = Buffer.from(buffer, byteOffset, length);
        const item = `item ${batch.offset + index} of the page (from 0)`;
        return { topic: name, key: text, partitionKey: text ?? job, value, headers: headersOf(index), item };
      });
    },
    /** Prepares the topics of the messages, and refuses those that are too large. */
    async prepare(link: KafkaLink, messages: readonly KafkaMessage[]) {
      await prepareTopics(
        link,
        messages.map((message) => message.topic),
        rules,
      );
      if (settings.compression !== undefined) return;
      for (const message of messages) {
        const most = link.topics.get(message.topic)?.mostBytes;
        if (most !== undefined && !fitsInBatch(message, most))
          throw new ExtractError('ERR_SINK', tooLarge(message, most));
      }
    },
    members: membersOf(settings, tally),
  };
}

function membersOf(settings: KafkaSettings, tally: Counts): Partial<Sink> {
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
  else if (topic.isConstant) await prepareTopics(link, [topic.text], rules);
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
      const messages = messagesOf(batch, (index) => withId(settings.headers, ids[index] ?? ''));
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
      tally.add(batch);
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
      for (const message of messagesOf(batch)) page.messages.push(message);
      page.batches.push(batch);
      pages.set(batch.dataType, page);
    },
    async commit({ dataType, lane, walk, page: number, keep }, signal) {
      const { messages = [], batches = [] } = pages.get(dataType) ?? {};
      pages.delete(dataType); // The page ends here, also if no answer comes.
      if (messages.length === 0 && keep === undefined) return;
      const store = () => session.store(messages, lane, keep ?? `${walk} ${number}`, signal);
      await orAborted(inKafka('store a page', store), signal);
      for (const batch of batches) tally.add(batch);
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
  readonly batches: Batch[];
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
