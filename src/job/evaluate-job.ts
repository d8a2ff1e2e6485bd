/**
 * Turns a configured job into an executable one: evaluates its expressions once, before its first page.
 * docs/01-configuration.md#expressions.
 */

import type { JobConfig } from '../config/config.js';
import { collectAll } from '../core/errors/collect-errors.js';
import type { Job } from '../core/model/job.js';
import type { ExpressionContext } from '../language/expression/expression.js';
import { evaluateMap, headersFrom } from '../language/expression/expression.js';
import type { Paginator } from '../pagination/types.js';
import { columnsOf } from './columns.js';
import { fillEndpoint, noBindings, type PlaceholderBindings } from './instances.js';

/** A job, and its own paginator if it has one. */
export interface EvaluatedJob extends Job {
  readonly paginator?: Paginator;
}

/**
 * Evaluates a job. `instance` holds the placeholder values of a child. Throws ERR_FUNCTION with the path of the job.
 */
export function evaluateJob(
  config: JobConfig,
  context: ExpressionContext,
  instance: PlaceholderBindings = noBindings,
): EvaluatedJob {
  const { userData: ofItems, children, responseFilter, path, ...own } = config;
  const [userData, params, headers] = collectAll(
    () => evaluateMap(ofItems, context, `${path}.userData`),
    () => evaluateMap(config.params, context, `${path}.params`),
    () => headersFrom(config.headers, `${path}.headers`),
  );
  const columns = columnsOf(userData, instance);
  return {
    ...own,
    endpoint: fillEndpoint(own.endpoint, instance),
    params,
    headers,
    ...(columns.size === 0 ? {} : { columns }),
  };
}
