/** The walks that a job with `each` consists of: one for each combination. docs/13-second-run.md#partitions. */
import type { JobConfig } from '../config/config.js';
import type { EachList } from '../config/partition/each.js';
import { isArray } from '../core/json/exact.js';
import { toText } from '../language/expression/convert.js';
import { type Binding, combinations, type PlaceholderBindings } from './instances.js';

/** Whether the job is walked for parts of its data. */
export const isDivided = ({ each = [] }: Pick<JobConfig, 'each'>): boolean => each.length > 0;

/** How many walks the job consists of. */
export const countPartitions = ({ each = [] }: Pick<JobConfig, 'each'>): number =>
  each.reduce((product, list) => product * choicesOf(list).length, 1);

/**
 * Yields the bindings of each walk, in order and lazily; `inherited` are those of the walk above. The last key varies
 * fastest.
 */
export function partitionsOf(
  { each = [] }: Pick<JobConfig, 'each'>,
  inherited: PlaceholderBindings,
): Iterable<PlaceholderBindings> {
  const known = [...inherited].map(([name, binding]) => [name, [binding]] as const);
  const own = each.map((list) => [list.name, choicesOf(list)] as const);
  return combinations([...new Map<string, readonly Binding[]>([...known, ...own])]);
}

/** Values of files are there when the run begins. */
const choicesOf = ({ values }: EachList): readonly Binding[] =>
  isArray(values) ? values.map((value) => ({ value, text: toText(value), partition: 'own' })) : [];
