/** Authentication by a key in a header or a query parameter. */

import type { OptionRows } from '../core/options/kind.js';
import { nonEmptyText, word } from '../core/options/kinds.js';
import { headerName, withHeader } from '../core/url/headers.js';
import { mergeQuery } from '../core/url/query-string.js';
import type { Component } from '../language/component.js';
import { expression } from '../language/expression-kinds.js';
import { headerLine, secretText } from './secret-text.js';
import type { AuthContext, Authenticator } from './types.js';

const fields = {
  in: { kind: word('header', 'query'), default: 'header', summary: 'where the key is sent' },
  name: { kind: nonEmptyText, required: true, summary: 'the name of that header or parameter' },
  value: { kind: expression('attr'), required: true, summary: 'the key' },
} satisfies OptionRows;

export const apiKey: Component<typeof fields, Authenticator, AuthContext> = {
  summary: 'a key in a header or a query parameter of every request',
  fields,
  rules: [
    'It replaces a header or parameter of the same name in the request.',
    'As a parameter it is added to the URL, with every method.',
    'The key is a secret.',
  ],
  example: '{ "type": "api-key", "in": "header", "name": "X-Api-Key", "value": { "attr": "#apiKey" } }',

  inspect: ({ in: part, name }, { path }) => ({
    problems:
      part === 'query' || headerName.test(name) ? [] : [{ path: path('name'), message: 'not a valid header name' }],
  }),

  /** Throws ERR_FUNCTION if the key is empty or not valid in a header. */
  create({ in: part, name, value }, context) {
    const key = secretText(value, 'value', context);
    if (part === 'query') {
      const added = new Map([[name, key]]);
      return { endpoints: [], authorize: (request) => ({ ...request, url: mergeQuery(request.url, added) }) };
    }
    const line = headerLine(key, 'value');
    return {
      endpoints: [],
      authorize: (request) => ({ ...request, headers: withHeader(request.headers, name, line) }),
    };
  },
};
