/**
 * Pagination by a value of the response that is sent with the next request. docs/03-pagination.md#responseparam,
 * docs/12-compatibility.md#how-conflicts-were-decided.
 */

import { type Exact, emptyObject, isArray, isObject, splitPath } from '../core/json/exact.js';
import type { Job } from '../core/model/job.js';
import type { Notice } from '../core/model/notice.js';
import type { Captured, CapturePath } from '../core/model/page.js';
import type { PageRequest } from '../core/model/request.js';
import type { OptionRows, OptionsOf } from '../core/options/kind.js';
import { nonEmptyText } from '../core/options/kinds.js';
import { defaultsOf, objectOf } from '../core/options/object-kinds.js';
import { defined } from '../core/util/defined.js';
import { nearestPath } from '../core/util/suggest.js';
import type { Component } from '../language/component.js';
import { kindOf } from '../language/expression/convert.js';
import { boolean, endpoint, method, nonEmptyStringOrPath, object } from '../language/kinds.js';
import { bodyParams, jobRequest, pathRule, withParam } from './param.js';
import type { EarlyPage, Paginator } from './types.js';
import { isEmpty } from './values.js';

const scrollRequestFields = {
  endpoint: {
    kind: endpoint,
    summary: 'the endpoint of the next requests',
    otherwise: 'that of the job',
    emptyIsAbsent: true,
  },
  method: {
    kind: method,
    summary: 'the HTTP method of the next requests',
    otherwise: 'that of the job',
    emptyIsAbsent: true,
  },
  params: {
    kind: object,
    default: emptyObject,
    summary: 'the parameters of the next requests',
    emptyIsAbsent: true,
  },
} satisfies OptionRows;

/** Options of both methods that send a value of the response, beside the place of that value. */
export const followingFields = {
  queryParam: {
    kind: nonEmptyStringOrPath,
    summary: 'the parameter for that value; it replaces all others of that name',
    required: true,
  },
  includeParams: {
    kind: boolean,
    summary: 'whether every request has the parameters of the job, not only the first',
    default: false,
  },
  scrollRequest: {
    kind: objectOf(scrollRequestFields),
    default: defaultsOf(scrollRequestFields),
    summary: 'replaces parts of the job in the next requests; absent keys are those of the job',
    emptyIsAbsent: true,
  },
} satisfies OptionRows;

/** How a value of the response is sent. */
type FollowingOptions = OptionsOf<typeof followingFields>;

const fields = {
  responseParam: { kind: nonEmptyText, summary: 'path in the response to that value', required: true },
  ...followingFields,
} satisfies OptionRows;

export const responseParam: Component<typeof fields, Paginator> = {
  summary: 'sends a value of each response with the next request, until there is none',
  fields,
  rules: [
    'The first request is the job itself, with its own value of `queryParam`, if any.',
    'It ends at a response where the value is absent, null, false, an empty string, an empty list or an empty object. 0 and "0" do not end it.',
    'If the first response lacks the value, the job ends with the warning `missing-response-param`, which suggests the nearest key.',
    pathRule,
  ],
  example: '{ "method": "response.param", "responseParam": "scrolling.next_page", "queryParam": "page" }',

  create(options) {
    const path: CapturePath = { text: options.responseParam, segments: splitPath(options.responseParam) };
    const next = (job: Job, { index, envelope }: EarlyPage) => {
      const captured = envelope.get(path.text);
      const value = captured?.value;
      if (value !== undefined && !isEmpty(value)) {
        const next = requestWith(job, options, value);
        const isPlain = index > 0 || !(isObject(value) || isArray(value));
        return isPlain ? next : { ...next, warning: { ...compound(path, value), job: job.name, page: index } };
      }
      const [stop, by] = [`no value at "${path.text}"`, 'no next value' as const];
      if (value !== undefined || index > 0) return { stop, by };
      return { stop, by, warning: { ...missing(path, captured), job: job.name, page: index } };
    };
    return {
      ...sending(options),
      captures: [path],
      next,
      early: next,
    };
  },
};

/** What both methods have in common beside `next`. */
export const sending = (options: FollowingOptions): Omit<Paginator, 'captures' | 'next'> => ({
  cursor: options.queryParam,
  bodyParams: bodyParams({ queryParam: options.queryParam }, (job) => following(job, options)),
  endpoints: options.scrollRequest.endpoint === undefined ? [] : [options.scrollRequest.endpoint],
  first: (job) => jobRequest(job),
});

/** The next request, with the value of the response. */
export const requestWith = (job: Job, options: FollowingOptions, value: Exact): PageRequest =>
  withParam(following(job, options), options.queryParam, value);

/** Every request after the first, without the value itself. */
function following(job: Job, { includeParams, scrollRequest }: FollowingOptions): PageRequest {
  const { endpoint, method, params: others } = scrollRequest;
  const params = new Map([...(includeParams ? job.params : emptyObject), ...others]);
  return { ...jobRequest(job, params), ...defined({ endpoint, method }) };
}

function missing({ text, segments }: CapturePath, captured: Captured | undefined): Notice {
  const near = nearestPath(segments, captured ?? { beside: [] });
  const hint = near === undefined ? '' : `; did you mean "${near}"?`;
  return {
    level: 'warning',
    code: 'missing-response-param',
    message: `the first page has no "${text}" (\`responseParam\`): its pagination ends there${hint}`,
  };
}

/** It is sent anyway, as in Generic Extractor: some services accept a list as cursor. */
const compound = ({ text }: CapturePath, value: Exact): Notice => ({
  level: 'warning',
  code: 'compound-cursor',
  message: `the value at "${text}" (\`responseParam\`) is ${kindOf(value)}, and is sent unchanged${within(text, value)}`,
});

const shownMembers = 5;

/** The paths of members that could be a cursor. */
function within(path: string, value: Exact): string {
  const members = isObject(value) ? [...value] : [];
  const plain = members.filter(([, member]) => !isObject(member) && !isArray(member) && !isEmpty(member));
  const paths = plain.slice(0, shownMembers).map(([name]) => `"${path}.${name}"`);
  return paths.length === 0 ? '' : `; did you mean ${paths.join(' or ')}?`;
}
