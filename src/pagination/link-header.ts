/** Pagination by the `Link` header, RFC 8288, or by another header with the address of the next page. */
import type { Job } from '../core/model/job.js';
import type { OptionRows } from '../core/options/kind.js';
import { flag, nonEmptyText } from '../core/options/kinds.js';
import { resolveUrl } from '../core/url/url.js';
import type { Component } from '../language/component.js';
import { followLink } from './next-link.js';
import { jobRequest } from './param.js';
import { nameOfHeader } from './response-header.js';
import type { EarlyPage, Paginator } from './types.js';
import { parseLinks } from './web-links.js';

const fields = {
  header: { kind: nameOfHeader, summary: 'the header with the link, upper or lower case', default: 'Link' },
  rel: { kind: nonEmptyText, summary: 'the relation of the link to follow', default: 'next' },
  includeParams: {
    kind: flag,
    summary: 'whether every request has the parameters of the job, not only the first',
    default: false,
  },
} satisfies OptionRows;

export const linkHeader: Component<typeof fields, Paginator> = {
  summary: 'follows the `Link` header of each response, or another one, until there is no link to a next page',
  fields,
  rules: [
    'The first request is the job itself. A link is resolved against the URL of its response.',
    'Default parameters (and with `includeParams` those of the job) replace parameters of the same name in the link.',
    'It ends at a response without a link of that relation. A link with an `anchor` does not count.',
    'The value of another `header`, such as `X-Next-Page-Url`, is the link itself, and has no relation, unless it begins with `<`. It ends at a response without that header, or where it is empty.',
    'A link to an origin that the configuration does not list is requested without credentials, configured headers and default parameters.',
  ],
  example: '{ "method": "link-header" }',

  create({ header, rel, includeParams }) {
    const name = header.toLowerCase();
    const relation = rel.toLowerCase();
    const stop = name === 'link' ? `no link to "${rel}"` : `no link in the header "${header}"`;
    const next = (job: Job, { headers, address }: EarlyPage) => {
      const link = linkIn(headers.get(name) ?? [], name, relation);
      return link === undefined
        ? { stop, by: 'no next link' as const }
        : followLink(job, resolveUrl(address, link), { includeParams, paramIsQuery: false });
    };
    return { captures: [], headers: [name], first: (job) => jobRequest(job), next, early: next };
  },
};

/** The link of a relation, or the first value of a header whose value is a link. */
function linkIn(values: readonly string[], name: string, relation: string): string | undefined {
  const plain = values[0]?.trim() ?? '';
  if (name !== 'link' && !plain.startsWith('<')) return plain === '' ? undefined : plain;
  const links = parseLinks(values.join(', '));
  return links.find(({ relations, isAnchored }) => !isAnchored && relations.includes(relation))?.target;
}
