/** A configured job into one that can be walked: its expressions evaluated once, before its first page. requests.md 4.4. */

import type { JobConfig } from '../config/config.js';
import { allOf } from '../core/errors/collect-errors.js';
import type { Job } from '../core/model/job.js';
import type { ExpressionContext } from '../language/expression/expression.js';
import { evaluateMap, headersFrom } from '../language/expression/expression.js';
import type { Scroller } from '../pagination/types.js';
import { columnsOf } from './columns.js';
import { fillEndpoint, type Instance, noInstance } from './instances.js';

/** A job, and its own paginator where it has one. */
export interface EvaluatedJob extends Job {
  readonly scroller?: Scroller;
}

/** `instance`: what the placeholders of a child stand for. Throws ERR_FUNCTION with the path of the job. */
export function evaluateJob(
  config: JobConfig,
  context: ExpressionContext,
  instance: Instance = noInstance,
): EvaluatedJob {
  const { name, endpoint, method, dataField, dataType, scroller, allowRepeatedItems, path } = config;
  const [userData, params, headers] = allOf(
    () => evaluateMap(config.userData, context, `${path}.userData`),
    () => evaluateMap(config.params, context, `${path}.params`),
    () => headersFrom(config.headers, `${path}.headers`),
  );
  const columns = columnsOf(userData, instance);
  return {
    name,
    endpoint: fillEndpoint(endpoint, instance),
    ...(method === undefined ? {} : { method }),
    params,
    headers,
    dataField,
    dataType,
    ...(scroller === undefined ? {} : { scroller }),
    ...(allowRepeatedItems === undefined ? {} : { allowRepeatedItems }),
    ...(columns.size === 0 ? {} : { columns }),
  };
}
