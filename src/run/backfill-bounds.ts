/** Checks `since` and `until` of a backfill: with a misspelt date a run would ask for nothing, and succeed. */
import type { JobConfig } from '../config/config.js';
import { optionError } from '../core/util/check-value.js';
import { compareValues, type OrderedValue, orderedValue, type ValueOrder } from '../incremental/ordered-value.js';
import type { RunMemory } from '../incremental/run-memory.js';

interface Bounds {
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

/**
 * Throws ERR_USAGE for a bound that is no value of the kind of a job, and for bounds in the wrong order. The kind is
 * that of `compare`, of what the job remembers or of `initial`; without any of them nothing is known.
 */
export function checkBounds({ since, until }: Bounds, jobs: readonly JobConfig[], memory: RunMemory): void {
  for (const job of jobs) {
    const order = orderOf(job, memory);
    if (order === undefined || order === 'text') continue;
    const first = boundOf('since', since, order, job);
    const last = boundOf('until', until, order, job);
    if (first !== undefined && last !== undefined && compareValues(first, last) > 0)
      throw optionError('since', `"${since}" comes after "${until}" of \`until\``);
  }
}

function orderOf({ name, incremental }: JobConfig, { jobs }: RunMemory): ValueOrder | undefined {
  if (incremental?.source.kind !== 'path') return undefined;
  const values = Object.hasOwn(jobs, name) ? Object.values(jobs[name]?.values ?? {}) : [];
  return incremental.compare ?? values[0]?.order ?? orderedValue(incremental.initial)?.order;
}

function boundOf(
  bound: 'since' | 'until',
  text: string | undefined,
  order: ValueOrder,
  { name }: JobConfig,
): OrderedValue | undefined {
  if (text === undefined) return undefined;
  const value = orderedValue(text, order);
  if (value !== undefined) return value;
  const expected = order === 'date' ? 'a date such as 2026-01-31 or 2026-01-31T12:00:00Z' : 'a number';
  throw optionError(bound, `expected ${expected}, as the job "${name}" compares its values, found "${text}"`);
}
