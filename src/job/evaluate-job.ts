/**
 * Turns a configured job into an executable one: its expressions are evaluated once, and those of time once a walk.
 * docs/01-configuration.md#expressions.
 */

import { asyncScheduler } from 'rxjs';
import type { JobConfig } from '../config/config.js';
import { collectAll } from '../core/errors/collect-errors.js';
import { asExtractError } from '../core/errors/errors.js';
import { emptyObject } from '../core/json/exact.js';
import type { Job } from '../core/model/job.js';
import type { Secrets } from '../core/model/secrets.js';
import { addHeaderSecrets } from '../core/secrets/known-secrets.js';
import type { ResponseRule } from '../language/condition/response-rule.js';
import type { ExpressionContext } from '../language/expression/expression.js';
import { evaluateMap, headersFrom } from '../language/expression/expression.js';
import type { Paginator } from '../pagination/types.js';
import { columnsOf } from './columns.js';
import { fillEndpoint, noBindings, type PlaceholderBindings } from './instances.js';

/** A job, its own paginator if it has one, and its rules on responses. */
export interface EvaluatedJob extends Job {
  readonly paginator?: Paginator;
  /** Rules on its responses; absent: none. */
  readonly responseRules?: readonly ResponseRule[];
}

/**
 * Evaluates a job when it begins. `instance` holds the placeholder values of a child, `at` is the current time for
 * functions of time. Throws ERR_FUNCTION with the job.
 */
export type BeginJob = (config: JobConfig, instance?: PlaceholderBindings, at?: number) => EvaluatedJob;

/** Returns a function that evaluates each job once; one that has read the clock is evaluated again. */
export function createJobEvaluator(context: Omit<ExpressionContext, 'now'>, secrets: Secrets): BeginJob {
  const known = new Map<JobConfig, EvaluatedJob>();
  const evaluated = (config: JobConfig, at: number): EvaluatedJob => {
    let readsClock = false;
    const now = () => {
      readsClock = true;
      return at;
    };
    const job = located(config.name, () => evaluateJob(config, { ...context, now }));
    addHeaderSecrets(job.headers, secrets);
    if (!readsClock) known.set(config, job);
    return job;
  };
  return (config, instance = noBindings, at = asyncScheduler.now()) =>
    filled(known.get(config) ?? evaluated(config, at), instance);
}

/** Evaluates a job without placeholder values. Throws ERR_FUNCTION with the path of the job. */
export function evaluateJob(config: JobConfig, context: ExpressionContext): EvaluatedJob {
  const { userData, children, responseFilter, path, each, ...own } = config;
  const [columns, params, headers] = collectAll(
    () => evaluateMap(userData, context, `${path}.userData`),
    () => evaluateMap(config.params, context, `${path}.params`),
    () => headersFrom(config.headers, `${path}.headers`),
  );
  return { ...own, params, headers, ...(columns.size === 0 ? {} : { columns }) };
}

/** The job with the values of an instance in its endpoint, its parameters and its columns. */
function filled(job: EvaluatedJob, instance: PlaceholderBindings): EvaluatedJob {
  if (instance.size === 0) return job;
  const columns = columnsOf(job.columns ?? emptyObject, instance);
  const sent = [...instance].filter(
    ([name, { partition }]) => partition === 'own' && !job.endpoint.includes(`{${name}}`),
  );
  const params =
    sent.length === 0
      ? job.params
      : new Map([...job.params, ...sent.map(([name, { value }]) => [name, value] as const)]);
  const endpoint = fillEndpoint(job.endpoint, instance);
  return columns.size === 0 ? { ...job, endpoint, params } : { ...job, endpoint, params, columns };
}

/** Adds the job to an error. */
function located<T>(job: string, work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    throw asExtractError(thrown).at({ job });
  }
}
