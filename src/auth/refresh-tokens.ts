/**
 * The refresh tokens of a run. A server may return a new one with each response, and treats a repeated use of the
 * previous one as theft.
 */
import type { Observable } from 'rxjs';
import type { SecretScope } from '../core/model/secrets.js';

export interface RefreshTokens {
  /** The token to send for a configured one: that token, or its latest replacement. */
  latest(configured: string): string;
  /**
   * Replaces a token. Its scope stays open while it is the latest, because logins without a new token send it again.
   */
  replace(configured: string, by: string, scope: SecretScope): void;
}

/** A refresh token in a store, during one exchange. */
export interface StoredToken {
  /** Absent: the store has none for the key. */
  readonly latest?: string;
  /** The process that sent it before may have been killed before it stored the new one. */
  readonly isInDoubt: boolean;
  /**
   * Stores a new token. It is on the disk when this returns, or at the server before the exchange ends, which fails
   * otherwise. Throws ERR_TOKEN_STORE.
   */
  replace(by: string): void;
}

/** Where refresh tokens outlive their run. */
export interface TokenStore {
  /** Its path, or its address without secrets. */
  readonly name: string;
  /**
   * Runs one exchange of the token with this key. Others wait, those of other processes too. An exchange that has begun
   * is not cancelled. Fails with ERR_TOKEN_STORE, before the exchange, if the store cannot be read or written.
   */
  exchange<T>(key: string, work: (token: StoredToken) => Observable<T>): Observable<T>;
}

/** One store for all iterations: a token used by the first is not valid for the second. Nothing outlives the run. */
export function createRefreshTokens(): RefreshTokens {
  const latest = new Map<string, string>();
  const scopes = new Map<string, SecretScope>();
  return {
    latest: (configured) => latest.get(configured) ?? configured,
    replace(configured, by, scope) {
      scope.add(by);
      scopes.get(configured)?.close();
      scopes.set(configured, scope);
      latest.set(configured, by);
    },
  };
}
