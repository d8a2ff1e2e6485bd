/** Where logins are held that several clients use: iterations of a run, or several extractions. */
import { createRefreshTokens, type RefreshTokens } from '../auth/refresh-tokens.js';
import { ExtractError } from '../core/errors/errors.js';
import { type CredentialHolder, createCredentialHolder } from './with-credentials.js';

/** Holds the logins that extractions share: made by `createCredentialBroker`, handed in as the option `credentials`. */
export interface CredentialBroker {
  /** How many logins it holds. */
  readonly size: number;
}

/** Makes a broker for several extractions. It holds each login as long as it lives itself. */
export const createCredentialBroker = (): CredentialBroker => createLoginBroker();

/** The broker as clients see it. Throws ERR_USAGE for what `createCredentialBroker` did not make. */
export function loginBrokerOf(given: CredentialBroker): LoginBroker {
  if (isLoginBroker(given)) return given;
  throw new ExtractError('ERR_USAGE', 'credentials: expected the result of createCredentialBroker() of rxtract');
}

const isLoginBroker = (given: unknown): given is LoginBroker =>
  typeof given === 'object' && given !== null && 'open' in given && 'refreshTokens' in given;

/** A broker as clients see it. */
export interface LoginBroker extends CredentialBroker {
  /** The holder of one login. `key`: a digest of all that its credentials depend on. */
  open(key: string): CredentialHolder;
  /** A token that one client has used up is no good to another. */
  readonly refreshTokens: RefreshTokens;
}

/** Makes an empty broker. */
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
