/** Authentication by a token in the `Authorization` header. RFC 6750. */

import { type OptionRows, refine } from '../core/options/kind.js';
import { nonEmptyText } from '../core/options/kinds.js';
import { headerName, withHeader } from '../core/url/headers.js';
import type { Component } from '../language/component.js';
import { expression } from '../language/expression-kinds.js';
import { headerLine, secretText } from './secret-text.js';
import type { AuthContext, Authenticator } from './types.js';

/** RFC 9110 11.1: the same characters as in the name of a header. */
const word = refine(nonEmptyText, 'a word such as "Bearer"', (value) => headerName.test(value), {
  type: 'string',
  pattern: headerName.source,
});

const fields = {
  token: { kind: expression('attr'), required: true, summary: 'the token' },
  scheme: {
    kind: word,
    default: 'Bearer',
    summary: 'the word before the token',
  },
} satisfies OptionRows;

export const bearer: Component<typeof fields, Authenticator, AuthContext> = {
  summary: 'a fixed token in the `Authorization` header',
  fields,
  rules: ['It replaces a configured `Authorization` header.', 'The token is a secret.'],
  example: '{ "type": "bearer", "token": { "attr": "#token" } }',

  /** Throws ERR_FUNCTION if the token is empty or not valid in a header. */
  create({ token, scheme }, context) {
    const line = `${scheme} ${headerLine(secretText(token, 'token', context), 'token')}`;
    return {
      endpoints: [],
      authorize: (request) => ({ ...request, headers: withHeader(request.headers, 'Authorization', line) }),
    };
  },
};
