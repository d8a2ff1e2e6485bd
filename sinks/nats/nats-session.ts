/**
 * A process of a run at a NATS server: its connection, its fence against older processes, and pages in atomic batches.
 * Subjects of the same stream store the epoch of the run, and for each lane the position after its last page. At the
 * end of a run with a state, one message for some days says that it has ended.
 */
import { randomBytes } from 'node:crypto';
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
import {
  connectNats,
  isBroken,
  mustBeAvailable,
  type NatsLink,
  type NatsServer,
  type Outgoing,
  type Reply,
} from './nats-client.js';
import { failed, lastOf, mustSucceed, oldestOf, purge, subjectsBelow, wrongSequence } from './nats-stream.js';

/** Messages of a page are published with its position in one atomic batch. */
export type NatsSession = ServerSession<NatsLink, Outgoing>;

interface SessionOptions {
  readonly server: NatsServer;
  readonly stream: string;
  /** What the sink writes to, and how: sinks that differ in it do not share subjects. */
  readonly identity: string;
  /** How long the message of a run that has ended stays, in ms. */
  readonly fenceMs?: number;
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
  isStored: boolean;
  /** The sequence of the message with the epoch: a batch of an older process expects another one. */
  fence: number;
  readonly known: Acknowledged;
  /** Pages since the last purge, by lane. */
  readonly pages: Map<string, number>;
  /** The connection on which the stored positions were compared with the known ones. */
  link: NatsLink | undefined;
}

/** Connects at the first use. */
export function createNatsSession({
  server,
  stream,
  identity,
  fenceMs = fenceSeconds * 1000,
}: SessionOptions): NatsSession {
  const { alone, once, end } = lineTo(server);
  const known = createAcknowledged('nats', remedy);
  const id = digestOf(identity).slice(0, 12);
  const prefixOf = (run: string) => `rxtract.${stream}.${id}.${run}`;
  const progress: Progress = {
    prefix: '',
    epoch: '',
    isStored: false,
    fence: 0,
    known,
    pages: new Map(),
    link: undefined,
  };
  return {
    alone,
    once,
    async begin(earlier) {
      const { run, epoch, isStored, replaces = [] } = earlier;
      Object.assign(progress, { prefix: prefixOf(run), epoch: String(epoch), isStored });
      known.clear();
      await alone((link) => takeOver(link, stream, progress, earlier));
      for (const old of replaces) await alone((link) => replace(link, stream, prefixOf(old)));
      await alone((link) => removeFences(link, stream, progress, fenceMs));
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
      if (progress.prefix !== '') await alone((link) => endRun(link, stream, progress));
    },
    end,
  };
}

const lineTo = (server: NatsServer) =>
  createLine<NatsLink>({
    connect: () => connectNats(server),
    isOpen: (link) => !link.isClosed(),
    close: (link) => link.close(),
    isBroken,
  });

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
  if (epoch === undefined) {
    if ((await endOf(link, stream, progress)) !== undefined) throw fenced('nats');
    return progress.known.lose(lostAll(stream));
  }
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
  const reply = await publishOne(link, `${progress.prefix}.epoch`, progress.epoch, headers);
  if (reply.error?.err_code === wrongSequence) return false;
  progress.fence = mustSucceed(reply).seq ?? 0;
  return true;
}

/** The last epoch of a run that has ended; undefined: it has not. */
const endOf = (link: NatsLink, stream: string, { prefix }: Pick<Progress, 'prefix'>) =>
  lastOf(link, stream, `${prefix}.ended`);

/** Publishes the epoch, if it is the highest. Repeats if another process publishes at the same time. */
async function takeOver(link: NatsLink, stream: string, progress: Progress, { run, phase }: Earlier): Promise<void> {
  const isHigher = (last: { readonly text: string } | undefined) => Number(last?.text ?? 0) > Number(progress.epoch);
  for (;;) {
    const ended = await endOf(link, stream, progress);
    const last = await lastOf(link, stream, `${progress.prefix}.epoch`);
    if (isHigher(ended) || isHigher(last)) throw fenced('nats');
    if (ended !== undefined && phase === 'writing') throw hasEndedBefore('nats', run);
    if (await publishEpoch(link, stream, progress, last?.seq ?? 0)) break;
  }
  // The run may have ended between the two looks: its epoch is removed after that was published.
  if (!isHigher(await endOf(link, stream, progress))) return;
  await purge(link, stream, `${progress.prefix}.epoch`, 0);
  throw fenced('nats');
}

/** Fences a run that this one replaces, also if no process of it has been here. */
async function replace(link: NatsLink, stream: string, prefix: string): Promise<void> {
  mustSucceed(await publishOne(link, `${prefix}.ended`, 'Infinity', { 'Nats-Expected-Stream': stream }));
  await removePositions(link, stream, prefix);
}

/** Removes the positions; with a state it says first that the run has ended. ERR_RESUME: a newer process has begun. */
async function endRun(link: NatsLink, stream: string, progress: Progress): Promise<void> {
  const { prefix, epoch, isStored } = progress;
  if (!isStored) return purge(link, stream, `${prefix}.>`, 0);
  while ((await endOf(link, stream, progress))?.text !== epoch) {
    const reply = await publishOne(link, `${prefix}.ended`, epoch, {
      'Nats-Expected-Last-Subject-Sequence': String(await ownEpoch(link, stream, progress)),
      'Nats-Expected-Last-Subject-Sequence-Subject': `${prefix}.epoch`,
    });
    if (reply.error?.err_code !== wrongSequence) mustSucceed(reply);
  }
  await removePositions(link, stream, prefix);
}

async function removePositions(link: NatsLink, stream: string, prefix: string): Promise<void> {
  for (const subject of ['lane.>', 'epoch']) await purge(link, stream, `${prefix}.${subject}`, 0);
}

/** Removes what says of a run that it has ended, some days after that by the clock of the server. */
async function removeFences(link: NatsLink, stream: string, progress: Progress, fenceMs: number): Promise<void> {
  const now = (await lastOf(link, stream, `${progress.prefix}.epoch`))?.time ?? 0;
  for (;;) {
    const oldest = await oldestOf(link, stream, `rxtract.${stream}.*.*.ended`);
    if (oldest === undefined || oldest.time >= now - fenceMs) return;
    await purge(link, stream, oldest.subject, 0);
  }
}

async function publishOne(link: NatsLink, subject: string, data: string, headers: Outgoing['headers']): Promise<Reply> {
  const [reply = {}] = mustBeAvailable(await link.publish([{ subject, data, headers }]));
  return reply;
}

const lostAll = (stream: string) =>
  failed(
    `the stream "${stream}" has lost what this run stored in it: it was purged, or the server restarted without its data`,
  );
