/** What `rxtract state` shows of a memory, and the changes that it makes. */
import { ExactNumber } from '../../core/json/exact.js';
import { usageError } from '../../core/util/check-value.js';
import { didYouMean } from '../../core/util/suggest.js';
import { orderedValue } from '../../incremental/ordered-value.js';
import { digestLength, storedText, storedValue } from '../../incremental/reached.js';
import type { JobMemory, Remembered, RunMemory } from '../../incremental/run-memory.js';
import { grouped } from '../text/format.js';
import { table } from '../text/lines.js';

/** A remembered value, as a program reads it. */
export interface ShownValue {
  readonly job: string;
  /** The values of the placeholders that name the parent; absent: a top-level job. */
  readonly parent?: readonly (string | null)[];
  /** As JSON text, with all its digits. */
  readonly value: string;
  /** How many items the next run will recognise. */
  readonly recent: number;
  /** When a run has last asked for it, in ISO 8601. */
  readonly at: string;
}

export const shownValues = ({ jobs }: RunMemory): readonly ShownValue[] =>
  Object.entries(jobs).flatMap(([job, { values }]) =>
    Object.entries(values).map(([by, { value, recent, at }]) => ({
      job,
      ...(by === '' ? {} : { parent: JSON.parse(by) }),
      value,
      recent: recent.reduce((sum, [, digests]) => sum + digests.length / digestLength, 0),
      at: new Date(at).toISOString(),
    })),
  );

/** A row for each value. */
export function memoryText(memory: RunMemory): string {
  const values = shownValues(memory);
  if (values.length === 0) return 'nothing is remembered\n';
  const hasParents = values.some(({ parent }) => parent !== undefined);
  const rows = values.map(({ job, parent = [], value, recent, at }) => [
    job,
    ...(hasParents ? [parent.join(', ')] : []),
    value,
    grouped(recent),
    at,
  ]);
  const heads = ['job', ...(hasParents ? ['parent'] : []), 'value', 'recent items', 'last run'];
  return `${table([heads, ...rows], new Set([hasParents ? 3 : 2])).join('\n')}\n`;
}

/** The memory with another value of a job. Throws ERR_USAGE if it remembers none, or the value is of another kind. */
export function withValue(memory: RunMemory, name: string, text: string, parent: readonly string[]): RunMemory {
  const job = jobIn(memory, name);
  const by = parent.length === 0 ? '' : JSON.stringify(parent);
  const before = Object.hasOwn(job.values, by) ? job.values[by] : undefined;
  if (before === undefined) {
    const known = Object.keys(job.values).map((each) => each || 'none');
    throw usageError(
      `job "${name}" remembers no value for this parent: expected one of ${known.slice(0, 10).join(' ')}`,
    );
  }
  const value = { ...before, value: storedLike(before, text), recent: [] };
  return withJob(memory, name, { ...job, values: { ...job.values, [by]: value } });
}

/** The text as a value of the same kind. */
function storedLike({ value, order }: Remembered, text: string): string {
  const isNumber = !value.startsWith('"');
  const given = isNumber ? new ExactNumber(text) : text;
  const ordered = orderedValue(given, order);
  const isSame = order === undefined || ordered?.order === order;
  if (isSame && (!isNumber || orderedValue(text, 'number') !== undefined)) return storedText(given);
  throw usageError(`"${text}" is no value of the same kind as ${String(storedValue(value, order)?.sent ?? value)}`);
}

/** The memory without a job, or without all of them. Throws ERR_USAGE for a job that it does not have. */
export function withoutJob(memory: RunMemory, name: string | undefined): RunMemory {
  if (name === undefined) return { ...memory, jobs: {} };
  jobIn(memory, name);
  return { ...memory, jobs: Object.fromEntries(Object.entries(memory.jobs).filter(([each]) => each !== name)) };
}

function jobIn({ jobs }: RunMemory, name: string): JobMemory {
  const job = Object.hasOwn(jobs, name) ? jobs[name] : undefined;
  if (job !== undefined) return job;
  throw usageError(`nothing is remembered of a job "${name}"${didYouMean(name, Object.keys(jobs))}`);
}

const withJob = (memory: RunMemory, name: string, job: JobMemory): RunMemory => ({
  ...memory,
  jobs: Object.fromEntries([...Object.entries(memory.jobs), [name, job]]),
});
