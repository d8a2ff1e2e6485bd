/**
 * Sends messages as an idempotent producer: each batch has a number in its partition, so a batch that is sent again is
 * stored once. In place of the producer of the client library: docs/decisions/028 says why.
 */
import { ExtractError } from '../../src/core/errors/errors.js';
import { repeated } from '../servers/reconnect.js';
import { type KafkaLink, responsePatience } from './kafka-client.js';
import { codes, hasCode, KafkaFailure } from './kafka-errors.js';
import type { ProduceResponse } from './kafka-protocol.js';
import { murmur2 } from './murmur2.js';

/** A message of a topic. The client library writes `timestamp`. */
export interface KafkaMessage {
  readonly topic: string;
  readonly key: Buffer | null;
  /** null: the key is removed from a compacted topic. */
  readonly value: Buffer | null;
  readonly headers: ReadonlyMap<Buffer, Buffer>;
  /** Chosen by `partitioned`, and kept when the message is sent again. */
  partition?: number;
  /** Messages with equal bytes are in one partition. */
  readonly partitionKey: Buffer;
  /** Which item it is, for messages. */
  readonly item?: string;
}

/** A producer as the server knows it. */
export interface Producer {
  readonly id: bigint;
  readonly epoch: number;
  readonly transaction: string | null;
  /** The number of the next message, by partition. */
  readonly sequences: Map<string, number>;
}

/** What is left to send, by partition: batches in their order. */
export type Pending = Map<string, KafkaMessage[][]>;

/** The most bytes of a batch, unless one message is larger; a topic accepts 1,048,588 if it has no other limit. */
const batchBytes = 900_000;
/** The most bytes of a request. */
const requestBytes = 8 * 1024 * 1024;
/** Bytes of a record beside key, value and headers, and of a batch beside its records. */
const [recordOverhead, batchOverhead] = [30, 61];

/** Registers a producer; with a transactional id, it ends the transaction of the one before, and its right to write. */
export async function beginProducer(link: KafkaLink, transaction: string | null, timeoutMs: number): Promise<Producer> {
  const broker = transaction === null ? undefined : await coordinatorOf(link, transaction);
  const begin = () => link.call('InitProducerId', broker, transaction, timeoutMs, -1n, -1);
  const { producerId: id, producerEpoch: epoch } = await patiently(begin);
  return { id, epoch, transaction, sequences: new Map() };
}

/** The broker that coordinates the transactions of an id. */
export async function coordinatorOf(link: KafkaLink, transaction: string): Promise<number> {
  const known = link.coordinators.get(transaction);
  if (known !== undefined) return known;
  const find = () => link.call('FindCoordinator', undefined, transactionKey, [transaction]);
  // A cluster without an earlier transaction makes the topic of the coordinators now.
  const { coordinators } = await repeated(find, { isTemporary: (thrown) => hasCode(thrown, codes.noCoordinator) });
  const [found] = coordinators;
  if (found === undefined) throw new KafkaFailure('FindCoordinator', [codes.noCoordinator], 'no coordinator');
  link.addBroker(found);
  link.coordinators.set(transaction, found.nodeId);
  return found.nodeId;
}

const transactionKey = 1;

/** Repeats a request while the server ends an earlier transaction: a few ms after each one. */
export async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 0; attempt < quickAttempts; attempt++) {
    try {
      return await work();
    } catch (thrown) {
      if (!isEnding(thrown)) throw thrown;
      await new Promise((resolve) => setTimeout(resolve, attempt + 1));
    }
  }
  return repeated(work, { isTemporary: isEnding });
}

const quickAttempts = 20;
const isEnding = (thrown: unknown) => hasCode(thrown, codes.concurrentTransactions);

/** Chooses partitions, and cuts the messages of each into batches. The topics must be prepared. */
export function partitioned(link: KafkaLink, messages: readonly KafkaMessage[]): Pending {
  const pending: Pending = new Map();
  const last = new Map<string, { readonly batch: KafkaMessage[]; bytes: number }>();
  for (const message of messages) {
    const count = link.topics.get(message.topic)?.leaders.length ?? 1;
    message.partition ??= murmur2(message.partitionKey) % count;
    const name = `${message.topic}:${message.partition}`;
    const bytes = sizeOf(message);
    let open = last.get(name);
    if (open === undefined || open.bytes + bytes > batchBytes) {
      open = { batch: [], bytes: 0 };
      last.set(name, open);
      pending.set(name, [...(pending.get(name) ?? []), open.batch]);
    }
    open.batch.push(message);
    open.bytes += bytes;
  }
  return pending;
}

/** The bytes that a message takes in a batch, at the most. */
export function sizeOf({ key, value, headers }: KafkaMessage): number {
  let bytes = recordOverhead + (key?.length ?? 0) + (value?.length ?? 0);
  for (const [name, text] of headers) bytes += 10 + name.length + text.length;
  return bytes;
}

