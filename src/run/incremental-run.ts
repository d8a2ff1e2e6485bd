/**
 * The second run: what each walk asks for, by what is remembered, and what is remembered after the run.
 * docs/13-second-run.md.
 */
import { type JobConfig, withChildren } from '../config/config.js';
import { ExtractError } from '../core/errors/errors.js';
import { type ExactNumber, isNumber } from '../core/json/exact.js';
import type { Notify } from '../core/model/notice.js';
import type { Secrets } from '../core/model/secrets.js';
import { optionError } from '../core/util/check-value.js';
import { defined } from '../core/util/defined.js';
import { lessBy, writtenDistance } from '../incremental/distance.js';
import type { IncrementalConfig } from '../incremental/incremental-config.js';
import { type OrderedValue, orderedValue, writtenValue } from '../incremental/ordered-value.js';
import { digestsIn, type Reached, storedValue } from '../incremental/reached.js';
import {
  advanced,
  type JobAdvance,
  noMemory,
  type ReachedWalk,
  type Remembered,
  type RunMemory,
} from '../incremental/run-memory.js';
import type { RequestedRange } from '../job/evaluate-job.js';
import type { PlaceholderBindings } from '../job/instances.js';
import type { FollowOptions } from '../page/followed-walk.js';
import { checkBounds } from './backfill-bounds.js';
import { checkSources, filtersOf, sourceOf } from './incremental-sources.js';

/** One walk of a job that remembers a value. */
export interface WalkIncrement {
  readonly config: IncrementalConfig;
  /** The parent of a child job; that of a top-level job is empty. */
  readonly by: string;
  readonly range: RequestedRange;
  /** Absent: the value is not in items. */
  readonly follow: FollowOptions | undefined;
}

export interface IncrementalRun {
  /** What a walk asks for. `reached`: by an earlier process of the run. Undefined: the job remembers nothing. */
  begin(job: JobConfig, instance: PlaceholderBindings, reached: Reached | undefined): WalkIncrement | undefined;
  /** What is remembered when the run has published. Undefined: as before. */
  remember(walks: readonly ReachedWalk[]): RunMemory | undefined;
}

export interface BackfillOptions {
  /** All anew: what was remembered is replaced when the run has succeeded. */
  readonly full?: boolean;
  /** The range of a backfill, which leaves what is remembered as it is. */
  readonly since?: string;
  readonly until?: string;
  /** A backfill advances what is remembered. */
  readonly remember?: boolean;
}

export interface IncrementalRunOptions extends BackfillOptions {
  /** The top-level jobs that run. */
  readonly jobs: readonly JobConfig[];
  readonly remembered?: RunMemory;
  /** When the run first started, in epoch ms. */
  readonly startedAt: number;
  readonly secrets: Pick<Secrets, 'mask'>;
  readonly notify: Notify;
}

/**
 * Undefined: no job remembers anything. Throws ERR_USAGE for a backfill without such a job, and ERR_STATE if what is
 * remembered belongs to another configuration.
 */
export function createIncrementalRun(options: IncrementalRunOptions): IncrementalRun | undefined {
  const jobs = withChildren<JobConfig>(options.jobs).filter(({ incremental }) => incremental !== undefined);
  mustHaveJobs(options, jobs);
  if (jobs.length === 0) return undefined;
  const { remembered = noMemory, full = false } = options;
  if (isBackfill(options)) checkBounds(options, jobs, remembered);
  else if (!full) checkSources(jobs, remembered, options);
  return {
    begin(job, instance, reached) {
      const { incremental: config } = job;
      if (config === undefined) return undefined;
      const by = parentOf(job, config, instance);
      const before = full || isBackfill(options) ? undefined : valueIn(remembered, job.name, by);
      return {
        config,
        by,
        range: rangeOf(config, before, options),
        follow: followOf(config, before, withWindows(job, config, before, options), reached),
      };
    },
    remember: (walks) => memoryAfter(options, remembered, jobs, walks),
  };
}

const noneOf = (option: string): string =>
  `no job of the run has \`incremental\`${option === 'full' ? ' or `revalidate`' : ''}`;

const isBackfill = ({ since, until }: BackfillOptions): boolean => since !== undefined || until !== undefined;

function mustHaveJobs(options: IncrementalRunOptions, jobs: readonly JobConfig[]): void {
  const { full, since, until, remember } = options;
  const [given] = Object.entries({ full, since, until, remember }).filter(
    ([, value]) => value !== undefined && value !== false,
  );
  if (given === undefined) return;
  const asksAgain = withChildren<JobConfig>(options.jobs).some(({ revalidate }) => revalidate === true);
  if (given[0] === 'full' && asksAgain) return;
  if (jobs.length === 0) throw optionError(given[0], noneOf(given[0]));
  const isLone = remember === true && since === undefined && until === undefined;
  if (isLone) throw optionError('remember', 'belongs to a backfill, with `since` or `until`');
}

/** The values that name the parent of a child job, or a combination. All windows of one have one value. */
function parentOf({ windows }: JobConfig, { by }: IncrementalConfig, instance: PlaceholderBindings): string {
  const ofWindow = new Set<string | undefined>(Object.values(windows?.params ?? {}));
  const all = [...instance.keys()].filter((name) => !ofWindow.has(name));
  if (all.length === 0) return '';
  const names = by ?? all;
  return JSON.stringify(names.map((name) => instance.get(name)?.text ?? null));
}

