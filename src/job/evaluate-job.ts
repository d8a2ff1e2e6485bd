/**
 * Turns a configured job into an executable one: its expressions are evaluated once, and those of time once a walk.
 * docs/01-configuration.md#expressions.
 */

import { asyncScheduler } from 'rxjs';
import type { JobConfig } from '../config/config.js';
import type { DownloadConfig } from '../config/download.js';
import type { PlainJobOptions } from '../config/job-fields.js';
import type { ErrorRule } from '../config/on-error.js';
import type { WindowRange } from '../config/partition/window-range.js';
import { collectAll } from '../core/errors/collect-errors.js';
import { asExtractError, ExtractError } from '../core/errors/errors.js';
import { type ExactNumber, type ExactObject, emptyObject } from '../core/json/exact.js';
import type { Job } from '../core/model/job.js';
import type { Secrets } from '../core/model/secrets.js';
import { addHeaderSecrets } from '../core/secrets/known-secrets.js';
import type { IncrementalConfig } from '../incremental/incremental-config.js';
import type { ResponseRule } from '../language/condition/response-rule.js';
import type { ExpressionContext } from '../language/expression/expression.js';
import { evaluateMap, headersFrom } from '../language/expression/expression.js';
import type { ReferenceResolver } from '../language/expression/reference.js';
import type { Paginator } from '../pagination/types.js';
import { columnsOf } from './columns.js';
import { evaluateWindows } from './evaluate-windows.js';
import { fillEndpoint, noBindings, type PlaceholderBindings } from './instances.js';

/** A job with all its keys that need no reader, its own paginator if it has one, and its rules on responses. */
export interface EvaluatedJob extends Job, Omit<PlainJobOptions, keyof Job> {
  readonly paginator?: Paginator;
  /** Rules on its responses; absent: none. */
  readonly responseRules?: readonly ResponseRule[];
  /** Absent: a request that fails ends the run. */
  readonly onError?: ErrorRule;
  /** Its response is a file, of this name; absent: it has items. */
  readonly download?: DownloadConfig;
  /** The range of its windows; absent: it has none. */
  readonly windows?: WindowRange;
}

/**
 * Evaluates a job when it begins. `instance` holds the placeholder values of a child, `at` is the current time for
 * functions of time. Throws ERR_FUNCTION with the job.
 */
export type BeginJob = (
  config: JobConfig,
  instance?: PlaceholderBindings,
  at?: number,
  range?: RequestedRange,
) => EvaluatedJob;

/** What a walk of a job with `incremental` asks for; absent members are not sent. */
export interface RequestedRange {
  readonly value?: string | ExactNumber;
  readonly until?: string | ExactNumber;
}

/** Returns a function that evaluates each job once; one that has read the clock is evaluated again. */
export function createJobEvaluator(context: Omit<ExpressionContext, 'now'>, secrets: Secrets): BeginJob {
  const known = new Map<JobConfig, EvaluatedJob>();
  const evaluated = (config: JobConfig, at: number, range?: RequestedRange): EvaluatedJob => {
    let readsClock = false;
    const now = () => {
      readsClock = true;
      return at;
    };
    const job = located(config.name, () => evaluateJob(config, withRange(config, { ...context, now }, range), range));
    addHeaderSecrets(job.headers, secrets);
    if (!readsClock && config.incremental === undefined) known.set(config, job);
    return job;
  };
  return (config, instance = noBindings, at = asyncScheduler.now(), range) =>
    filled(known.get(config) ?? evaluated(config, at, range), instance);
}

/** Evaluates a job without placeholder values. Throws ERR_FUNCTION with the path of the job. */
export function evaluateJob(config: JobConfig, context: ExpressionContext, range?: RequestedRange): EvaluatedJob {
  const { userData, children, responseFilter, path, each, windows, incremental, ...own } = config;
  const [columns, params, headers] = collectAll(
    () => evaluateMap(userData, context, `${path}.userData`),
    () => evaluateMap(config.params, context, `${path}.params`),
    () => headersFrom(headersOf(config, context), `${path}.headers`),
  );
  const inWindows = windows === undefined ? {} : { windows: evaluateWindows(windows, context) };
  const job = { ...own, params, headers, ...(columns.size === 0 ? {} : { columns }), ...inWindows };
  // The request that creates a report carries the value.
  if (incremental === undefined || config.report !== undefined) return job;
  return ranged(job, incremental, rangeOf(incremental, range));
}

/** Headers are sent as written, but for the remembered value. */
function headersOf({ headers, incremental, path }: JobConfig, context: ExpressionContext): ExactObject {
  if (incremental === undefined) return headers;
  const references = new Map([...context.references].filter(([name]) => name === 'incremental'));
  return evaluateMap(headers, { ...context, references }, `${path}.headers`);
}

/** Without a range that of a first run. */
const rangeOf = ({ initial }: IncrementalConfig, range?: RequestedRange): RequestedRange =>
  range ?? (initial === undefined ? {} : { value: initial });

/** The job with the remembered value in its parameters and its endpoint. */
function ranged(job: EvaluatedJob, { param, until }: IncrementalConfig, range: RequestedRange): EvaluatedJob {
  const params = new Map(job.params);
  if (param !== undefined && range.value !== undefined) params.set(param, range.value);
  if (until !== undefined && range.until !== undefined) params.set(until, range.until);
  const text = range.value === undefined ? undefined : String(range.value);
  return { ...job, params, endpoint: text === undefined ? job.endpoint : placed(job.endpoint, text) };
}

const mark = '{incremental}';

/** A link is an endpoint of its own. */
const placed = (endpoint: string, value: string): string =>
  endpoint === mark ? value : endpoint.replaceAll(mark, () => encodeURIComponent(value));

/** Expressions of a job that remembers a value can refer to it. */
function withRange(
  { incremental }: JobConfig,
  context: ExpressionContext,
  range: RequestedRange | undefined,
): ExpressionContext {
  if (incremental === undefined) return context;
  const { value } = rangeOf(incremental, range);
  const reference: ReferenceResolver = (key) => {
    if (key !== 'value') return undefined;
    if (value !== undefined) return { value, secret: false };
    throw new ExtractError('ERR_FUNCTION', 'no value is remembered yet: set `initial` in `incremental` of the job');
  };
  return { ...context, references: new Map([...context.references, ['incremental', reference]]) };
}

/** The job with the values of an instance in its endpoint, its parameters and its columns. */
function filled(job: EvaluatedJob, instance: PlaceholderBindings): EvaluatedJob {
  if (instance.size === 0) return job;
  const columns = columnsOf(job.columns ?? emptyObject, instance);
  const own = [...instance].filter(([, { partition }]) => partition === 'own');
  const sent = own
    .filter(([name]) => !job.endpoint.includes(`{${name}}`))
    .map(([name, { value }]) => [name, value] as const);
  // A copy that is changed, as each row of a parent makes one. What a copy lacks is added before the spread.
  const made: { -readonly [Key in keyof EvaluatedJob]: EvaluatedJob[Key] } = { columns, ...job };
  made.columns = columns;
  made.endpoint = fillEndpoint(job.endpoint, instance);
  if (job.download?.to !== undefined) made.download = { to: fillEndpoint(job.download.to, instance) };
  if (own.length === 0) return made;
  made.partition = new Set(own.map(([name]) => name));
  if (sent.length > 0) made.params = new Map([...job.params, ...sent]);
  return made;
}

/** Adds the job to an error. */
function located<T>(job: string, work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    throw asExtractError(thrown).at({ job });
  }
}
