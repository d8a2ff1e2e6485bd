/**
 * OAuth 2.0 with a token in the document: headers and parameters are computed from it.
 * docs/reference/authentication.md#oauth20.
 */
import { asyncScheduler } from 'rxjs';
import { type Exact, ExactNumber, type ExactObject, emptyObject } from '../core/json/exact.js';
import type { OptionRows, OptionsOf } from '../core/options/kind.js';
import { word } from '../core/options/kinds.js';
import { addTexts } from '../core/secrets/known-secrets.js';
import type { Component } from '../language/component.js';
import { leafReference } from '../language/expression/reference.js';
import { expressions } from '../language/expression-kinds.js';
import { findOAuthCredentials, jsonToken, oauthCredentials, type TokenReader, textToken } from './oauth-credentials.js';
import { addToRequest } from './per-request.js';
import { requestRoot } from './request-reference.js';
import type { AuthContext, Authenticator } from './types.js';

const fields = {
  format: { kind: word('text', 'json'), default: 'text', summary: 'the format of the token in `#data`' },
  headers: {
    kind: expressions('authorization', 'query', 'request'),
    summary: 'headers of every request; they replace headers of the same name',
    default: emptyObject,
    emptyIsAbsent: true,
  },
  query: {
    kind: expressions('authorization', 'query', 'request'),
    summary: 'query parameters of every request; they replace parameters of the same name',
    default: emptyObject,
    emptyIsAbsent: true,
  },
} satisfies OptionRows;

type OAuth20Options = OptionsOf<typeof fields>;

export const oauth20: Component<typeof fields, Authenticator, AuthContext> = {
  summary: 'headers and parameters computed from the OAuth 2.0 token in the document',
  fields,
  rules: [
    'The credentials are in `authorization.oauth_api.credentials` of the document: `appKey`, `#appSecret`, and `#data`, the token.',
    'Everything is computed again for each attempt and each redirect. Within one request, nonce and timestamp stay the same.',
    '`request` and `query` refer to the request before anything is added.',
    'Without `headers` and `query`, requests are sent unchanged.',
  ],
  example: `{
  "type": "oauth20",
  "headers": {
    "Authorization": { "function": "concat", "args": ["Bearer ", { "authorization": "data" }] }
  }
}`,

  inspect({ format }, { authorization }) {
    const { credentials, problems } = findOAuthCredentials<Exact>(authorization, readerOf(format));
    const known = credentials === undefined ? [] : [['authorization', rootOf('', '', '', credentials.data)] as const];
    return { problems, roots: new Map([['request', requestRoot], ...known]) };
  },

  create({ format, headers, query }, { authorization, nonce, secrets }) {
    const { appKey, data } = oauthCredentials<Exact>(authorization, readerOf(format));
    addTexts(data, secrets);
    return {
      endpoints: [],
      authorize(request) {
        const timestamp = String(Math.floor(asyncScheduler.now() / 1000));
        const root = rootOf(appKey, nonce(), timestamp, data);
        const reference = leafReference(root, 'authorization', (key) => /^data(?:\.|$)/.test(key));
        return addToRequest(request, { headers, query }, new Map([['authorization', reference]]), secrets);
      },
    };
  },
};

const readerOf = (format: OAuth20Options['format']): TokenReader<Exact> => (format === 'json' ? jsonToken : textToken);

/** The values of `authorization` references. docs/reference/authentication.md#oauth20. */
const rootOf = (clientId: string, nonce: string, timestamp: string, data: Exact): ExactObject =>
  new Map<string, Exact>([
    ['clientId', clientId],
    ['nonce', nonce],
    ['timestamp', new ExactNumber(timestamp)],
    ['data', data],
  ]);
