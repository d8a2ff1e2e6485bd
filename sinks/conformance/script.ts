/** A run over one sink as the engine makes it, call by call, so that a rule can end its process after any of them. */
import type { Exact } from '../../src/core/json/exact.js';
import type { Batch } from '../../src/core/model/batch.js';
import { batchOf } from '../batch.js';
import type { Earlier, PageEnd, Sink } from '../contract.js';
import type { Clock } from './clock.js';

/** What outlives a process: the journal of a run, and which run it is. */
export interface ScriptJournal {
  readonly run: string;
  epoch: number;
  phase: Earlier['phase'] | 'done';
  /** How many pages of each lane have their line. */
  readonly pages: Map<string, number>;
  readonly checkpoints: Map<string, Exact>;
}

export interface ScriptLane {
  readonly lane: string;
  readonly dataType: string;
  readonly pages: readonly (readonly unknown[])[];
}

/** The journal of a fresh start. `name` sets runs apart. */
export function newJournal(name: string): ScriptJournal {
  const run = `check-${name}`.slice(-16).padStart(16, '-');
  return { run, epoch: 0, phase: 'writing', pages: new Map(), checkpoints: new Map() };
}

/** Two lanes that run side by side. Equal items are at several places: each of them counts. */
export const lanesOf = (dataType: string): readonly ScriptLane[] => [
  { lane: '0', dataType, pages: [[{ n: 1 }, { n: 2 }, { n: 2 }], [{ n: 1 }]] },
  { lane: '1', dataType: `${dataType}-b`, pages: [[{ n: 1 }, { n: 3 }]] },
];

/** The lines that a lane has in the end. */
export const allLines = ({ pages }: ScriptLane): readonly string[] => pages.flat().map((item) => JSON.stringify(item));

/** What a resume tells the sink. `undefined` where all is done. */
export function earlierOf({ run, epoch, phase, checkpoints }: ScriptJournal): Earlier {
  const isOver = phase !== 'writing';
  return { run, epoch, isStored: true, phase: isOver ? 'publishing' : 'writing', checkpoints: new Map(checkpoints) };
}

/** The batches of a page. Another process cuts it up in another way. */
export function batchesOf(
  { run, epoch }: ScriptJournal,
  { lane, dataType, pages }: ScriptLane,
  page: number,
): readonly Batch[] {
  const items = pages[page] ?? [];
  const at = Math.min(items.length, epoch % 2 === 1 ? 2 : 1);
  const place = { job: dataType, run, walk: lane, page };
  return [
    batchOf(dataType, items.slice(0, at), { ...place, offset: 0 }),
    batchOf(dataType, items.slice(at), { ...place, offset: at }),
  ].filter(({ count }) => count > 0);
}

/** The end of the page, with a `keep` that names it; other characters than letters are in it. */
export function endOf(journal: ScriptJournal, lane: ScriptLane, page: number): PageEnd {
  const batches = batchesOf(journal, lane, page);
  return {
    run: journal.run,
    walk: lane.lane,
    page,
    job: lane.dataType,
    dataType: lane.dataType,
    count: batches.reduce((sum, { count }) => sum + count, 0),
    bytes: batches.reduce((sum, { bytes }) => sum + bytes.length, 0),
    lane: lane.lane,
    keep: keepOf(page + 1),
  };
}

/** A `keep` that says how many pages the lane has. */
export const keepOf = (pages: number): string => JSON.stringify({ pages, text: 'č "\\" \u2028 \' {}' });

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
  journal.epoch += 1;
  await inTime('resume', () => sink.resume?.(earlierOf(journal)));
  yield 'resume';
  const isWriting = journal.phase === 'writing';
  const held = (isWriting ? await inTime('held', () => sink.held?.()) : undefined) ?? new Map<string, string>();
  if (isWriting) yield 'held';
  for (const lane of lanes) journal.pages.set(lane.lane, beginOf({ sink, journal, lane, inTime }, held));
  yield 'the journal anew';
  for (const { dataType } of lanes) {
    await inTime('open', () => sink.open?.(dataType, dataType));
    yield `open ${dataType}`;
  }
  if (isWriting) yield* sideBySide(lanes.map((lane) => pageCalls({ sink, journal, lane, inTime })));
  await inTime('durable', () => sink.durable?.());
  journal.phase = 'publishing';
  yield 'publishing';
  await inTime('close', () => sink.close());
  yield 'close';
  journal.phase = 'done';
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
    const checkpoint = await inTime('commit', () => sink.commit?.(endOf(journal, lane, page), signal));
    yield `commit ${lane.dataType}`;
    journal.pages.set(lane.lane, page + 1);
    if (checkpoint !== undefined) journal.checkpoints.set(lane.dataType, checkpoint);
    yield `journal ${lane.dataType}`;
  }
}

/** The page at which the lane begins: what a log holds counts, else the journal. */
function beginOf({ sink, journal, lane }: LaneRun, held: ReadonlyMap<string, string>): number {
  const known = journal.pages.get(lane.lane) ?? 0;
  if (sink.recovery !== 'transaction' || journal.phase !== 'writing') return known;
  const own = pagesIn(held.get(lane.lane));
  if (own === known || own === known + 1) return own;
  throw new Error(`held says ${own} pages of lane ${lane.lane}, and ${known} were committed`);
}

/** Throws unless it is a `keep` that the kit has made. */
export function pagesIn(keep: string | undefined): number {
  if (keep === undefined) return 0;
  const pages = lengths.find((count) => keepOf(count) === keep);
  if (pages === undefined) throw new Error(`held gives a keep that was never committed: ${keep.slice(0, 60)}`);
  return pages;
}

const lengths = [1, 2, 3];
