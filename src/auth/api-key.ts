/** Authentication by a key in a header or a query parameter. */

import type { Exact } from '../core/json/exact.js';
import { headerName, withHeader } from '../core/url/headers.js';
import { mergeQuery } from '../core/url/query.js';
import type { Component } from '../language/component.js';
import { expression } from '../language/expression-fields.js';
import { nonEmptyString, oneOf } from '../language/fields.js';
import { headerLine, secretText } from './secret-text.js';
import type { AuthContext, Authenticator } from './types.js';

export interface ApiKeyOptions {
  readonly in?: 'header' | 'query';
  readonly name: string;
  readonly value: Exact;
}

export const apiKey: Component<ApiKeyOptions, Authenticator, AuthContext> = {
  summary: 'a key in a header or a query parameter of every request',
  fields: {
    in: { type: oneOf('header', 'query'), default: 'header', summary: 'where the key is sent' },
    name: { type: nonEmptyString, required: true, summary: 'the name of that header or parameter' },
    value: { type: expression('attr'), required: true, summary: 'the key' },
  },
  rules: [
    'It replaces a header or parameter of the same name in the request.',
    'As a parameter it is added to the URL, with every method.',
    'The key is a secret.',
  ],
  example: '{ "type": "api-key", "in": "header", "name": "X-Api-Key", "value": { "attr": "#apiKey" } }',

  inspect: ({ in: part = 'header', name }, { path }) => ({
    problems:
      part === 'query' || headerName.test(name) ? [] : [{ path: path('name'), message: 'not a valid header name' }],
  }),

  /** Throws ERR_FUNCTION if the key is empty or not valid in a header. */
  create({ in: part = 'header', name, value }, context) {
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
