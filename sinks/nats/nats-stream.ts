/** A stream of JetStream: its configuration, what it must allow, and messages of its subjects. */
import { ExtractError } from '../../src/core/errors/errors.js';
import { absent } from '../errors.js';
import type { NatsLink, Reply } from './nats-client.js';

/** What a run needs of a stream. */
export interface NatsStream {
  readonly name: string;
  /** Its subjects, with `*` for each token that items or data types choose. */
  readonly subjects: readonly string[];
  readonly hasTransactions: boolean;
  readonly mayCreate: boolean;
}

/** What a stream says about itself. */
export interface StreamFacts {
  /** How long it remembers message ids, in ms. */
  readonly windowMs: number;
  /** The longest message, in bytes. */
  readonly mostBytes: number;
}

const notFound = 10_059;
const noMessage = 10_037;
/** An expected sequence or stream is another one. */
export const wrongSequence = 10_071;
const wrongStream = 10_060;

/**
 * Reads the stream, and creates it if it is missing and `change` is set. Throws ERR_SINK if it is missing otherwise, or
 * lacks a subject or atomic batches.
 */
export async function prepareStream(
  link: NatsLink,
  stream: NatsStream,
  change: boolean,
): Promise<StreamFacts | undefined> {
  const { name, subjects, hasTransactions, mayCreate } = stream;
  let reply = await link.call(`STREAM.INFO.${name}`, {});
  if (reply.error?.err_code === notFound) {
    if (!mayCreate) throw absent('nats', `stream "${name}"`);
    if (!change) return undefined;
    const wanted = { name, subjects, storage: 'file', ...(hasTransactions ? { allow_atomic: true } : {}) };
    reply = await link.call(`STREAM.CREATE.${name}`, wanted);
  }
  if (reply.error !== undefined) throw failed(`stream "${name}": ${reply.error.description}`);
  const config = configOf(reply.config);
  const missing = subjects.find((subject) => !config.subjects.some((each) => covers(each, subject)));
  if (missing !== undefined) {
    throw failed(`the stream "${name}" does not have the subject ${missing}: add it to the subjects of the stream`);
  }
  if (hasTransactions && !config.isAtomic) {
    throw failed(
      `the stream "${name}" does not allow atomic batches: set allow_atomic (nats-server 2.12 and newer), or leave out transactions=true`,
    );
  }
  const limit = config.maxBytes > 0 ? config.maxBytes : Number.POSITIVE_INFINITY;
  return { windowMs: config.windowNs / 1e6, mostBytes: Math.min(limit, link.maxPayload) };
}

function configOf(config: unknown) {
  const all: Readonly<Record<string, unknown>> = typeof config === 'object' && config !== null ? { ...config } : {};
  const { subjects, allow_atomic, duplicate_window, max_msg_size } = all;
  return {
    subjects: Array.isArray(subjects) ? subjects.map(String) : [],
    isAtomic: allow_atomic === true,
    windowNs: Number(duplicate_window ?? 0),
    maxBytes: Number(max_msg_size ?? 0),
  };
}

/** Whether a subject of a stream includes all subjects of a pattern. */
function covers(filter: string, pattern: string): boolean {
  const [wide, narrow] = [filter.split('.'), pattern.split('.')];
  const rest = wide.at(-1) === '>' ? wide.length - 1 : undefined;
  if (rest === undefined ? wide.length !== narrow.length : narrow.length <= rest) return false;
  return wide.slice(0, rest).every((token, index) => token === '*' || token === narrow[index]);
}

/** Publishes to a stream that does not exist: the error shows that the user may publish, and nothing is stored. */
export async function probe(link: NatsLink, subject: string): Promise<void> {
  const [reply] = await link.publish([{ subject, data: '', headers: { 'Nats-Expected-Stream': '-' } }]);
  if (reply?.error?.err_code === wrongStream) return;
  throw failed(
    `subject ${subject}: ${reply?.error?.description ?? 'the server accepted a message for another stream'}`,
  );
}

/** A message of a stream. */
export interface StoredMessage {
  readonly seq: number;
  readonly subject: string;
  readonly text: string;
  /** When the server stored it, in epoch ms. */
  readonly time: number;
}

/** The last message of a subject; undefined: there is none. */
export const lastOf = (link: NatsLink, stream: string, subject: string): Promise<StoredMessage | undefined> =>
  messageOf(link, stream, { last_by_subj: subject });

/** The oldest message of the subjects of a pattern; undefined: there is none. */
export const oldestOf = (link: NatsLink, stream: string, pattern: string): Promise<StoredMessage | undefined> =>
  messageOf(link, stream, { next_by_subj: pattern, seq: 1 });

async function messageOf(link: NatsLink, stream: string, wanted: object): Promise<StoredMessage | undefined> {
  const reply = await link.call(`STREAM.MSG.GET.${stream}`, wanted);
  if (reply.error?.err_code === noMessage) return undefined;
  const { message } = mustSucceed(reply);
  const found: Readonly<Record<string, unknown>> =
    typeof message === 'object' && message !== null ? { ...message } : {};
  const text = Buffer.from(String(found.data ?? ''), 'base64').toString();
  return { seq: Number(found.seq), subject: String(found.subject), text, time: Date.parse(String(found.time)) };
}

/** The subjects of a stream that have messages, below a pattern. */
export async function subjectsBelow(link: NatsLink, stream: string, pattern: string): Promise<readonly string[]> {
  const { state } = mustSucceed(await link.call(`STREAM.INFO.${stream}`, { subjects_filter: pattern }));
  const subjects = typeof state === 'object' && state !== null && 'subjects' in state ? state.subjects : undefined;
  return typeof subjects === 'object' && subjects !== null ? Object.keys(subjects) : [];
}

/** Removes the messages of a subject, but for the last `keep`. */
export async function purge(link: NatsLink, stream: string, filter: string, keep: number): Promise<void> {
  mustSucceed(await link.call(`STREAM.PURGE.${stream}`, keep === 0 ? { filter } : { filter, keep }));
}

/** Throws ERR_SINK for the error of a reply. */
export function mustSucceed<T extends Reply>(reply: T): T {
  if (reply.error !== undefined) throw failed(reply.error.description);
  return reply;
}

export const failed = (message: string) => new ExtractError('ERR_SINK', `nats: ${message}`);
