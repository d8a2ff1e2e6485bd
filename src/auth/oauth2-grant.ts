/** The grants of `oauth2`: what a token request sends, and where a refresh token is kept that replaces another. */
import { catchError, defer, finalize, type Observable, throwError } from 'rxjs';
import { ExtractError } from '../core/errors/errors.js';
import type { Exact, ExactObject } from '../core/json/exact.js';
import { digestOf } from '../core/util/digest.js';
import type { OAuth2Options } from './oauth2-fields.js';
import { logInAgain, textAt } from './oauth2-token.js';
import type { StoredToken, TokenStore } from './refresh-tokens.js';
import type { AuthContext } from './types.js';

/** The parameters that a grant sends, and how it reads a response. */
export interface Grant {
  /** The parameters of the first request, even if they were replaced since. */
  readonly first: ExactObject;
  params(): ExactObject;
  take(reply: ExactObject): void;
  /** Runs an exchange while no other one uses the token; absent: they may run side by side. */
  readonly alone?: <T>(exchange: Observable<T>) => Observable<T>;
}

/** What the texts of the options are. `refreshToken` is absent if the store has the first one. */
export interface GrantTexts {
  readonly clientId: string;
  readonly refreshToken?: string;
}

/** Creates the grant. A store is used if the options name one that the context opens, or if the context shares one. */
export function createGrant(options: OAuth2Options, texts: GrantTexts, context: AuthContext): Grant {
  const { grant, tokenStore } = options;
  const type: readonly [string, Exact] = ['grant_type', grant];
  if (grant === 'client_credentials') {
    const params: ExactObject = new Map([type]);
    return { first: params, params: () => params, take: () => undefined };
  }
  const withToken = (token: string): ExactObject => new Map([type, ['refresh_token', token]]);
  const store = tokenStore === undefined ? context.sharedTokens : context.tokenStore?.(tokenStore);
  if (store !== undefined) return inStore(store, { options, texts, withToken, context });
  return inRun(texts.refreshToken ?? standIn, withToken, context);
}

/** In a replay, which sends nothing, a token that only the store has. */
const standIn = 'the-token-of-the-store';

/** The key of a token in a store: a digest of the client, and of the token that all later ones come from. */
export const keyOfToken = (endpoint: string, { clientId, refreshToken = '' }: GrantTexts): string =>
  digestOf(JSON.stringify([endpoint, clientId, refreshToken]));

type WithToken = (token: string) => ExactObject;

function inRun(configured: string, withToken: WithToken, { refreshTokens, notify, secrets }: AuthContext): Grant {
  return {
    first: withToken(configured),
    params() {
      const latest = refreshTokens.latest(configured);
      secrets.add(latest, 'passing'); // another extraction may have received it
      return withToken(latest);
    },
    take(reply) {
      const next = textAt(reply, 'refresh_token');
      const last = refreshTokens.latest(configured);
      if (next === undefined || next === last) return;
      refreshTokens.replace(configured, next, secrets.scope());
      if (last === configured) notify(replaced);
    },
  };
}

const replaced = {
  level: 'info',
  code: 'refresh-token-replaced',
  message:
    'the server replaced the refresh token. This run uses the new one, which is not stored; the next run may need a new one at `api.authentication.refreshToken`, or set `api.authentication.tokenStore`',
} as const;

interface StoreParts {
  readonly options: OAuth2Options;
  readonly texts: GrantTexts;
  readonly withToken: WithToken;
  readonly context: AuthContext;
}

/** Each exchange reads the token from the store, and writes the new one there before anything uses the response. */
function inStore(store: TokenStore, { options, texts, withToken, context }: StoreParts): Grant {
  const { tokenEndpoint } = options;
  const key = keyOfToken(tokenEndpoint, texts);
  let stored: StoredToken | undefined;
  const latest = () => stored?.latest ?? texts.refreshToken;
  return {
    first: withToken(texts.refreshToken ?? standIn),
    params() {
      const token = latest();
      if (token === undefined)
        throw new ExtractError('ERR_LOGIN', noToken(store.name), { final: true, remedy: logInAgain });
      context.secrets.add(token, 'passing');
      return withToken(token);
    },
    take(reply) {
      const next = textAt(reply, 'refresh_token');
      if (next !== undefined && next !== latest()) stored?.replace(next);
    },
    alone: (exchange) =>
      store.exchange(key, (token) =>
        defer(() => {
          stored = token;
          return exchange;
        }).pipe(
          catchError((thrown) => throwError(() => (token.isInDoubt ? explained(thrown, store.name) : thrown))),
          finalize(() => {
            stored = undefined;
          }),
        ),
      ),
  };
}

const noToken = (path: string) =>
  `"${path}" has no refresh token for this client, and \`api.authentication.refreshToken\` is not set; run \`rxtract login\` with this configuration`;

/** A rejection after a crash in the one moment that no client can protect. docs/02-login.md#a-refresh-token. */
function explained(thrown: unknown, path: string): unknown {
  if (!(thrown instanceof ExtractError && thrown.code === 'ERR_LOGIN')) return thrown;
  const why = `an earlier process ended between its token request and the response, so a new token may not have reached "${path}"; log in again with \`rxtract login\``;
  return new ExtractError(thrown.code, `${thrown.message}; ${why}`, { remedy: logInAgain, ...thrown.where });
}
