/** The model of the live display: counts, rates, estimates and states of jobs over time. docs/decisions/041. */
import type { JobSummary } from '../../core/model/job-stats.js';
import type { Outlook } from '../../core/model/outlook.js';
import type { Receipt } from '../../core/model/page.js';
import type { Activity } from '../../page/progress.js';
import { notStarted, running } from '../../run/job-stats.js';

export interface DisplayRow {
  readonly name: string;
  readonly phase: 'waiting' | 'running' | 'done';
  readonly pages: number;
  /** Includes items of the current page that the sink has accepted; bytes likewise. */
  readonly items: number;
  readonly bytes: number;
  readonly retries: number;
  /** Items a second over the last seconds; for a finished job, over all its time. Unknown in its first second. */
  readonly rate: number | undefined;
  readonly elapsedMs: number | undefined;
  /** The part of the job that is done, from 0 to 1, if its end is known: an estimate. */
  readonly share?: number;
  /** How long the rest takes at the speed of the last minute: an estimate. */
  readonly leftMs?: number;
  /** It runs for the items of another job. */
  readonly isChild: boolean;
  /** While running, of any of its walks; `quietMs`: since its last event. */
  readonly activity?: Activity & { readonly quietMs: number };
  /** Other jobs are walked for its rows: between two pages it waits for them. */
  readonly hasChildren: boolean;
  /** Why it ended. */
  readonly stop?: string;
}

/** The counts of a job as of now, where its pages are read by other processes. */
export type CountsOfJob = Pick<JobSummary, 'job' | 'pages' | 'items' | 'bytes' | 'retries'>;

/** All times are in epoch ms and never decrease. */
export interface DisplayModel {
  /** Replaces the counts of a job. */
  onTotals(totals: CountsOfJob, at: number): void;
  onActivity(activity: Activity, at: number): void;
  onReceipt(receipt: Receipt, at: number): void;
  onOutlook(outlook: Outlook, at: number): void;
  /**
   * Updates which jobs have ended, and why. A last page does not show that, because children or other walks may follow.
   */
  settle(jobs: readonly Pick<JobSummary, 'job' | 'stop'>[], at: number): void;
  /** Records the progress of each job, for its rate; called about once a second. */
  sample(at: number): void;
  /** A row for each job, in listed order. */
  rows(at: number): readonly DisplayRow[];
}

const rateMs = 10_000;
const paceMs = 60_000;
/** Less time shows no speed. */
const leastPaceMs = 2000;

interface Sample {
  readonly at: number;
  readonly items: number;
  readonly share?: number | undefined;
}

interface DisplayCounts {
  /** Pages that the sink has accepted. */
  readonly pages: number;
  readonly items: number;
  readonly bytes: number;
  readonly retries: number;
  /** Of the current page. */
  readonly attempts: number;
  readonly activity?: Activity | undefined;
  readonly updatedAt: number;
  readonly startedAt: number;
  readonly end?: { readonly at: number; readonly stop: string } | undefined;
  readonly samples: readonly Sample[];
  readonly outlook?: Outlook | undefined;
}

/** Starts with every job waiting. */
export function createModel(jobs: readonly Pick<JobSummary, 'job' | 'parent'>[]): DisplayModel {
  const parents = new Set(jobs.map(({ parent }) => parent));
  const tallies = new Map<string, DisplayCounts>();
  const countsOf = (job: string, at: number): DisplayCounts => tallies.get(job) ?? newCounts(at);

  return {
    onTotals({ job, pages, items, bytes, retries }, at) {
      const tally = countsOf(job, at);
      tallies.set(job, { ...tally, pages, items, bytes, retries, updatedAt: at });
    },
    onActivity(activity, at) {
      const tally = countsOf(activity.job, at);
      const attempts = tally.attempts + (activity.state === 'retry' ? 1 : 0);
      tallies.set(activity.job, { ...tally, activity, attempts, updatedAt: at });
    },
    onReceipt({ job, delivered, count, bytes, retries }, at) {
      const tally = countsOf(job, at);
      tallies.set(job, {
        ...tally,
        pages: tally.pages + (delivered ? 1 : 0),
        items: tally.items + count,
        bytes: tally.bytes + bytes,
        retries: tally.retries + retries,
        attempts: 0,
        activity: undefined,
        updatedAt: at,
      });
    },
    onOutlook(outlook, at) {
      const tally = { ...countsOf(outlook.job, at), outlook };
      const isFirst = tallies.get(outlook.job)?.outlook === undefined;
      tallies.set(outlook.job, isFirst ? withSample(tally, at) : tally);
    },
    settle(settled, at) {
      for (const { job, stop } of settled) {
        const tally = tallies.get(job);
        const isOver = stop !== notStarted && stop !== running;
        if (isOver && tally?.end === undefined)
          tallies.set(job, endedCounts(tally ?? newCounts(at), stop, parents.has(job) ? at : undefined));
        else if (!isOver && tally?.end !== undefined) tallies.set(job, { ...tally, end: undefined });
      }
    },
    sample(at) {
      for (const [job, tally] of tallies) tallies.set(job, withSample(tally, at));
    },
    rows: (at) =>
      jobs.map(({ job, parent }) => ({
        ...rowOf(job, tallies.get(job), at),
        hasChildren: parents.has(job),
        isChild: parent !== undefined,
      })),
  };
}

