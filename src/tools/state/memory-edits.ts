/** What `rxtract state` shows of a memory, and the changes that it makes. */
import { usageError } from '../../core/util/check-value.js';
import { defined } from '../../core/util/defined.js';

import { didYouMean } from '../../core/util/suggest.js';
import { orderedValue, type ValueOrder, writtenValue } from '../../incremental/ordered-value.js';
import { digestLength, storedText, storedValue } from '../../incremental/reached.js';
import {
  type JobMemory,
  parentValues,
  type Remembered,
  type RunMemory,
  settingDigest,
} from '../../incremental/run-memory.js';
import { counted, grouped } from '../text/format.js';
import { quotedForShell, table } from '../text/lines.js';

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

/** The pages of a job that the next run requests only if they have changed. */
export interface ShownPages {
  readonly job: string;
  readonly pages: number;
}

/** What a program reads: values, then pages. */
export const shownMemory = (memory: RunMemory): readonly (ShownValue | ShownPages)[] => [
  ...shownValues(memory),
  ...shownPages(memory),
];

const shownPages = ({ pages = {} }: RunMemory): readonly ShownPages[] =>
  Object.entries(pages).map(([job, known]) => ({ job, pages: Object.keys(known.pages).length }));

export const shownValues = ({ jobs }: RunMemory): readonly ShownValue[] =>
  Object.entries(jobs).flatMap(([job, { values }]) =>
    Object.entries(values).map(([by, { value, recent, at }]) => ({
      job,
      ...(by === '' ? {} : { parent: parentValues(by) }),
      value,
      recent: recent.reduce((sum, [, digests]) => sum + digests.length / digestLength, 0),
      at: new Date(at).toISOString(),
    })),
  );

/** A row for each value, then one for each job with pages. */
export function memoryText(memory: RunMemory): string {
  const [values, pages] = [valuesText(shownValues(memory)), pagesText(shownPages(memory))];
  return [values, pages].filter((text) => text !== '').join('\n') || 'nothing is remembered\n';
}

function pagesText(all: readonly ShownPages[]): string {
  if (all.length === 0) return '';
  const rows = all.map(({ job, pages }) => [job, grouped(pages)]);
  return `${table([['job', 'pages that may be unchanged'], ...rows], new Set([1])).join('\n')}\n`;
}

function valuesText(values: readonly ShownValue[]): string {
  if (values.length === 0) return '';
  const hasParents = values.some(({ parent }) => parent !== undefined);
  const rows = values.map(({ job, parent = [], value, recent, at }) => [
    job,
    ...(hasParents ? [parent.join(', ')] : []),
    bareText(value),
    grouped(recent),
    at,
  ]);
  const heads = ['job', ...(hasParents ? ['parent'] : []), 'value', 'recent items', 'last run'];
  return `${table([heads, ...rows], new Set([hasParents ? 3 : 2])).join('\n')}\n`;
}

/** As `state set` takes it; in quotes if it would not be read as it is. */
function bareText(value: string): string {
  const text = value.startsWith('"') ? String(JSON.parse(value)) : value;
  return /^(?!")\S+(?: \S+)*$/.test(text) && !/\p{C}/u.test(text) ? text : value;
}

/**
 * The memory with another value of a job, or with its first one. Throws ERR_USAGE for a job that no run has had, for a
 * parent of another form, and for a value of another kind. `now` in epoch ms.
 */
export function withValue(memory: RunMemory, name: string, text: string, given: ParentAt): RunMemory {
  const job = jobIn(memory, name);
  const { parent } = given;
  mustBeParent(name, job, parent);
  const by = parent.length === 0 ? '' : JSON.stringify(parent);
  const own = Object.hasOwn(job.values, by) ? job.values[by] : undefined;
  const like = own ?? Object.values(job.values)[0];
  const kind =
    like === undefined ? kindOf(job, text) : { value: storedLike(like, text), ...defined({ order: like.order }) };
  const value: Remembered = { ...kind, recent: [], at: own?.at ?? given.now };
  return withJob(withoutPages(memory, name), name, { ...job, values: { ...job.values, [by]: value } });
}

/** Of a child job the values of its placeholders, in their order. */
interface ParentAt {
  readonly parent: readonly string[];
  readonly now: number;
}

function mustBeParent(name: string, { parents, values }: JobMemory, parent: readonly string[]): void {
  const [known] = Object.keys(values);
  const count = parents ?? (known === undefined ? parent.length : parentValues(known).length);
  if (count === parent.length) return;
  const such = known === undefined || known === '' ? '' : `, as in ${parentValues(known).map(parentFlag).join(' ')}`;
  const expected =
    count === 0 ? 'has no parent: leave out --parent' : `needs --parent ${counted(count, 'time')}${such}`;
  throw usageError(`job "${name}" ${expected}`);
}

const parentFlag = (value: string | null): string => `--parent ${quotedForShell(value ?? '')}`;

/** The text as a value of the same kind. */
function storedLike({ value, order }: Remembered, text: string): string {
  const isNumber = !value.startsWith('"');
  const given = writtenValue(text, isNumber);
  const isSame = order === undefined || orderedValue(given, order)?.order === order;
  if (isSame && (!isNumber || typeof given !== 'string')) return storedText(given);
  throw usageError(`"${text}" is no value of the same kind as ${String(storedValue(value, order)?.sent ?? value)}`);
}

const orders = ['number', 'date', 'text'] as const satisfies readonly ValueOrder[];

/** The first value of a job: in the order that `compare` of its last run says, or as it looks. */
function kindOf({ source }: JobMemory, text: string): Pick<Remembered, 'value' | 'order'> {
  if (source['incremental.path'] === undefined) return { value: storedText(text) };
  const compare = orders.find((each) => settingDigest(each) === source['incremental.compare']);
  const value = orderedValue(writtenValue(text, compare !== 'text' && compare !== 'date'), compare);
  if (value !== undefined) return { value: storedText(value.sent), order: value.order };
  throw usageError(`"${text}" is no ${compare}, and the job compares its values as such`);
}

/** The memory without values and pages of a job, or without all. Throws ERR_USAGE for a job that it does not have. */
export function withoutValues(memory: RunMemory, name: string | undefined): RunMemory {
  const { jobs, pages = {} } = memory;
  if (name === undefined) return withoutAll(memory);
  const others = withoutPages(memory, name);
  return Object.hasOwn(pages, name) && !Object.hasOwn(jobs, name)
    ? others
    : withJob(others, name, { ...jobIn(memory, name), values: {} });
}

function withoutAll({ shapes: _, ...memory }: RunMemory): RunMemory {
  return Object.keys({ ...memory.jobs, ...memory.pages }).reduce(withoutValues, memory);
}

/** The next run requests all pages of the job. */
function withoutPages({ pages = {}, ...memory }: RunMemory, name: string): RunMemory {
  const others = Object.entries(pages).filter(([job]) => job !== name);
  return others.length === 0 ? memory : { ...memory, pages: Object.fromEntries(others) };
}

function jobIn({ jobs, pages = {} }: RunMemory, name: string): JobMemory {
  const job = Object.hasOwn(jobs, name) ? jobs[name] : undefined;
  if (job !== undefined) return job;
  throw usageError(
    `no run of this state had a job "${name}" with \`incremental\` or \`revalidate\`${didYouMean(name, [...Object.keys(jobs), ...Object.keys(pages)])}`,
  );
}

const withJob = (memory: RunMemory, name: string, job: JobMemory): RunMemory => ({
  ...memory,
  jobs: Object.fromEntries([...Object.entries(memory.jobs), [name, job]]),
});
