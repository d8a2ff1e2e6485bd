/** Holds logins that several clients share: iterations of a run, or several extractions. */
import { createRefreshTokens, type RefreshTokens, type TokenStore } from '../auth/refresh-tokens.js';
import { ExtractError } from '../core/errors/errors.js';
import { hasMethods } from '../core/options/kinds.js';
import { usageError } from '../core/util/check-value.js';
import { defined } from '../core/util/defined.js';
import { createLoginShare, type LoginShare, sharedBy } from './login-share.js';
import { type CredentialHolder, createCredentialHolder } from './with-credentials.js';

/**
 * Holds the logins that extractions share. Create it with `createCredentialBroker` and pass it as the option
 * `credentials`.
 */
export interface CredentialBroker {
  /** The number of logins it holds. */
  readonly size: number;
}

export interface CredentialBrokerOptions {
  /** Where brokers of several processes share logins. Absent: the broker has its own. */
  readonly share?: LoginShare;
}

/**
 * Creates a broker for several extractions. It keeps each login for its own lifetime. Throws ERR_USAGE for a share
 * without the method `obtain`.
 */
export function createCredentialBroker({ share }: CredentialBrokerOptions = {}): CredentialBroker {
  if (share === undefined || hasMethods(share, ['obtain'])) return createLoginBroker(share);
  throw usageError('share: expected an object with the method `obtain`');
}

/**
 * Returns the internal view of a broker. Throws ERR_USAGE for an object that `createCredentialBroker` did not create.
 */
export function loginBrokerOf(given: CredentialBroker): LoginBroker {
  if (isLoginBroker(given)) return given;
  throw new ExtractError('ERR_USAGE', 'credentials: expected the result of createCredentialBroker() of rxtract');
}

const isLoginBroker = (given: unknown): given is LoginBroker =>
  typeof given === 'object' && given !== null && 'open' in given && 'refreshTokens' in given;

/** The internal view of a broker. */
export interface LoginBroker extends CredentialBroker {
  /** Returns the holder of one login. `key` is a digest of everything that its credentials depend on. */
  open(key: string): CredentialHolder;
  /** Shared, because a refresh token that one client has used is invalid for the others. */
  readonly refreshTokens: RefreshTokens;
  /** Shared with the brokers of other processes; absent: `refreshTokens` has them. */
  readonly tokens?: TokenStore;
}

/** Creates an empty broker. */
export function createLoginBroker(share: LoginShare = createLoginShare()): LoginBroker {
  const holders = new Map<string, CredentialHolder>();
  return {
    refreshTokens: createRefreshTokens(),
    ...defined({ tokens: share.tokens }),
    get size() {
      return holders.size;
    },
    open(key) {
      const holder = holders.get(key) ?? createCredentialHolder(sharedBy(share, key));
      holders.set(key, holder);
      return holder;
    },
  };
}
