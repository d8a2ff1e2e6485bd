/**
 * Authentication by query parameters that are computed for each request.
 * docs/02-login.md#query-parameters-for-each-request.
 */
import { emptyObject } from '../core/json/exact.js';
import { type OptionRows, refine } from '../core/options/kind.js';
import type { Component } from '../language/component.js';
import { attrReference } from '../language/expression/reference.js';
import { expressions } from '../language/expression-kinds.js';
import { addToRequest } from './per-request.js';
import { requestRoot } from './request-reference.js';
import type { AuthContext, Authenticator } from './types.js';

const parameters = expressions('attr', 'query', 'request');

const atLeastOne = refine(
  parameters,
  'an object with at least one parameter',
  ({ size }) => size > 0,
  (write) => ({
    type: 'object',
    minProperties: 1,
    allOf: [write.of(parameters)],
  }),
);

const fields = {
  query: {
    kind: atLeastOne,
    required: true,
    summary: 'the parameters to add to the URL, with every method',
  },
} satisfies OptionRows;

export const query: Component<typeof fields, Authenticator, AuthContext> = {
  summary: 'query parameters, computed for every request',
  fields,
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
