/** Follows links in responses. docs/03-pagination.md#responseurl, docs/12-compatibility.md#pagination. */
import { ExtractError } from '../core/errors/errors.js';
import { type Exact, type ExactObject, emptyObject, isArray } from '../core/json/exact.js';
import type { Job } from '../core/model/job.js';
import type { Notice } from '../core/model/notice.js';
import type { Captured, CapturePath } from '../core/model/page.js';
import type { PageRequest } from '../core/model/request.js';
import { queryEntries } from '../core/url/query-string.js';
import { nearestPath } from '../core/util/suggest.js';
import { kindOf } from '../language/expression/convert.js';
import { jobRequest } from './param.js';
import type { Stop } from './types.js';
import { isEmpty } from './values.js';

export interface LinkStep {
  /** Whether every request gets the job's parameters. */
  readonly includeParams: boolean;
  /** The link is only a query: its parameters override the job's, and the endpoint stays. */
  readonly paramIsQuery: boolean;
}

/** Returns the request for a link. Without `paramIsQuery` parameters are merged into its query and override it. */
export function followLink(job: Job, link: string, { includeParams, paramIsQuery }: LinkStep): PageRequest {
  const kept = includeParams ? job.params : emptyObject;
  if (!paramIsQuery) return { ...jobRequest(job, kept), endpoint: link, link: true };
  const brought = queryParams(link.replace(/^\?+/, ''));
  const linkNames = [...brought.keys()].filter((name) => !kept.has(name));
  return { ...jobRequest(job, new Map([...kept, ...brought])), linkNames };
}

/** Returns the link at a path, or the end if there is none. Throws ERR_PAGINATION if it is no text. */
export function linkAt(
  { text, segments }: CapturePath,
  captured: Captured | undefined,
  isFirst: boolean,
): string | Stop {
  const value = captured?.value;
  const shown = segments.join('.');
  if (typeof value === 'string' && value !== '') return value;
  if (!isEmpty(value)) {
    const found = kindOf(value ?? null);
    throw new ExtractError('ERR_PAGINATION', `expected the next link, a string, at "${shown || text}"; found ${found}`);
  }
  const [stop, by] = [`no value at "${shown}"`, 'no next link' as const];
  const near = isFirst && value === undefined ? nearestPath(segments, captured ?? { beside: [] }) : undefined;
  return near === undefined ? { stop, by } : { stop, by, warning: missing(shown, near) };
}

/** Parses a query: the last value of a repeated name counts, and `name[]` collects a list. */
export function queryParams(query: string): ExactObject {
  const params = new Map<string, Exact>();
  for (const { name, value = '' } of queryEntries(`?${query}`)) {
    const list = name.endsWith('[]') ? name.slice(0, -2) : undefined;
    if (list === undefined) params.set(name, value);
    else params.set(list, [...listAt(params, list), value]);
  }
  return params;
}

function listAt(params: ExactObject, name: string): readonly Exact[] {
  const value = params.get(name);
  return isArray(value) ? value : [];
}

/** Single pages without a link are common, so it is reported only if a similar key exists. */
const missing = (path: string, near: string): Notice => ({
  level: 'warning',
  code: 'missing-next-link',
  message: `the first page has no "${path}" (\`urlKey\`): its pagination ends there; did you mean "${near}"?`,
});
