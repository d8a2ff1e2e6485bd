/**
 * A process of a run at a NATS server: its connection, its fence against older processes, and pages in atomic batches.
 * Subjects of the same stream store the epoch of the run, and for each lane the position after its last page. At the
 * end of a run with a state, one message for some days says that it has ended. Each member of a shared run has such
 * subjects of its own; the end is that of the run.
 */
import { randomBytes } from 'node:crypto';
import { digestOf } from '../../src/core/util/digest.js';
import type { Earlier } from '../contract.js';
import { createAcknowledged } from '../servers/acknowledged.js';
import {
  type FencedSession,
  fencedSession,
  type Positions,
  type StoredEpoch,
  type StoredPage,
  type StoredRun,
} from '../servers/fenced-session.js';
import { fenceSeconds } from '../servers/fences.js';
import {
  connectNats,
  isBroken,
  mustBeAvailable,
  type NatsLink,
  type NatsServer,
  type Outgoing,
} from './nats-client.js';
import { failed, lastOf, mustSucceed, oldestOf, purge, subjectsBelow, wrongSequence } from './nats-stream.js';

/** Messages of a page are published with its position in one atomic batch. */
export type NatsSession = FencedSession<NatsLink, readonly Outgoing[]>;

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

/** The subjects of one process in a stream. */
interface RunSubjects {
  readonly stream: string;
  /** Of the run. */
  readonly whole: string;
  /** Of the member; without one the same. */
  readonly own: string;
}

/** What a process knows of its run. */
interface Progress {
  /** The sequence of the message with the epoch: a batch of an older process expects another one. */
  fence: number;
  /** Pages since the last purge, by lane. */
  readonly pages: Map<string, number>;
}

interface FoundEpoch extends StoredEpoch {
  /** The sequence of the message with the epoch; 0: there is none. */
  readonly last: number;
}

/** Connects at the first use. */
export function createNatsSession(options: SessionOptions): NatsSession {
  const { server, stream, identity, fenceMs = fenceSeconds * 1000 } = options;
  const id = digestOf(identity).slice(0, 12);
  const subjectsOf = ({ run, member }: Pick<Earlier, 'run' | 'member'>): RunSubjects => {
    const whole = `rxtract.${stream}.${id}.${run}`;
    return { stream, whole, own: member === undefined ? whole : `${whole}.member.${tokenOf(member)}` };
  };
  const progress: Progress = { fence: 0, pages: new Map() };
  return fencedSession({
    kind: {
      connect: () => connectNats(server),
      isOpen: (link) => !link.isClosed(),
      close: (link) => link.close(),
      isBroken,
    },
    known: createAcknowledged('nats', remedy),
    lost: () => lostAll(stream),
    readEpoch: (link, run) => readEpoch(link, subjectsOf(run)),
    writeEpoch: (link, run, { last }) => takeOver(link, subjectsOf(run), progress, run.epoch, last),
    async clean(link, run) {
      for (const old of run.replaces ?? []) await replace(link, subjectsOf({ run: old }));
      if (run.member === undefined) await removeFences(link, subjectsOf(run), fenceMs);
    },
    readPositions: (link, run) => readRun(link, subjectsOf(run), progress, run.epoch),
    storeOnce: (link, run, page) => storePage(link, subjectsOf(run), progress, page),
    async remove(link, run, found) {
      const subjects = subjectsOf(run);
      if (run.isStored) return endRun(link, subjects, run.epoch, found);
      await purge(link, stream, `${subjects.whole}.>`, 0);
      return true;
    },
  });
}

/** Any text as one token of a subject. */
const tokenOf = (text: string): string => Buffer.from(text).toString('base64url');

const laneSubject = ({ own }: RunSubjects, lane: string): string => `${own}.lane.${tokenOf(lane)}`;

const laneIn = (subject: string): string => Buffer.from(subject.split('.').at(-1) ?? '', 'base64url').toString();

/** The message is accepted only if the last one of the subject has this sequence; 0: if there is none. */
const expecting = (subject: string, sequence: number): Outgoing['headers'] => ({
  'Nats-Expected-Last-Subject-Sequence': String(sequence),
  'Nats-Expected-Last-Subject-Sequence-Subject': subject,
});

/** The first item of a page of a member is accepted only if the run has no end. */
function unlessEnded(content: readonly Outgoing[], { whole, own }: RunSubjects): readonly Outgoing[] {
  if (own === whole) return content;
  return content.map((message, index) =>
    index > 0 ? message : { ...message, headers: { ...message.headers, ...expecting(`${whole}.ended`, 0) } },
  );
}