const newCounts = (at: number): DisplayCounts => ({
  pages: 0,
  items: 0,
  bytes: 0,
  retries: 0,
  attempts: 0,
  updatedAt: at,
  startedAt: at,
  samples: [{ at, items: 0 }],
});

/** A job without children ended at its last event. */
const endedCounts = (tally: DisplayCounts, stop: string, at = tally.updatedAt): DisplayCounts => ({
  ...tally,
  end: { at, stop },
});

/** Keeps one sample that is as old as the time of the pace, and the newer ones. */
function withSample(tally: DisplayCounts, at: number): DisplayCounts {
  if (tally.end !== undefined) return tally;
  const samples = [...tally.samples, { at, items: itemsOf(tally), share: shareOf(tally) }];
  const oldest = samples.findLastIndex((sample) => at - sample.at >= paceMs);
  return { ...tally, samples: samples.slice(Math.max(0, oldest)) };
}

const itemsOf = ({ items, activity }: DisplayCounts): number => items + (activity?.items ?? 0);

function rowOf(
  name: string,
  tally: DisplayCounts | undefined,
  at: number,
): Omit<DisplayRow, 'hasChildren' | 'isChild'> {
  if (tally === undefined) {
    const nothing = { pages: 0, items: 0, bytes: 0, retries: 0, rate: undefined, elapsedMs: undefined };
    return { name, phase: 'waiting', ...nothing };
  }
  const { pages, bytes, retries, attempts, activity, startedAt, end, updatedAt: reportedAt } = tally;
  return {
    name,
    phase: end === undefined ? 'running' : 'done',
    pages,
    items: itemsOf(tally),
    bytes: bytes + (activity?.bytes ?? 0),
    retries: retries + attempts,
    rate: rateOf(tally, at),
    elapsedMs: (end?.at ?? at) - startedAt,
    ...(end === undefined ? estimateOf(tally, at) : { stop: end.stop }),
    ...(activity === undefined ? {} : { activity: { ...activity, quietMs: at - reportedAt } }),
  };
}

function rateOf(tally: DisplayCounts, at: number): number | undefined {
  const { startedAt, end, samples } = tally;
  const lately = samples.findLast((sample) => at - sample.at >= rateMs) ?? samples[0];
  const from = end === undefined ? lately : { at: startedAt, items: 0 };
  const ms = (end?.at ?? at) - (from?.at ?? at);
  if (ms < 1000) return undefined;
  // A rolled back page takes its items away.
  return Math.max(0, Math.round(((itemsOf(tally) - (from?.items ?? 0)) * 1000) / ms));
}

/** By items and by pages, whichever ends sooner. Undefined: no end is known. */
function shareOf({ outlook, activity }: DisplayCounts): number | undefined {
  if (outlook === undefined) return undefined;
  const { index, items, itemsLeft, pagesLeft } = outlook;
  const isNext = activity !== undefined && activity.page > index;
  const done = items + (isNext ? activity.items : 0);
  const shares = [
    ...(itemsLeft < Number.POSITIVE_INFINITY ? [done / Math.max(1, items + itemsLeft)] : []),
    ...(pagesLeft < Number.POSITIVE_INFINITY ? [(index + 1) / (index + 1 + pagesLeft)] : []),
  ];
  return shares.length === 0 ? undefined : Math.min(1, Math.max(...shares));
}

/** The share, and at the speed since the oldest sample the time that the rest takes. */
function estimateOf(tally: DisplayCounts, at: number): Pick<DisplayRow, 'share' | 'leftMs'> {
  const share = shareOf(tally);
  if (share === undefined) return {};
  const from = tally.samples.find((sample) => sample.share !== undefined);
  const [ms, gain] = [at - (from?.at ?? at), share - (from?.share ?? share)];
  return ms < leastPaceMs || gain <= 0 ? { share } : { share, leftMs: Math.round(((1 - share) * ms) / gain) };
}
