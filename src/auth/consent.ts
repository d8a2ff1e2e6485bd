/**
 * How a user gives the first refresh token of `oauth2`: by an authorization code with PKCE (RFC 6749 4.1, 7636, 8252),
 * or by a code for a device without a browser (RFC 8628). `src/tools/login/` sends the requests.
 */
import { map, of } from 'rxjs';
import { ExtractError } from '../core/errors/errors.js';
import { type Exact, type ExactObject, stringifyExact } from '../core/json/exact.js';
import type { OAuth2Options } from './oauth2-fields.js';
import { type GrantTexts, keyOfToken } from './oauth2-grant.js';
import { type ClientAuth, pendingError, textAt, tokenReply, tokenRequest } from './oauth2-token.js';
import type { AuthContext, Consent, DeviceCode } from './types.js';

export interface ConsentParts {
  readonly options: OAuth2Options;
  readonly texts: GrantTexts;
  readonly client: ClientAuth;
  /** `scope`, and the parameters of the configuration. */
  readonly params: ExactObject;
  readonly context: AuthContext;
}

/** Creates the consent of a configuration with a token store. */
export function createConsent({ options, texts, client, params, context }: ConsentParts): Consent {
  const { tokenEndpoint, authorizationEndpoint, deviceEndpoint, tokenStore } = options;
  const { secrets } = context;
  const id = new Map([['client_id', texts.clientId]]);
  const withoutScope: ExactObject = new Map([...params].filter(([name]) => name !== 'scope'));
  return {
    authorizationEndpoint,
    deviceEndpoint,
    secrets,
    params: new Map([...id, ...[...params].map(([name, value]) => [name, textOf(value)] as const)]),
    deviceRequest: (endpoint) => tokenRequest(endpoint, { grant: id, params, client }),
    readDevice: (reply) => deviceIn(tokenReply(reply, secrets)),
    tokenRequest: (grant) => tokenRequest(tokenEndpoint, { grant, params: withoutScope, client }),
    pending: pendingError,
    keep(reply) {
      const token = textAt(tokenReply(reply, secrets), 'refresh_token');
      if (token === undefined) throw new ExtractError('ERR_LOGIN', noRefreshToken, { remedy: askForOne });
      if (tokenStore === undefined || context.tokenStore === undefined)
        throw new ExtractError('ERR_LOGIN', noStore, { remedy: 'Set it, and run `rxtract login` again.' });
      const store = context.tokenStore(tokenStore);
      return store
        .exchange(keyOfToken(tokenEndpoint, texts), (stored) => of(stored.replace(token)))
        .pipe(map(() => {}));
    },
  };
}

const textOf = (value: Exact): string => (typeof value === 'string' ? value : stringifyExact(value));

const noRefreshToken =
  'the server gave no refresh token; many give one only for the scope `offline_access`, or with parameters of the authorization endpoint such as `access_type=offline` or `prompt=consent`';

const askForOne =
  'Add the scope or the parameter to the configuration, and run `rxtract login` again. Some servers give a refresh token only with the first consent: revoke that one.';

const noStore = 'there is no place for the refresh token: set `api.authentication.tokenStore`';

/** Seconds between two polls, unless the server says otherwise. */
const usualInterval = 5;

function deviceIn(reply: ExactObject): DeviceCode {
  const [deviceCode, userCode] = [textAt(reply, 'device_code'), textAt(reply, 'user_code')];
  const address = textAt(reply, 'verification_uri_complete') ?? textAt(reply, 'verification_uri');
  if (deviceCode === undefined || userCode === undefined || address === undefined) {
    const expected = '`device_code`, `user_code` and `verification_uri`';
    throw new ExtractError('ERR_LOGIN', `the device endpoint: expected a response with ${expected}`, {
      remedy: 'Compare `api.authentication.deviceEndpoint` with the documentation of the server.',
    });
  }
  const interval = Number(stringifyExact(reply.get('interval') ?? null));
  return { deviceCode, userCode, address, interval: interval > 0 ? interval : usualInterval };
}
