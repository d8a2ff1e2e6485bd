/** Reads what divides a job: `each` and `windows`. docs/13-second-run.md#partitions. */
import { type Exact, type ExactObject, isObject } from '../../core/json/exact.js';
import { defined } from '../../core/util/defined.js';
import { checkExpression, type Names } from '../../language/check-expressions.js';
import type { ConfigPath } from '../../language/config-path.js';
import { listAsObject } from '../../language/expression-kinds.js';
import { isPhpEmpty, readObject } from '../../language/read.js';
import { type Each, type EachList, readEach } from './each.js';
import { literalRange } from './window-range.js';
import { type WindowSettings, windowFields } from './windows.js';

/** What divides a job, and the names that its parts give values to. */
export interface Division extends Pick<Each, 'ofJobs'> {
  readonly names: readonly string[];
  /** The members of the job. */
  readonly members: { readonly each?: readonly EachList[]; readonly windows?: WindowSettings };
}

/** Returns `undefined` if something does not fit, after reporting it to its place. */
export function readDivision(place: ConfigPath, job: ExactObject, names: Names): Division | undefined {
  const each = readIfPresent(job.get('each'), (value) => readEach(place.at('each'), value), noPartition);
  const windows = readIfPresent(job.get('windows'), (value) => readWindows(place.at('windows'), value, names), 'none');
  if (each === undefined || windows === undefined) return undefined;
  const { lists, ofJobs } = each;
  const given = windows === 'none' ? undefined : windows;
  const ofEach = [...lists, ...ofJobs].map(({ name }) => name);
  const all = [...ofEach, ...Object.values(given?.params ?? {})];
  refuseParams(place, job, all);
  for (const key of given === undefined || given.split === false ? [] : ['onError', 'await']) {
    if (!isPhpEmpty(job.get(key))) place.at(key).problem('cannot be used with `windows` that split');
  }
  const members = defined({ each: lists.length === 0 ? undefined : lists, windows: given });
  return { ofJobs, names: all, members };
}

const noPartition: Each = { lists: [], ofJobs: [] };

const readIfPresent = <T, None>(value: Exact | undefined, read: (value: Exact) => T, none: None): T | None =>
  value === undefined || isPhpEmpty(value) ? none : read(value);

function readWindows(place: ConfigPath, value: Exact, names: Names): WindowSettings | undefined {
  const options = readObject(place, value, windowFields);
  const scope = { ...names, references: ['attr', 'time'] as const };
  for (const key of ['from', 'to'] as const) {
    const bound = isObject(value) ? value.get(key) : undefined;
    if (bound !== undefined) checkExpression(place.at(key), bound, scope);
  }
  if (options === undefined) return undefined;
  if (options.params.from === undefined && options.params.to === undefined) {
    place.at('params').problem('expected a name at "from", "to", or both');
    return undefined;
  }
  const settings = { ...options, path: place.path };
  const fault = literalRange(settings);
  if (fault !== undefined) place.at(fault.key).problem(fault.message);
  return fault === undefined ? settings : undefined;
}

/** A key must not be a parameter too: it would be lost. */
function refuseParams(place: ConfigPath, job: ExactObject, names: readonly string[]): void {
  const params = listAsObject(job.get('params'));
  if (!isObject(params)) return;
  for (const name of names.filter((each) => params.has(each))) {
    place.at('params', name).problem('`each` or `windows` has a value for it too: remove one');
  }
}