export const fitsInBatch = (message: KafkaMessage, mostBytes: number): boolean =>
  sizeOf(message) + batchOverhead <= mostBytes;

/** Sends what is pending, and removes it as it is acknowledged: after a failure the rest can be sent again. */
export async function sendPending(
  link: KafkaLink,
  producer: Producer,
  pending: Pending,
  compression: string | undefined,
): Promise<void> {
  while (pending.size > 0) {
    const requests = requestsOf(link, pending);
    const outcomes = await Promise.allSettled(
      requests.map(({ leader, batches }) => send(link, producer, leader, batches, compression, pending)),
    );
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  }
}

interface ProduceRequest {
  readonly leader: number;
  readonly batches: readonly (readonly KafkaMessage[])[];
}

/** The first batch of each partition, up to so many bytes for each broker. */
function requestsOf(link: KafkaLink, pending: Pending): readonly ProduceRequest[] {
  const requests = new Map<number, { leader: number; batches: (readonly KafkaMessage[])[]; bytes: number }>();
  for (const [batch = []] of pending.values()) {
    const [{ topic = '', partition = 0 } = {}] = batch;
    const leader = link.topics.get(topic)?.leaders[partition] ?? -1;
    if (leader < 0)
      throw new KafkaFailure('Metadata', [codes.leaderNotAvailable], `a partition of "${topic}" has no leader`);
    const request = requests.get(leader) ?? { leader, batches: [], bytes: 0 };
    const bytes = request.bytes + batch.reduce((sum, message) => sum + sizeOf(message), 0);
    if (request.batches.length > 0 && bytes > requestBytes) continue;
    request.batches.push(batch);
    requests.set(leader, { ...request, bytes });
  }
  return [...requests.values()];
}

async function send(
  link: KafkaLink,
  producer: Producer,
  leader: number,
  batches: readonly (readonly KafkaMessage[])[],
  compression: string | undefined,
  pending: Pending,
): Promise<void> {
  const options = {
    ...(compression === undefined ? {} : { compression }),
    producerId: producer.id,
    producerEpoch: producer.epoch,
    transactionalId: producer.transaction,
    sequences: { getWithDefault: (partition: string) => producer.sequences.get(partition) ?? 0 },
  };
  const failures: KafkaFailure[] = [];
  const { responses } = await link
    .call('Produce', leader, allReplicas, responsePatience, batches.flat(), options)
    .catch((thrown: unknown) => {
      if (!(thrown instanceof KafkaFailure) || !isProduced(thrown.response)) throw thrown;
      failures.push(thrown);
      return thrown.response;
    });
  for (const { name, partitionResponses } of responses) {
    for (const { index, errorCode, recordErrors } of partitionResponses) {
      const partition = `${name}:${index}`;
      const left = pending.get(partition) ?? [];
      const [batch = []] = left;
      if (errorCode === 0 || errorCode === codes.duplicateSequence) accept(producer, pending, partition);
      else if (errorCode === codes.tooLarge || errorCode === codes.recordListTooLarge) halve(batch, left);
      else throw new KafkaFailure('Produce', [errorCode], refusal(batch, recordErrors[0]?.batchIndex, failures));
    }
  }
}

const allReplicas = -1;

const isProduced = (response: unknown): response is ProduceResponse =>
  typeof response === 'object' && response !== null && 'responses' in response;

/** Numbers begin again after 2^31. */
function accept({ sequences }: Producer, pending: Pending, partition: string): void {
  const [batch = [], ...rest] = pending.get(partition) ?? [];
  sequences.set(partition, ((sequences.get(partition) ?? 0) + batch.length) % 2 ** 31);
  if (rest.length === 0) pending.delete(partition);
  else pending.set(partition, rest);
}

/** A batch that is too large is sent in two parts. Throws ERR_SINK for a single message. */
function halve(batch: readonly KafkaMessage[], left: KafkaMessage[][]): void {
  const [message] = batch;
  if (message === undefined || batch.length === 1) {
    throw new ExtractError('ERR_SINK', `kafka: ${message?.item ?? 'a message'} ${tooLarge(message)}`);
  }
  const half = Math.ceil(batch.length / 2);
  left.splice(0, 1, batch.slice(0, half), batch.slice(half));
}

/** Says that an item is larger than its topic accepts. */
export const tooLarge = (message: KafkaMessage | undefined, most?: number): string =>
  `has ${message?.value?.length ?? 0} bytes, and the topic "${message?.topic}" accepts messages of ${most ?? 'fewer'}: raise its max.message.bytes`;

const refusal = (
  batch: readonly KafkaMessage[],
  index: number | undefined,
  failures: readonly KafkaFailure[],
): string => {
  const item = index === undefined ? undefined : batch[index]?.item;
  const text = failures[0]?.message ?? 'refused';
  return `${item === undefined ? '' : `${item}: `}${text}, topic "${batch[0]?.topic}"`;
};
