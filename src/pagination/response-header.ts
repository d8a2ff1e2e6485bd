/** Pagination by a header of the response whose value is sent with the next request: `X-Next-Cursor`. */
import type { Job } from '../core/model/job.js';
import { kind, type OptionRows } from '../core/options/kind.js';
import { headerName } from '../core/url/headers.js';
import type { Component } from '../language/component.js';
import { pathRule } from './param.js';
import { followingFields, requestWith, sending } from './response-param.js';
import type { EarlyPage, Paginator } from './types.js';

/** The name of a header, in any case. */
export const nameOfHeader = kind<string>(
  'the name of a header',
  (value) => typeof value === 'string' && headerName.test(value),
  { schema: { type: 'string', pattern: headerName.source } },
);

const fields = {
  header: { kind: nameOfHeader, summary: 'the header with that value, upper or lower case', required: true },
  ...followingFields,
} satisfies OptionRows;

export const responseHeader: Component<typeof fields, Paginator> = {
  summary: 'sends a header of each response with the next request, until there is none',
  fields,
  rules: [
    'The first request is the job itself, with its own value of `queryParam`, if any.',
    'It ends at a response without the header, or where it is empty. `0` does not end it. Of several headers of that name the first counts.',
    'If the first response lacks the header, the job ends with the warning `missing-response-param`. An empty header is no warning.',
    pathRule,
  ],
  example: '{ "method": "response.header", "header": "X-Next-Cursor", "queryParam": "cursor" }',

  create(options) {
    const name = options.header.toLowerCase();
    const next = (job: Job, { index, headers }: EarlyPage) => {
      const [value] = headers.get(name) ?? [];
      if (value !== undefined && value.trim() !== '') return requestWith(job, options, value.trim());
      const [stop, by] = [`no value in the header "${options.header}"`, 'no next value' as const];
      if (value !== undefined || index > 0) return { stop, by };
      const message = `the first page has no header "${options.header}" (\`header\`): its pagination ends there`;
      const warning = { level: 'warning', code: 'missing-response-param', message } as const;
      return { stop, by, warning: { ...warning, job: job.name, page: index } };
    };
    return { ...sending(options), captures: [], headers: [name], next, early: next };
  },
};
