/** Authentication by a token in the `Authorization` header. RFC 6750. */
import { refine } from 'superstruct';
import type { Exact } from '../core/json/exact.js';
import { headerName, withHeader } from '../core/url/headers.js';
import type { Component } from '../language/component.js';
import { expression } from '../language/expression-fields.js';
import { nonEmptyString } from '../language/fields.js';
import { withJsonSchema } from '../language/json-schema.js';
import { headerLine, secretText } from './secret-text.js';
import type { AuthContext, Authenticator } from './types.js';

export interface BearerOptions {
  readonly token: Exact;
  readonly scheme?: string;
}

/** RFC 9110 11.1: the same characters as in the name of a header. */
const word = withJsonSchema(
  refine(nonEmptyString, 'a word such as "Bearer"', (value) => headerName.test(value)),
  () => ({ type: 'string', pattern: headerName.source }),
);

export const bearer: Component<BearerOptions, Authenticator, AuthContext> = {
  summary: 'a fixed token in the `Authorization` header',
  fields: {
    token: { type: expression('attr'), required: true, summary: 'the token' },
    scheme: {
      type: word,
      default: 'Bearer',
      summary: 'the word before the token',
    },
  },
  rules: ['It replaces a configured `Authorization` header.', 'The token is a secret.'],
  example: '{ "type": "bearer", "token": { "attr": "#token" } }',

  /** Throws ERR_FUNCTION if the token is empty or not valid in a header. */
  create({ token, scheme = 'Bearer' }, context) {
    const line = `${scheme} ${headerLine(secretText(token, 'token', context), 'token')}`;
    return {
      endpoints: [],
      authorize: (request) => ({ ...request, headers: withHeader(request.headers, 'Authorization', line) }),
    };
  },
};
