/** What is remembered from run to run: the value of each job, and for a child job of each parent. Plain data. */
import { digestOf } from '../core/util/digest.js';
import type { ValueOrder } from './ordered-value.js';
import { compareValues } from './ordered-value.js';
import { joinReached, type Reached, type RecentItems, recentOf, storedValue } from './reached.js';

export interface Remembered {
  /** As JSON text, with all its digits. */
  readonly value: string;
  readonly order?: ValueOrder;
  /** Items from the lowest value on that the next run asks for: it recognises them. */
  readonly recent: readonly RecentItems[];
  /** When a run has last walked it, in epoch ms. */
  readonly at: number;
}

export interface JobMemory {
  /** What the values belong to, by name: with another one they mean nothing. */
  readonly source: Readonly<Record<string, string>>;
  /** Digests of settings that decide which items there are. */
  readonly filters: Readonly<Record<string, string>>;
  /** How many values name a parent; 0: it has none. Absent: it is not known. */
  readonly parents?: number;
  /** By parent; that of a top-level job is empty. Empty: no run has found a value, or a person has removed it. */
  readonly values: Readonly<Record<string, Remembered>>;
}

/** The pages of a job that the next run requests only if they have changed. */
export interface JobPages {
  /** A digest of the configuration that they belong to. */
  readonly mark: string;
  /** By the key of the request, sealed facts of the page as JSON text. */
  readonly pages: Readonly<Record<string, string>>;
}

/** Which members the items of a data type have had. */
export interface KnownShape {
  /** A digest of the configuration that it belongs to. */
  readonly mark: string;
  /** A document of JSON Schema as text. */
  readonly shape: string;
}

export interface RunMemory {
  readonly format: 1;
  readonly jobs: Readonly<Record<string, JobMemory>>;
  /** By job. Absent: there are none. */
  readonly pages?: Readonly<Record<string, JobPages>>;
  /** By data type. Absent: there are none. */
  readonly shapes?: Readonly<Record<string, KnownShape>>;
}

/** A page that the run has seen, and of which the next one can ask whether it has changed. */
export interface SeenPage {
  readonly job: string;
  readonly key: string;
  readonly facts: string;
}

export const noMemory: RunMemory = { format: 1, jobs: {} };

/** Whether there is a value of any job. */
export const hasValues = ({ jobs }: RunMemory): boolean =>
  Object.values(jobs).some(({ values }) => Object.keys(values).length > 0);

/** A setting of a job, as `source` and `filters` keep it. */
export const settingDigest = (text: string): string => digestOf(text).slice(0, 16);

/** The values that name a parent. */
export const parentValues = (by: string): readonly (string | null)[] => (by === '' ? [] : JSON.parse(by));

/** What the walks of a job have reached in this run, for one parent. */
export interface ReachedWalk {
  readonly job: string;
  readonly by: string;
  readonly reached: Reached;
  /** All its walks are complete, and no limit has ended one. */
  readonly isComplete: boolean;
}

/** What a run makes of a job. */
export interface JobAdvance {
  readonly source: JobMemory['source'];
  readonly filters: JobMemory['filters'];
  /** The value advances before the walk is complete. */
  readonly isAscending: boolean;
  /** In ms. */
  readonly forgetAfter: number;
  /** Nothing of before counts. */
  readonly isFull: boolean;
}

export interface Advance {
  readonly memory: RunMemory;
  /** Items of a job that the next run cannot recognise. */
  readonly dropped: ReadonlyMap<string, number>;
}

/** The memory after a run that has published. `jobs`: the jobs of the run that remember something, by name. */
export function advanced(
  before: RunMemory,
  walks: readonly ReachedWalk[],
  jobs: ReadonlyMap<string, JobAdvance>,
  startedAt: number,
): Advance {
  const dropped = new Map<string, number>();
  const next = new Map(Object.entries(before.jobs));
  for (const [name, job] of jobs) {
    const own = walks.filter((walk) => walk.job === name);
    const old = job.isFull ? {} : (before.jobs[name]?.values ?? {});
    const values = new Map(Object.entries(old).filter(([, { at }]) => startedAt - at <= job.forgetAfter));
    for (const walk of own) {
      const known = values.get(walk.by);
      const value = walk.isComplete || job.isAscending ? after(known, walk.reached, startedAt) : undefined;
      if (value !== undefined) values.set(walk.by, value.remembered);
      else if (known !== undefined) values.set(walk.by, { ...known, at: startedAt });
      const lost = value?.dropped ?? 0;
      if (lost > 0) dropped.set(name, (dropped.get(name) ?? 0) + lost);
    }
    // A full run that was cut short replaces nothing.
    const isCut = job.isFull && !job.isAscending && own.some(({ isComplete }) => !isComplete);
    if (isCut || (own.length === 0 && values.size === 0)) continue;
    const [by] = [...values.keys(), ...own.map((walk) => walk.by)];
    const parents = by === undefined ? {} : { parents: parentValues(by).length };
    next.set(name, { source: job.source, filters: job.filters, ...parents, values: Object.fromEntries(values) });
  }
  return { memory: { ...before, jobs: Object.fromEntries(next) }, dropped };
}

/** Undefined: nothing is known of it, before and after. A value never goes backwards. */
function after(known: Remembered | undefined, reached: Reached, at: number) {
  if (reached.value === undefined)
    return known === undefined ? undefined : { remembered: { ...known, at }, dropped: 0 };
  const isBehind = known !== undefined && isLower(reached, known);
  const value = isBehind ? known.value : reached.value;
  const joined = joinReached({ recent: known?.recent ?? [], known: 0, late: 0, beyond: 0 }, reached);
  const { recent, dropped } = recentOf(joined);
  const { order } = reached;
  return { remembered: { value, ...(order === undefined ? {} : { order }), recent, at }, dropped };
}

function isLower({ value, order }: Reached, known: Remembered): boolean {
  if (value === undefined || order === undefined) return false;
  const [now, before] = [storedValue(value, order), storedValue(known.value, order)];
  return now !== undefined && before !== undefined && compareValues(now, before) < 0;
}
