/** Pagination by the `Link` header. RFC 8288. */
import type { Job } from '../core/model/job.js';
import { resolveUrl } from '../core/url/url.js';
import type { Component } from '../language/component.js';
import { nonEmptyString, strictBoolean } from '../language/fields.js';
import { followLink } from './next-link.js';
import { jobRequest } from './param.js';
import type { EarlyPage, Paginator } from './types.js';
import { parseLinks } from './web-links.js';

export interface LinkHeaderOptions {
  readonly rel?: string;
  readonly includeParams?: boolean;
}

export const linkHeader: Component<LinkHeaderOptions, Paginator> = {
  summary: 'follows the `Link` header of each response, until there is no link to a next page',
  fields: {
    rel: { type: nonEmptyString, summary: 'the relation of the link to follow', default: 'next' },
    includeParams: {
      type: strictBoolean,
      summary: 'whether every request has the parameters of the job, not only the first',
      default: 'false',
    },
  },
  rules: [
    'The first request is the job itself. A link is resolved against the URL of its response.',
    'Default parameters (and with `includeParams` those of the job) replace parameters of the same name in the link.',
    'It ends at a response without a link of that relation. A link with an `anchor` does not count.',
    'A link to an origin that the configuration does not list is requested without credentials, configured headers and default parameters.',
  ],
  example: '{ "method": "link-header" }',

  create({ rel = 'next', includeParams = false }) {
    const wanted = rel.toLowerCase();
    const next = (job: Job, { headers, address }: EarlyPage) => {
      const links = parseLinks((headers.get('link') ?? []).join(', '));
      const link = links.find(({ relations, isAnchored }) => !isAnchored && relations.includes(wanted));
      if (link === undefined) return { stop: `no link to "${rel}"` };
      return followLink(job, resolveUrl(address, link.target), { includeParams });
    };
    return { captures: [], headers: ['link'], first: (job) => jobRequest(job), next, early: next };
  },
};
