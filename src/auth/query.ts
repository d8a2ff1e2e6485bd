/**
 * Authentication by query parameters that are computed for each request.
 * docs/03-login.md#query-parameters-for-each-request.
 */
import { refine } from 'superstruct';
import { type ExactObject, emptyObject } from '../core/json/exact.js';
import type { Component } from '../language/component.js';
import { attrReference } from '../language/expression/reference.js';
import { expressions } from '../language/expression-fields.js';
import { withJsonSchema } from '../language/json-schema.js';
import { addToRequest } from './per-request.js';
import { requestRoot } from './request-reference.js';
import type { AuthContext, Authenticator } from './types.js';

export interface QueryOptions {
  readonly query: ExactObject;
}

const parameters = expressions('attr', 'query', 'request');

const atLeastOne = withJsonSchema(
  refine(parameters, 'an object with at least one parameter', ({ size }) => size > 0),
  (write) => ({ type: 'object', minProperties: 1, allOf: [write.of(parameters)] }),
);

export const query: Component<QueryOptions, Authenticator, AuthContext> = {
  summary: 'query parameters, computed for every request',
  fields: {
    query: {
      type: atLeastOne,
      required: true,
      summary: 'the parameters to add to the URL, with every method',
    },
  },
  rules: [
    'A parameter replaces one of the same name in its place; the others are appended.',
    '`request` and `query` refer to the request before these parameters are added.',
    'They are computed again for each attempt and each redirect.',
  ],
  example: `{
  "type": "query",
  "query": {
    "apiToken": { "attr": "#token" },
    "signature": {
      "function": "sha1",
      "args": [{ "function": "concat", "args": [{ "attr": "#token" }, { "query": "page" }] }]
    }
  }
}`,

  inspect: () => ({ problems: [], roots: new Map([['request', requestRoot]]) }),

  create({ query }, { attr, secrets }) {
    const others = new Map([['attr', attrReference(attr)] as const]);
    const additions = { headers: emptyObject, query };
    return { endpoints: [], authorize: (request) => addToRequest(request, additions, others, secrets) };
  },
};

/** The deprecated name. */
export const urlQuery: typeof query = {
  ...query,
  summary: 'the old name of the type `query`',
  successor: 'query',
  example: `{
  "type": "url.query",
  "query": { "apiToken": { "attr": "#token" } }
}`,
};
