/**
 * A process of a run at a NATS server: its connection, its fence against older processes, and pages in atomic batches.
 * Subjects of the same stream store the epoch of the run, and for each lane the position after its last page.
 */
import { randomBytes } from 'node:crypto';
import { digestOf } from '../../src/core/util/digest.js';
import {
  type Acknowledged,
  createAcknowledged,
  createLine,
  fenced,
  type LanePosition,
  type ServerSession,
} from '../servers/server-session.js';
import {
  connectNats,
  isBroken,
  mustBeAvailable,
  type NatsLink,
  type NatsServer,
  type Outgoing,
} from './nats-client.js';
import { failed, lastOf, mustSucceed, purge, subjectsBelow, wrongSequence } from './nats-stream.js';

/** Messages of a page are published with its position in one atomic batch. */
export type NatsSession = ServerSession<NatsLink, Outgoing>;

interface SessionOptions {
  readonly server: NatsServer;
  readonly stream: string;
  /** What the sink writes to, and how: sinks that differ in it do not share subjects. */
  readonly identity: string;
}

/** The subjects of a stream that a run with transactions uses beside those of its items. */
export const controlSubjects = (stream: string): string => `rxtract.${stream}.>`;

const remedy =
  'Set `sync_interval: always` in the JetStream section of the server, so that it keeps what it acknowledges.';

/** Earlier positions of a lane are removed after so many pages. */
const pagesBetweenPurges = 100;

/** What a process knows of its run. */
interface Progress {
  /** The beginning of the subjects of the run. */
  prefix: string;
  epoch: string;
  /** The sequence of the message with the epoch: a batch of an older process expects another one. */
  fence: number;
  readonly known: Acknowledged;
  /** Pages since the last purge, by lane. */
  readonly pages: Map<string, number>;
  /** The connection on which the stored positions were compared with the known ones. */
  link: NatsLink | undefined;
}

/** Connects at the first use. */
export function createNatsSession({ server, stream, identity }: SessionOptions): NatsSession {
  const { alone, once, end } = createLine<NatsLink>({
    connect: () => connectNats(server),
    isOpen: (link) => !link.isClosed(),
    close: (link) => link.close(),
    isBroken,
  });
  const known = createAcknowledged('nats', remedy);
  const id = digestOf(identity).slice(0, 12);
  const prefixOf = (run: string) => `rxtract.${stream}.${id}.${run}`;
  const progress: Progress = { prefix: '', epoch: '', fence: 0, known, pages: new Map(), link: undefined };
  return {
    alone,
    once,
    async begin({ run, epoch, replaces = [] }) {
      Object.assign(progress, { prefix: prefixOf(run), epoch: String(epoch) });
      known.clear();
      await alone((link) => takeOver(link, stream, progress));
      for (const old of replaces) await alone((link) => purge(link, stream, `${prefixOf(old)}.>`, 0));
    },
    held() {
      known.mustNotBeLost();
      return alone(async (link) => {
        const stored = await readVerified(link, stream, progress);
        for (const [lane, position] of stored) known.set(lane, position);
        return stored;
      });
    },
    async store(messages, lane, position, signal) {
      known.mustNotBeLost();
      const page = { messages, lane, position };
      await alone((link) => storePage(link, stream, progress, page), signal);
      known.set(lane, position);
      const pages = (progress.pages.get(lane) ?? 0) + 1;
      progress.pages.set(lane, pages % pagesBetweenPurges);
      if (pages === pagesBetweenPurges) await alone((link) => purge(link, stream, laneSubject(progress, lane), 1));
    },
    async forget() {
      if (progress.prefix !== '') await alone((link) => purge(link, stream, `${progress.prefix}.>`, 0));
    },
    end,
  };
}

const laneSubject = ({ prefix }: Progress, lane: string): string =>
  `${prefix}.lane.${Buffer.from(lane).toString('base64url')}`;

const laneIn = (subject: string): string => Buffer.from(subject.split('.').at(-1) ?? '', 'base64url').toString();

interface StoredPage extends LanePosition {
  readonly messages: readonly Outgoing[];
}

