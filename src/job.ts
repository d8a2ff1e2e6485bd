/** A configured job into one that can be walked: its expressions evaluated once, before its first page. requests.md 4.4. */
import type { JobConfig } from './config/config.js';
import type { ExpressionContext } from './expression/expression.js';
import { evaluateMap, headersFrom } from './expression/expression.js';
import type { Job } from './types.js';

/** Throws ERR_FUNCTION with the path of the job. */
export function evaluateJob(config: JobConfig, context: ExpressionContext): Job {
  const { name, endpoint, method, dataField, dataType, scroller } = config;
  return {
    name,
    endpoint,
    ...(method === undefined ? {} : { method }),
    params: evaluateMap(config.params, context, `${config.path}.params`),
    headers: headersFrom(config.headers, `${config.path}.headers`),
    dataField,
    dataType,
    ...(scroller === undefined ? {} : { scroller }),
  };
}
