/** The run that the rules play: its journal, its lanes, and their batches, page ends and keeps. */
import type { Exact } from '../../src/core/json/exact.js';
import type { Batch } from '../../src/core/model/batch.js';
import { defined } from '../../src/core/util/defined.js';
import { batchOf } from '../batch.js';
import type { Earlier, PageEnd } from '../contract.js';

/** What outlives a process: the journal of a run, and which run it is. */
export interface ScriptJournal {
  readonly run: string;
  /** Of a shared run. */
  readonly member?: string;
  /** The checkpoints of the members, for the process that publishes what they have left. */
  readonly members?: Earlier['members'];
  epoch: number;
  phase: Earlier['phase'] | 'done';
  /** How many pages of each lane have their line. */
  readonly pages: Map<string, number>;
  readonly checkpoints: Map<string, Exact>;
}

export interface ScriptLane {
  readonly lane: string;
  readonly dataType: string;
  /** The walk of its batches. Default: the lane. */
  readonly walk?: string;
  readonly pages: readonly (readonly unknown[])[];
}

/** The journal of a fresh start. `name` sets runs apart. */
export function newJournal(name: string): ScriptJournal {
  const run = `check-${name}`.slice(-16).padStart(16, '-');
  return { run, epoch: 0, phase: 'writing', pages: new Map(), checkpoints: new Map() };
}

/** Two lanes that run side by side. Equal items are at several places: each of them counts. */
export const lanesOf = (dataType: string): readonly [ScriptLane, ScriptLane] => [
  { lane: '0', dataType, pages: [[{ n: 1 }, { n: 2 }, { n: 2 }], [{ n: 1 }]] },
  { lane: '1', dataType: `${dataType}-b`, pages: [[{ n: 1 }, { n: 3 }]] },
];

/** The lines that a lane has in the end. */
export const allLines = ({ pages }: ScriptLane): readonly string[] => pages.flat().map((item) => JSON.stringify(item));

/** What a resume passes to the sink. `undefined` where all is done. */
export function earlierOf({ run, member, members, epoch, phase, checkpoints }: ScriptJournal): Earlier {
  return {
    run,
    ...defined({ member, members }),
    epoch,
    isStored: true,
    phase: phase === 'writing' ? phase : 'publishing',
    checkpoints: new Map(checkpoints),
  };
}

/** The batches of a page. Another process cuts it up in another way. */
export function batchesOf(
  { run, epoch }: ScriptJournal,
  { lane, dataType, walk = lane, pages }: ScriptLane,
  page: number,
): readonly Batch[] {
  const items = pages[page] ?? [];
  const at = Math.min(items.length, epoch % 2 === 1 ? 2 : 1);
  const place = { job: dataType, run, walk, page };
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
    walk: lane.walk ?? lane.lane,
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

/** Throws unless it is a `keep` that the kit has made. */
export function pagesIn(keep: string | undefined): number {
  if (keep === undefined) return 0;
  const pages = lengths.find((count) => keepOf(count) === keep);
  if (pages === undefined) throw new Error(`positions gives a keep that was never committed: ${keep.slice(0, 60)}`);
  return pages;
}

const lengths = [1, 2, 3];
