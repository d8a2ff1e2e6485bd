/** Pagination by a link whose end is known by a time: Zendesk incremental exports. */
import { queryEntries } from '../core/url/query-string.js';
import type { Component } from '../language/component.js';
import { createLinkPaginator, linkFields, linkRules } from './response-url.js';
import type { Paginator } from './types.js';

const secondsBack = 6 * 60;

export const zendeskResponseUrl: Component<typeof linkFields, Paginator> = {
  summary: 'like `response.url`, but ends at a link to the last six minutes',
  fields: linkFields,
  rules: [...linkRules, 'It also ends at a link whose `start_time` (Unix seconds) is less than six minutes ago.'],
  example: '{ "method": "zendesk.response.url", "urlKey": "next_page" }',

  create: (options) =>
    createLinkPaginator({ ...options, delimiter: '.' }, (link, { takenAt }) => {
      const startTime = startTimeOf(link, options.paramIsQuery);
      if (startTime === undefined || startTime <= takenAt / 1000 - secondsBack) return undefined;
      return { stop: 'a link to the last six minutes', by: 'recent link' };
    }),
};

function startTimeOf(link: string, isQuery: boolean): number | undefined {
  const entries = queryEntries(isQuery ? `?${link.replace(/^\?+/, '')}` : link);
  const value = entries.findLast(({ name }) => name === 'start_time')?.value ?? '';
  return /^\d+$/.test(value) ? Number(value) : undefined;
}