/** Publishes all the messages, or none. False: another epoch was published. */
async function publishBatch(link: NatsLink, messages: readonly Outgoing[]): Promise<boolean> {
  const replies = mustBeAvailable(await link.publish(batched(messages)));
  for (const { error } of replies) {
    if (error?.err_code === wrongSequence) return false;
    if (error !== undefined) throw failed(`a page was refused: ${error.description}`);
  }
  if (replies.at(-1)?.seq === undefined) throw failed('a page was not acknowledged: the server has no atomic batches');
  return true;
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

/** Publishes the epoch after the one with the sequence `last`. False: another process has the run, or had it. */
async function takeOver(
  link: NatsLink,
  subjects: RunSubjects,
  progress: Progress,
  epoch: number,
  last: number,
): Promise<boolean> {
  if (!(await publishEpoch(link, subjects, progress, epoch, last))) return false;
  // The run may have ended between the two looks: its epoch is removed after that was published.
  const { ended = 0 } = await readEpoch(link, subjects);
  if (ended > epoch) await purge(link, subjects.stream, `${subjects.own}.epoch`, 0);
  return ended <= epoch;
}

/** Publishes the epoch again: a batch that is still on its way on an earlier connection expects the one before. */
async function readRun(link: NatsLink, subjects: RunSubjects, progress: Progress, epoch: number): Promise<StoredRun> {
  for (;;) {
    const found = await readEpoch(link, subjects);
    if (found.epoch !== epoch) return { ...found, positions: new Map() };
    if (await publishEpoch(link, subjects, progress, epoch, found.last)) {
      return { ...found, positions: await positionsOf(link, subjects) };
    }
  }
}

async function storePage(
  link: NatsLink,
  subjects: RunSubjects,
  { fence, pages }: Progress,
  { content, lane, position }: StoredPage<readonly Outgoing[]>,
): Promise<boolean> {
  const subject = laneSubject(subjects, lane);
  const stored = { subject, data: position, headers: expecting(`${subjects.own}.epoch`, fence) };
  if (!(await publishBatch(link, [...unlessEnded(content, subjects), stored]))) return false;
  const count = (pages.get(lane) ?? 0) + 1;
  if (count >= pagesBetweenPurges) await purge(link, subjects.stream, subject, 1);
  pages.set(lane, count % pagesBetweenPurges);
  return true;
}

/** Says that the run has ended, and removes its positions. False: another epoch was published. */
async function endRun(link: NatsLink, subjects: RunSubjects, epoch: number, found: FoundEpoch): Promise<boolean> {
  if (found.epoch === undefined && found.ended === undefined) throw lostAll(subjects.stream);
  if (found.ended !== epoch) {
    const headers = expecting(`${subjects.own}.epoch`, found.last);
    if ((await publishOne(link, `${subjects.whole}.ended`, String(epoch), headers)) === undefined) return false;
  }
  await removePositions(link, subjects);
  return true;
}

/** The last epoch, and the one with which the run ended. */
async function readEpoch(link: NatsLink, { stream, whole, own }: RunSubjects): Promise<FoundEpoch> {
  const ended = await lastOf(link, stream, `${whole}.ended`);
  const epoch = await lastOf(link, stream, `${own}.epoch`);
  return {
    epoch: epoch === undefined ? undefined : Number(epoch.text),
    ended: ended === undefined ? undefined : Number(ended.text),
    last: epoch?.seq ?? 0,
  };
}

async function positionsOf(link: NatsLink, { stream, own }: RunSubjects): Promise<Positions> {
  const positions = new Map<string, string>();
  for (const subject of await subjectsBelow(link, stream, `${own}.lane.*`)) {
    const last = await lastOf(link, stream, subject);
    if (last !== undefined) positions.set(laneIn(subject), last.text);
  }
  return positions;
}

/** Publishes the epoch after the message with this sequence; 0: there is none. False: another one came before. */
async function publishEpoch(
  link: NatsLink,
  { stream, own }: RunSubjects,
  progress: Progress,
  epoch: number,
  last: number,
): Promise<boolean> {
  const headers = { 'Nats-Expected-Last-Subject-Sequence': String(last), 'Nats-Expected-Stream': stream };
  const sequence = await publishOne(link, `${own}.epoch`, String(epoch), headers);
  progress.fence = sequence ?? progress.fence;
  return sequence !== undefined;
}

/** Fences a run that this one replaces, also if no process of it has been here. */
async function replace(link: NatsLink, subjects: RunSubjects): Promise<void> {
  await publishOne(link, `${subjects.whole}.ended`, 'Infinity', { 'Nats-Expected-Stream': subjects.stream });
  await removePositions(link, subjects);
}

async function removePositions(link: NatsLink, { stream, whole }: RunSubjects): Promise<void> {
  for (const subject of ['lane.>', 'member.>', 'epoch']) await purge(link, stream, `${whole}.${subject}`, 0);
}

/** Removes what says of a run that it has ended, some days after that by the clock of the server. */
async function removeFences(link: NatsLink, { stream, own }: RunSubjects, fenceMs: number): Promise<void> {
  const now = (await lastOf(link, stream, `${own}.epoch`))?.time ?? 0;
  for (;;) {
    const oldest = await oldestOf(link, stream, `rxtract.${stream}.*.*.ended`);
    if (oldest === undefined || oldest.time >= now - fenceMs) return;
    await purge(link, stream, oldest.subject, 0);
  }
}

/** Returns the sequence of the message; undefined: the expected sequence is not the last one. */
async function publishOne(
  link: NatsLink,
  subject: string,
  data: string,
  headers: Outgoing['headers'],
): Promise<number | undefined> {
  const [reply = {}] = mustBeAvailable(await link.publish([{ subject, data, headers }]));
  return reply.error?.err_code === wrongSequence ? undefined : (mustSucceed(reply).seq ?? 0);
}

const lostAll = (stream: string) =>
  failed(
    `the stream "${stream}" has lost what this run stored in it: it was purged, or the server restarted without its data`,
  );
