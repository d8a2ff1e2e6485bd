/** A parameter of pagination: a name beside the job's parameters, or a path into the JSON body. */
import { type Exact, type ExactObject, exactAt } from '../core/json/exact.js';
import type { Job } from '../core/model/job.js';
import type { PageRequest } from '../core/model/request.js';
import { shownPath } from '../core/url/body-path.js';
import type { BodyParam, Param } from './types.js';

/** The rule that each method with such a parameter lists. */
export const pathRule =
  'A list instead of the name of a parameter is a path into the JSON body: `["variables", "after"]`. It requires an HTTP method with such a body (POST, PUT, PATCH, DELETE), and objects or lists along the path; otherwise the configuration is not valid.';

/** The parameter in messages: `cursor`, `variables.after`. */
export const shownParam = (param: Param): string => (typeof param === 'string' ? param : shownPath(param));

/** The value that the job sets. */
export const ownValue = (params: ExactObject, param: Param): Exact | undefined =>
  typeof param === 'string' ? params.get(param) : exactAt(params, param);

/** Returns the request with the parameter. An existing one keeps its place. */
export function withParam(request: PageRequest, param: Param, value: Exact): PageRequest {
  if (typeof param === 'string') return withParams(request, new Map(request.params).set(param, value));
  const others = (request.placed ?? []).filter(({ path }) => !isSamePath(path, param));
  return { ...request, placed: [...others, { path: param, value }] };
}

/** Returns the value that pagination set in a request; undefined: none. */
export function sentValue({ params, placed = [] }: PageRequest, param: Param): Exact | undefined {
  if (typeof param === 'string') return params.get(param);
  return placed.find(({ path }) => isSamePath(path, param))?.value;
}

/** The parameters that are paths, for the check before the first request. `request` is the request without them. */
export function bodyParams(
  keys: Readonly<Record<string, Param>>,
  request: (job: Job) => PageRequest = (job) => jobRequest(job),
): readonly BodyParam[] {
  return Object.entries(keys).flatMap(([key, path]) => (typeof path === 'string' ? [] : [{ key, path, request }]));
}

const isSamePath = (path: readonly string[], other: readonly string[]): boolean =>
  path.length === other.length && path.every((step, index) => step === other[index]);

/** One literal for most requests: a spread whose members are replaced is slow, and this is once a page. */
function withParams(request: PageRequest, params: ExactObject): PageRequest {
  const { endpoint, method, headers, link, linkNames, placed, warning } = request;
  const isUnusual = link !== undefined || linkNames !== undefined || placed !== undefined || warning !== undefined;
  if (isUnusual) return { ...request, params };
  return method === undefined ? { endpoint, params, headers } : { endpoint, method, params, headers };
}

/** The request of the job, with other parameters if they are given. */
export function jobRequest({ endpoint, method, params, headers }: Job, otherParams: ExactObject = params): PageRequest {
  return method === undefined
    ? { endpoint, params: otherParams, headers }
    : { endpoint, method, params: otherParams, headers };
}
