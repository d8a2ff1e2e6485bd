/** One process as the engine runs it, call by call, so that a rule can end it after any of them. */
import type { Exact } from '../../src/core/json/exact.js';
import type { Sink } from '../contract.js';
import { batchesOf, earlierOf, endOf, pagesIn, type ScriptJournal, type ScriptLane } from './script.js';
import type { Clock } from './time-limit.js';
import { storedCheckpoint } from './watched.js';

type Timed = Pick<Clock, 'inTime'>;

/** A page of a lane. */
export interface ScriptPage {
  readonly journal: ScriptJournal;
  readonly lane: ScriptLane;
  readonly page: number;
}

/** A process begins: its epoch is one higher than that of the process before. */
export async function resume({ inTime }: Timed, sink: Sink, journal: ScriptJournal): Promise<void> {
  journal.epoch += 1;
  await inTime('resume', () => sink.resume?.(earlierOf(journal)));
}

/** Opens the data types of the lanes. */
export async function open({ inTime }: Timed, sink: Sink, lanes: readonly ScriptLane[]): Promise<void> {
  for (const { dataType } of lanes) await inTime('open', () => sink.open?.(dataType, dataType));
}

/** Writes the batches of a page. */
export async function writePage({ inTime }: Timed, sink: Sink, { journal, lane, page }: ScriptPage): Promise<void> {
  const { signal } = new AbortController();
  for (const batch of batchesOf(journal, lane, page)) await inTime('write', () => sink.write(batch, signal));
}

/** Commits a page. Returns the checkpoint, if the sink has one. */
export async function commitPage(
  { inTime }: Timed,
  sink: Sink,
  { journal, lane, page }: ScriptPage,
): Promise<Exact | undefined> {
  const { signal } = new AbortController();
  return storedCheckpoint(sink, await inTime('commit', () => sink.commit?.(endOf(journal, lane, page), signal)));
}

/** Whether a name of `callsOf` is a step of the engine alone, which no sink notices. */
export const isJournalStep = (name: string): boolean => name.endsWith('the journal');

/**
 * Makes the calls of one process, from its beginning to the end of the run, and yields the name of each. The journal is
 * changed as they settle. Throws where the sink contradicts it.
 */
export async function* callsOf(
  sink: Sink,
  journal: ScriptJournal,
  lanes: readonly ScriptLane[],
  { inTime }: Clock,
): AsyncGenerator<string, undefined> {
  yield* writingCalls(sink, journal, lanes, { inTime });
  journal.phase = 'publishing';
  yield 'durable';
  await inTime('close', () => sink.close());
  yield 'close';
  journal.phase = 'done';
  return undefined;
}

/** As `callsOf`, of a process that does a part of a shared run. */
export async function* memberCallsOf(
  sink: Sink,
  journal: ScriptJournal,
  lanes: readonly ScriptLane[],
  { inTime }: Clock,
): AsyncGenerator<string, undefined> {
  yield* writingCalls(sink, journal, lanes, { inTime });
  yield 'durable';
  await inTime('leave', () => sink.leave?.());
  yield 'leave';
  return undefined;
}

/** Up to `durable`. */
async function* writingCalls(
  sink: Sink,
  journal: ScriptJournal,
  lanes: readonly ScriptLane[],
  { inTime }: Timed,
): AsyncGenerator<string, undefined> {
  await resume({ inTime }, sink, journal);
  yield 'resume';
  const isWriting = journal.phase === 'writing';
  const positions =
    (isWriting ? await inTime('positions', () => sink.positions?.()) : undefined) ?? new Map<string, string>();
  if (isWriting) yield 'positions';
  for (const lane of lanes) journal.pages.set(lane.lane, beginOf({ sink, journal, lane, inTime }, positions));
  yield 'reading the journal';
  for (const { dataType } of lanes) {
    await inTime('open', () => sink.open?.(dataType, dataType));
    yield `open ${dataType}`;
  }
  if (isWriting) yield* sideBySide(lanes.map((lane) => pageCalls({ sink, journal, lane, inTime })));
  await inTime('durable', () => sink.durable?.());
  return undefined;
}

/** One call of each in turn. */
async function* sideBySide(all: readonly AsyncGenerator<string>[]): AsyncGenerator<string> {
  const left = [...all];
  for (let next = left.shift(); next !== undefined; next = left.shift()) {
    const { done, value } = await next.next();
    if (done) continue;
    left.push(next);
    yield value;
  }
}

interface LaneRun extends Pick<Clock, 'inTime'> {
  readonly sink: Sink;
  readonly journal: ScriptJournal;
  readonly lane: ScriptLane;
}

async function* pageCalls({ sink, journal, lane, inTime }: LaneRun): AsyncGenerator<string> {
  const { signal } = new AbortController();
  for (let page = journal.pages.get(lane.lane) ?? 0; page < lane.pages.length; page++) {
    for (const batch of batchesOf(journal, lane, page)) {
      await inTime('write', () => sink.write(batch, signal));
      yield `write ${lane.dataType}`;
    }
    const checkpoint = await commitPage({ inTime }, sink, { journal, lane, page });
    yield `commit ${lane.dataType}`;
    journal.pages.set(lane.lane, page + 1);
    if (checkpoint !== undefined) journal.checkpoints.set(lane.dataType, checkpoint);
    yield `the record of ${lane.dataType} in the journal`;
  }
}

/** The page at which the lane begins: what a log holds counts, else the journal. */
function beginOf({ sink, journal, lane }: LaneRun, positions: ReadonlyMap<string, string>): number {
  const known = journal.pages.get(lane.lane) ?? 0;
  if (sink.recovery !== 'transaction' || journal.phase !== 'writing') return known;
  const own = pagesIn(positions.get(lane.lane));
  if (own === known || own === known + 1) return own;
  throw new Error(`positions says ${own} pages of lane ${lane.lane}, and ${known} were committed`);
}
