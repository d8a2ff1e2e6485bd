/** Pagination by a link in the response. docs/03-pagination.md#responseurl, docs/12-compatibility.md#pagination. */

import { splitPath } from '../core/json/exact.js';
import type { Job } from '../core/model/job.js';
import type { OptionRows, OptionsOf } from '../core/options/kind.js';
import { nonEmptyText, text } from '../core/options/kinds.js';
import type { Component } from '../language/component.js';
import { boolean } from '../language/kinds.js';
import { capturePath } from './capture.js';
import { followLink, linkAt } from './next-link.js';
import { jobRequest } from './param.js';
import type { EarlyPage, Paginator, Stop } from './types.js';

/** The fields of every method that follows links in responses. */
export const linkFields = {
  urlKey: { kind: text, summary: 'path in the response to the link', default: 'next_page', emptyIsAbsent: true },
  includeParams: {
    kind: boolean,
    summary: 'whether every request has the parameters of the job, not only the first',
    default: false,
  },
  paramIsQuery: {
    kind: boolean,
    summary: 'the value is only a query: its parameters replace those of the job, and the endpoint stays the same',
    default: false,
  },
} as const;

/** The rules these methods share. */
export const linkRules = [
  'The first request is the job itself. A link is resolved against `api.baseUrl`, not against the URL of its response.',
  'Without `paramIsQuery`, default parameters (and with `includeParams` those of the job) replace parameters of the same name in the link.',
  'It ends at a response where the value is absent, null, false, an empty string, an empty list or an empty object. Any other value that is not a string is the error `ERR_PAGINATION`.',
  'A link to an origin that the configuration does not list is requested without credentials, configured headers and default parameters.',
] as const;

const fields = {
  ...linkFields,
  delimiter: {
    kind: nonEmptyText,
    summary: 'the separator between the segments of `urlKey`',
    default: '.',
    emptyIsAbsent: true,
  },
} satisfies OptionRows;

type ResponseUrlOptions = OptionsOf<typeof fields>;

export const responseUrl: Component<typeof fields, Paginator> = {
  summary: 'follows a link in each response, until there is none',
  fields,
  rules: linkRules,
  example: '{ "method": "response.url", "urlKey": "links.next", "includeParams": true }',
  create: (options) => createLinkPaginator(options),
};

/** `endsAt` returns a reason to end although there is a link. */
export function createLinkPaginator(
  { urlKey, delimiter, ...following }: ResponseUrlOptions,
  endsAt: (link: string, page: EarlyPage) => Stop | undefined = () => undefined,
): Paginator {
  const path = capturePath(splitPath(urlKey, delimiter));
  const next = (job: Job, page: EarlyPage) => {
    const link = linkAt(path, page.envelope.get(path.text), page.index === 0);
    if (typeof link !== 'string') return link;
    return endsAt(link, page) ?? followLink(job, link, following);
  };
  return { captures: [path], first: (job) => jobRequest(job), next, early: next };
}
