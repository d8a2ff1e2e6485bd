/** Holds logins that several clients share: iterations of a run, or several extractions. */
import { createRefreshTokens, type RefreshTokens } from '../auth/refresh-tokens.js';
import { ExtractError } from '../core/errors/errors.js';
import { type CredentialHolder, createCredentialHolder } from './with-credentials.js';

/**
 * Holds the logins that extractions share. Create it with `createCredentialBroker` and pass it as the option
 * `credentials`.
 */
export interface CredentialBroker {
  /** The number of logins it holds. */
  readonly size: number;
}

/** Creates a broker for several extractions. It keeps each login for its own lifetime. */
export const createCredentialBroker = (): CredentialBroker => createLoginBroker();

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
}

/** Creates an empty broker. */
export function createLoginBroker(): LoginBroker {
  const holders = new Map<string, CredentialHolder>();
  return {
    refreshTokens: createRefreshTokens(),
    get size() {
      return holders.size;
    },
    open(key) {
      const holder = holders.get(key) ?? createCredentialHolder();
      holders.set(key, holder);
      return holder;
    },
  };
}
