/** Authentication types at work on single requests, with a nonce that counts and secrets that can be looked at. */

import { createRefreshTokens, type RefreshTokens } from '../../src/auth/refresh-tokens.js';
import type { AuthContext, Authenticator, Credentials } from '../../src/auth/types.js';
import { type ExactObject, fromPlain, isObject } from '../../src/core/json/exact.js';
import type { Notice } from '../../src/core/model/notice.js';
import type { HttpRequest } from '../../src/core/model/request.js';
import type { OptionRows } from '../../src/core/options/kind.js';
import { createSecrets } from '../../src/core/secrets/secrets.js';
import type { Component } from '../../src/language/component.js';
import { optionsOf } from '../support/options.js';

export function objectOf(value: object): ExactObject {
  const exact = fromPlain(value);
  if (!isObject(exact)) throw new TypeError('expected an object');
  return exact;
}

export interface Around {
  readonly config?: object;
  /** `authorization.oauth_api.credentials`. */
  readonly credentials?: object;
  readonly refreshTokens?: RefreshTokens;
}

/** A type from its options as written; nonces are 16 digits that count from 1. */
export function create<Rows extends OptionRows>(
  component: Component<Rows, Authenticator, AuthContext>,
  written: object,
  { config = {}, credentials = {}, refreshTokens = createRefreshTokens() }: Around = {},
) {
  const secrets = createSecrets();
  const notices: Notice[] = [];
  let nonces = 0;
  const authentication = component.create(optionsOf(component.fields, written), {
    attr: objectOf(config),
    authorization: objectOf({ oauth_api: { credentials } }),
    nonce: () => String(++nonces).padStart(16, '0'),
    refreshTokens,
    secrets,
    notify: (notice) => void notices.push(notice),
  });
  return {
    authentication,
    secrets,
    notices,
    authorize: (request: HttpRequest) => authentication.authorize(request, none),
  };
}

const none: Credentials = { headers: new Map(), query: new Map(), expiresAt: Number.POSITIVE_INFINITY };

export const get = (url: string, more: Partial<HttpRequest> = {}): HttpRequest => ({
  method: 'GET',
  url,
  headers: new Map(),
  ...more,
});

export const headersOf = ({ headers }: HttpRequest) =>
  Object.fromEntries([...headers].map(([name, [value]]) => [name, value]));
