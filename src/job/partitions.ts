/** The walks that a divided job consists of: combinations of values, and windows. docs/13-second-run.md#partitions. */
import type { JobConfig } from '../config/config.js';
import type { EachList } from '../config/partition/each.js';
import {
  type AskedPart,
  countWindows,
  type Window,
  type WindowRange,
  windowsIn,
  writeWindow,
} from '../config/partition/window-range.js';
import type { WindowSettings } from '../config/partition/windows.js';
import { type Exact, isArray } from '../core/json/exact.js';
import { toText } from '../language/expression/convert.js';
import type { EvaluatedJob } from './evaluate-job.js';
import { type Binding, combinations, type PlaceholderBindings } from './instances.js';

type Divided = Pick<JobConfig, 'each' | 'windows'>;

/** One walk of a divided job. */
export interface Partition {
  readonly instance: PlaceholderBindings;
  /** Absent: the job has no windows. */
  readonly window?: Window;
}

/** Whether the job is walked for parts of its data. */
export const isDivided = ({ each = [], windows }: Divided): boolean => each.length > 0 || windows !== undefined;

/** How many combinations of values, and how many windows, the job has. */
export const countPartitions = ({ each = [] }: Divided, { windows }: Pick<EvaluatedJob, 'windows'>) => ({
  combinations: each.reduce((product, list) => product * choicesOf(list).length, 1),
  windows: windows === undefined ? 1 : countWindows(windows),
});

/**
 * Yields the walks in order and lazily; `inherited` are the bindings of the walk above. The last key of `each` varies
 * faster than those before it, windows fastest of all. `range`: that of the windows, evaluated. `askedOf`: the part of
 * it that a run asks for.
 */
export function* partitionsOf(
  { each = [], windows }: Divided,
  range: WindowRange | undefined,
  inherited: PlaceholderBindings,
  askedOf: (instance: PlaceholderBindings) => AskedPart | undefined = () => undefined,
): Iterable<Partition> {
  const known = [...inherited].map(([name, binding]) => [name, [binding]] as const);
  const own = each.map((list) => [list.name, choicesOf(list)] as const);
  for (const instance of combinations([...new Map<string, readonly Binding[]>([...known, ...own])])) {
    if (windows === undefined || range === undefined) {
      yield { instance };
      continue;
    }
    for (const window of windowsIn(range, windows.order, askedOf(instance)))
      yield partitionAt(window, { windows, range, instance });
  }
}

export interface WindowsOfWalk {
  readonly windows: WindowSettings;
  readonly range: WindowRange;
  /** The other bindings of the walk. */
  readonly instance: PlaceholderBindings;
}

/** The walk for a window. */
export function partitionAt(window: Window, { windows, range, instance }: WindowsOfWalk): Required<Partition> {
  const values = writeWindow(window, range);
  const sent = (['from', 'to'] as const).flatMap((bound) => {
    const name = windows.params[bound];
    return name === undefined ? [] : [[name, bindingOf(values[bound])] as const];
  });
  return { window, instance: new Map([...instance, ...sent]) };
}

/** Values of files are there when the run begins. */
const choicesOf = ({ values }: EachList): readonly Binding[] => (isArray(values) ? values.map(bindingOf) : []);

const bindingOf = (value: Exact): Binding => ({ value, text: toText(value), partition: 'own' });
