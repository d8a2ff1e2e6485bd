/** What is known of each job at a moment, from receipts and from what the engine tells in between. */
import type { Activity } from '../../activity.js';
import type { Receipt } from '../../types.js';

export interface Row {
  readonly name: string;
  readonly phase: 'waiting' | 'running' | 'done';
  readonly pages: number;
  /** Of the page under way too, as far as the sink has taken them; bytes likewise. */
  readonly items: number;
  readonly bytes: number;
  readonly retries: number;
  /** Items a second over the last seconds; of a job that is done, over all its time. Unknown before its first second. */
  readonly rate: number | undefined;
  readonly elapsedMs: number | undefined;
  /** While running; `quietMs`: since this was last told. */
  readonly activity?: Activity & { readonly quietMs: number };
  /** Why it is done. */
  readonly stop?: string;
}

/** All times are in epoch ms and never go back. */
export interface Board {
  hear(activity: Activity, at: number): void;
  take(receipt: Receipt, at: number): void;
  /** Remembers how far each job is, for its rate; to be called about once a second. */
  sample(at: number): void;
  /** A row a job, in listed order. */
  rows(at: number): readonly Row[];
}

const rateMs = 10_000;

interface Sample {
  readonly at: number;
  readonly items: number;
}

interface Tally {
  /** Of pages that were taken. */
  readonly pages: number;
  readonly items: number;
  readonly bytes: number;
  readonly retries: number;
  /** Of the page under way. */
  readonly attempts: number;
  readonly activity?: Activity | undefined;
  readonly toldAt: number;
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly stop?: string;
  readonly samples: readonly Sample[];
}

/** Starts with every job waiting. */
export function createBoard(names: readonly string[]): Board {
  const tallies = new Map<string, Tally>();
  const begun = (job: string, at: number): Tally => tallies.get(job) ?? beginning(at);

  return {
    hear(activity, at) {
      const tally = begun(activity.job, at);
      const attempts = tally.attempts + (activity.state === 'retry' ? 1 : 0);
      tallies.set(activity.job, { ...tally, activity, attempts, toldAt: at });
    },
    take({ job, delivered, count, bytes, retries, stop }, at) {
      const tally = begun(job, at);
      tallies.set(job, {
        ...tally,
        pages: tally.pages + (delivered ? 1 : 0),
        items: tally.items + count,
        bytes: tally.bytes + bytes,
        retries: tally.retries + retries,
        attempts: 0,
        activity: undefined,
        toldAt: at,
        ...(stop === undefined ? {} : { stop, endedAt: at }),
      });
    },
    sample(at) {
      for (const [job, tally] of tallies) tallies.set(job, sampled(tally, at));
    },
    rows: (at) => names.map((name) => rowOf(name, tallies.get(name), at)),
  };
}

const beginning = (at: number): Tally => ({
  pages: 0,
  items: 0,
  bytes: 0,
  retries: 0,
  attempts: 0,
  toldAt: at,
  startedAt: at,
  samples: [{ at, items: 0 }],
});

/** Keeps one sample that is as old as the span of the rate, and those after it. */
function sampled(tally: Tally, at: number): Tally {
  if (tally.endedAt !== undefined) return tally;
  const samples = [...tally.samples, { at, items: itemsOf(tally) }];
  const oldest = samples.findLastIndex((sample) => at - sample.at >= rateMs);
  return { ...tally, samples: samples.slice(Math.max(0, oldest)) };
}

const itemsOf = ({ items, activity }: Tally): number => items + (activity?.items ?? 0);

function rowOf(name: string, tally: Tally | undefined, at: number): Row {
  if (tally === undefined) {
    const nothing = { pages: 0, items: 0, bytes: 0, retries: 0, rate: undefined, elapsedMs: undefined };
    return { name, phase: 'waiting', ...nothing };
  }
  const { pages, bytes, retries, attempts, activity, stop, startedAt, endedAt, toldAt } = tally;
  return {
    name,
    phase: endedAt === undefined ? 'running' : 'done',
    pages,
    items: itemsOf(tally),
    bytes: bytes + (activity?.bytes ?? 0),
    retries: retries + attempts,
    rate: rateOf(tally, at),
    elapsedMs: (endedAt ?? at) - startedAt,
    ...(activity === undefined ? {} : { activity: { ...activity, quietMs: at - toldAt } }),
    ...(stop === undefined ? {} : { stop }),
  };
}

function rateOf(tally: Tally, at: number): number | undefined {
  const { startedAt, endedAt, samples } = tally;
  const from = endedAt === undefined ? samples[0] : { at: startedAt, items: 0 };
  const ms = (endedAt ?? at) - (from?.at ?? at);
  if (ms < 1000) return undefined;
  // A page that is taken back takes its items along.
  return Math.max(0, Math.round(((itemsOf(tally) - (from?.items ?? 0)) * 1000) / ms));
}
