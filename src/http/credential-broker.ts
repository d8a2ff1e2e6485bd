/** Where logins are held that several clients use: iterations of a run, or several extractions. */
import { createRefreshTokens, type RefreshTokens } from '../auth/refresh-tokens.js';
import { type CredentialHolder, createCredentialHolder } from './with-credentials.js';

/** Holds the logins that extractions share: made by `createCredentialBroker`, handed in as the option `credentials`. */
export interface CredentialBroker {
  /** How many logins it holds. */
  readonly size: number;
}

/** A broker as clients see it. */
export interface LoginBroker extends CredentialBroker {
  /** The holder of one login. `key`: a digest of all that its credentials depend on. */
  open(key: string): CredentialHolder;
  /** A token that one client has used up is no good to another. */
  readonly refreshTokens: RefreshTokens;
}

/** Makes an empty broker. It holds each login as long as it lives itself. */
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
