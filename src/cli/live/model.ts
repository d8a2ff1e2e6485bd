/** The model of the live display: counts, rates and states of jobs over time. */
import type { JobSummary } from '../../core/model/job-stats.js';
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
  /** While running, of any of its walks; `quietMs`: since its last event. */
  readonly activity?: Activity & { readonly quietMs: number };
  /** Other jobs are walked for its rows: between two pages it waits for them. */
  readonly hasChildren: boolean;
  /** Why it ended. */
  readonly stop?: string;
}

/** All times are in epoch ms and never decrease. */
export interface DisplayModel {
  onActivity(activity: Activity, at: number): void;
  onReceipt(receipt: Receipt, at: number): void;
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

interface Sample {
  readonly at: number;
  readonly items: number;
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
}

/** Starts with every job waiting. */
export function createModel(jobs: readonly Pick<JobSummary, 'job' | 'parent'>[]): DisplayModel {
  const parents = new Set(jobs.map(({ parent }) => parent));
  const tallies = new Map<string, DisplayCounts>();
  const countsOf = (job: string, at: number): DisplayCounts => tallies.get(job) ?? newCounts(at);

  return {
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
    rows: (at) => jobs.map(({ job }) => ({ ...rowOf(job, tallies.get(job), at), hasChildren: parents.has(job) })),
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

/** Keeps one sample that is as old as the window of the rate, and the newer ones. */
function withSample(tally: DisplayCounts, at: number): DisplayCounts {
  if (tally.end !== undefined) return tally;
  const samples = [...tally.samples, { at, items: itemsOf(tally) }];
  const oldest = samples.findLastIndex((sample) => at - sample.at >= rateMs);
  return { ...tally, samples: samples.slice(Math.max(0, oldest)) };
}

const itemsOf = ({ items, activity }: DisplayCounts): number => items + (activity?.items ?? 0);

function rowOf(name: string, tally: DisplayCounts | undefined, at: number): Omit<DisplayRow, 'hasChildren'> {
  if (tally === undefined) {
    const nothing = { pages: 0, items: 0, bytes: 0, retries: 0, rate: undefined, elapsedMs: undefined };
    return { name, phase: 'waiting', ...nothing };
  }
  const { pages, bytes, retries, attempts, activity, startedAt, end, updatedAt: toldAt } = tally;
  return {
    name,
    phase: end === undefined ? 'running' : 'done',
    pages,
    items: itemsOf(tally),
    bytes: bytes + (activity?.bytes ?? 0),
    retries: retries + attempts,
    rate: rateOf(tally, at),
    elapsedMs: (end?.at ?? at) - startedAt,
    ...(activity === undefined ? {} : { activity: { ...activity, quietMs: at - toldAt } }),
    ...(end === undefined ? {} : { stop: end.stop }),
  };
}

function rateOf(tally: DisplayCounts, at: number): number | undefined {
  const { startedAt, end, samples } = tally;
  const from = end === undefined ? samples[0] : { at: startedAt, items: 0 };
  const ms = (end?.at ?? at) - (from?.at ?? at);
  if (ms < 1000) return undefined;
  // A rolled back page takes its items away.
  return Math.max(0, Math.round(((itemsOf(tally) - (from?.items ?? 0)) * 1000) / ms));
}
