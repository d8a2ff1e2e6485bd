/** HTTP Basic authentication with the credentials in `config`. docs/02-login.md#types-without-a-login. */

import { ExtractError, type Problem } from '../core/errors/errors.js';
import { type ExactObject, isNumber, isPhpEmpty } from '../core/json/exact.js';
import { withHeader } from '../core/url/headers.js';
import { suggestFor } from '../core/util/suggest.js';
import type { Component, NoRows } from '../language/component.js';
import { kindOf } from '../language/expression/convert.js';
import type { AuthContext, Authenticator } from './types.js';

const keys = ['username', 'password'] as const;

export const basic: Component<NoRows, Authenticator, AuthContext> = {
  summary: 'the user and password in `config`, sent as HTTP Basic',
  fields: {},
  rules: [
    'The user is `config.username`, or `config["#username"]` if that is empty. The password is `config.password` or `config["#password"]`.',
    'Both are required, as plain strings: expressions are not evaluated, and "0" counts as empty. Both are secrets.',
    'It replaces a configured `Authorization` header.',
  ],
  example: '{ "type": "basic" }',

  inspect: (_, { attr, configPath }) => ({ problems: problemsOf(attr, configPath) }),

  create(_, { attr, secrets }) {
    const [problem] = problemsOf(attr, (key) => `config.${key}`);
    if (problem !== undefined) throw new ExtractError('ERR_CONFIG', `${problem.path}: ${problem.message}`);
    const texts = keys.map((key) => String(attr.get(keyOf(attr, key))));
    const encoded = Buffer.from(texts.join(':')).toString('base64');
    for (const secret of [...texts, encoded]) secrets.add(secret);
    return {
      endpoints: [],
      authorize: (request) => ({
        ...request,
        headers: withHeader(request.headers, 'Authorization', `Basic ${encoded}`),
      }),
    };
  },
};

/** The plain key wins if both are set. */
const keyOf = (attr: ExactObject, key: string): string => (isPhpEmpty(attr.get(key)) ? `#${key}` : key);

function problemsOf(attr: ExactObject, pathOf: (key: string) => string): readonly Problem[] {
  return keys.flatMap((key) => {
    const chosen = keyOf(attr, key);
    const value = attr.get(chosen);
    if (isPhpEmpty(value)) {
      const hint = attr.has(key) || attr.has(chosen) ? '' : suggestFor(key, attr.keys());
      return [{ path: pathOf(key), message: `required: expected a string here or at "#${key}"${hint}` }];
    }
    if (typeof value === 'string' || isNumber(value)) return [];
    return [{ path: pathOf(chosen), message: `expected a string, found ${kindOf(value ?? null)}` }];
  });
}