function valueIn({ jobs }: RunMemory, job: string, by: string): Remembered | undefined {
  const memory = Object.hasOwn(jobs, job) ? jobs[job] : undefined;
  return memory !== undefined && Object.hasOwn(memory.values, by) ? memory.values[by] : undefined;
}

function rangeOf(config: IncrementalConfig, before: Remembered | undefined, options: BackfillOptions): RequestedRange {
  const { since, until } = options;
  const first = since === undefined ? config.initial : asGiven(since, config);
  const value = before === undefined ? first : askedFor(config, before);
  return defined({ value, until: until === undefined ? undefined : asGiven(until, config) });
}

/** The remembered value less the look-back, in the same form. */
function askedFor({ lookback }: IncrementalConfig, { value, order }: Remembered): string | ExactNumber {
  const known = storedValue(value, order ?? 'text');
  if (known === undefined) throw new ExtractError('ERR_STATE', `a remembered value is none: ${value}`);
  return lookback === undefined || order === undefined ? known.sent : lessBy(known, lookback);
}

/** A value of a flag, in the type of the first value. */
const asGiven = (text: string, { initial }: IncrementalConfig): string | ExactNumber =>
  writtenValue(text, isNumber(initial));

/** A window may begin before the value that is asked for: the items before it are left out. */
function withWindows(
  { windows }: JobConfig,
  config: IncrementalConfig,
  before: Remembered | undefined,
  options: IncrementalRunOptions,
): IncrementalRunOptions {
  if (windows === undefined || before === undefined) return options;
  return { ...options, since: String(askedFor(config, before)) };
}

function followOf(
  config: IncrementalConfig,
  before: Remembered | undefined,
  { since, until, startedAt }: IncrementalRunOptions,
  reached: Reached | undefined,
): FollowOptions | undefined {
  const { source, compare, lookback, lag, isAscending } = config;
  if (source.kind !== 'path') return undefined;
  const ordered = (text: string | undefined): OrderedValue | undefined =>
    text === undefined ? undefined : orderedValue(text, compare);
  return {
    segments: source.segments,
    text: source.text,
    isAscending,
    startedAt,
    known: new Set(before === undefined ? [] : digestsIn(before.recent)),
    ...defined({
      compare,
      lookback,
      lag,
      before: before === undefined ? undefined : storedValue(before.value, before.order),
      since: ordered(since),
      until: ordered(until),
      highest: reached?.value === undefined ? undefined : storedValue(reached.value, reached.order),
    }),
  };
}

/** The memory after the run. Values that are secrets are not kept. */
function memoryAfter(
  options: IncrementalRunOptions,
  remembered: RunMemory,
  jobs: readonly JobConfig[],
  walks: readonly ReachedWalk[],
): RunMemory | undefined {
  const { full = false, remember, startedAt, secrets, notify } = options;
  if (isBackfill(options) && remember !== true) return undefined;
  if (!full) reportLate(walks, remembered, notify);
  const open = walks.filter(({ job, reached: { value } }) => {
    const isSecret = value !== undefined && secrets.mask(value) !== value;
    if (isSecret) notify({ level: 'warning', code: 'value-not-kept', message: secretValue, job });
    return !isSecret;
  });
  const advances = jobs.map((job) => [job.name, advanceOf(job, full)] as const);
  const { memory, dropped } = advanced(remembered, open, new Map(advances), startedAt);
  for (const [job, count] of dropped) {
    const message = `${count} items have recent values and are not remembered, as they are too many: they may arrive again in the next run`;
    notify({ level: 'warning', code: 'recent-not-kept', message, job });
  }
  return memory;
}

/** Says how late items were that a look-back has brought, and which one would have sufficed. */
function reportLate(walks: readonly ReachedWalk[], remembered: RunMemory, notify: Notify): void {
  const jobs = new Map<string, { count: number; most: string; rank: bigint }>();
  for (const { job, by, reached } of walks) {
    const before = valueIn(remembered, job, by);
    const [first, last] = [reached.latest, before?.value].map((text) =>
      text === undefined ? undefined : storedValue(text, reached.order),
    );
    if (reached.late === 0 || first === undefined || last === undefined) continue;
    const known = jobs.get(job) ?? { count: 0, most: '', rank: -1n };
    const rank = last.rank - first.rank;
    const most = rank > known.rank ? (writtenDistance(first, last) ?? '') : known.most;
    jobs.set(job, { count: known.count + reached.late, most, rank: rank > known.rank ? rank : known.rank });
  }
  for (const [job, { count, most }] of jobs) {
    const items = count === 1 ? '1 item was' : `${count} items were`;
    const advice = most === '' ? '' : `, by up to ${most}: a look-back of ${most} suffices for them`;
    notify({ level: 'info', code: 'late-items', message: `${items} late${advice}`, job });
  }
}

const secretValue = 'the value is a secret, which is never stored: the next run asks for the same items again';

const advanceOf = (job: JobConfig, isFull: boolean): JobAdvance => ({
  source: sourceOf(job),
  filters: filtersOf(job),
  isAscending: job.incremental?.isAscending === true,
  forgetAfter: job.incremental?.forgetAfter ?? 0,
  isFull,
});