/** Stores a page once, also if an earlier connection broke meanwhile. */
async function storePage(link: NatsLink, stream: string, progress: Progress, page: StoredPage): Promise<void> {
  if (progress.link !== link) {
    await fenceAgain(link, stream, progress);
    // The page may be there already: an earlier attempt ended without an answer.
    if ((await readVerified(link, stream, progress, page)).get(page.lane) === page.position) return;
    progress.link = link;
  }
  const position: Outgoing = {
    subject: laneSubject(progress, page.lane),
    data: page.position,
    headers: {
      'Nats-Expected-Last-Subject-Sequence': String(progress.fence),
      'Nats-Expected-Last-Subject-Sequence-Subject': `${progress.prefix}.epoch`,
    },
  };
  const replies = mustBeAvailable(await link.publish(batched([...page.messages, position])));
  for (const { error } of replies) {
    if (error?.err_code === wrongSequence) throw fenced('nats');
    if (error !== undefined) throw failed(`a page was refused: ${error.description}`);
  }
  if (replies.at(-1)?.seq === undefined) throw failed('a page was not acknowledged: the server has no atomic batches');
}

/** An atomic batch: the first message and the last have replies. A single message needs none. */
function batched(messages: readonly Outgoing[]): readonly Outgoing[] {
  if (messages.length === 1) return messages;
  const id = randomBytes(16).toString('base64url');
  return messages.map(({ subject, data, headers }, index) => {
    const isLast = index === messages.length - 1;
    const batch = { 'Nats-Batch-Id': id, 'Nats-Batch-Sequence': String(index + 1) };
    const all = { ...headers, ...batch, ...(isLast ? { 'Nats-Batch-Commit': '1' } : {}) };
    return { subject, data, headers: all, ...(index === 0 || isLast ? {} : { isSilent: true as const }) };
  });
}

/** The stored positions. They must be the acknowledged ones, but for a page that is in question. */
async function readVerified(
  link: NatsLink,
  stream: string,
  progress: Progress,
  page?: LanePosition,
): Promise<ReadonlyMap<string, string>> {
  await ownEpoch(link, stream, progress);
  const stored = new Map<string, string>();
  for (const subject of await subjectsBelow(link, stream, `${progress.prefix}.lane.*`)) {
    const last = await lastOf(link, stream, subject);
    if (last !== undefined) stored.set(laneIn(subject), last.text);
  }
  progress.known.verify(stored, page);
  return stored;
}

/** The sequence of the epoch. Throws if it is that of another process, or is gone. */
async function ownEpoch(link: NatsLink, stream: string, progress: Progress): Promise<number> {
  const epoch = await lastOf(link, stream, `${progress.prefix}.epoch`);
  if (epoch === undefined) return progress.known.lose(lostAll(stream));
  if (epoch.text !== progress.epoch) throw fenced('nats');
  return epoch.seq;
}

/** Publishes the epoch again: a batch that is still on its way on an earlier connection expects the one before. */
async function fenceAgain(link: NatsLink, stream: string, progress: Progress): Promise<void> {
  for (let isDone = false; !isDone; )
    isDone = await publishEpoch(link, stream, progress, await ownEpoch(link, stream, progress));
}

/** Publishes the epoch after the message with this sequence; 0: there is none. False: another one came before. */
async function publishEpoch(link: NatsLink, stream: string, progress: Progress, last: number): Promise<boolean> {
  const headers = { 'Nats-Expected-Last-Subject-Sequence': String(last), 'Nats-Expected-Stream': stream };
  const message = { subject: `${progress.prefix}.epoch`, data: progress.epoch, headers };
  const [reply = {}] = mustBeAvailable(await link.publish([message]));
  if (reply.error?.err_code === wrongSequence) return false;
  progress.fence = mustSucceed(reply).seq ?? 0;
  return true;
}

/** Publishes the epoch, if it is the highest. Repeats if another process publishes at the same time. */
async function takeOver(link: NatsLink, stream: string, progress: Progress): Promise<void> {
  const subject = `${progress.prefix}.epoch`;
  for (;;) {
    const last = await lastOf(link, stream, subject);
    if (last !== undefined && Number(last.text) > Number(progress.epoch)) throw fenced('nats');
    if (await publishEpoch(link, stream, progress, last?.seq ?? 0)) return;
  }
}

const lostAll = (stream: string) =>
  failed(
    `the stream "${stream}" has lost what this run stored in it: it was purged, or the server restarted without its data`,
  );
