/**
 * The refresh tokens of a run. A server may return a new one with each response, and treats a repeated use of the
 * previous one as theft.
 */
import type { SecretScope } from '../core/model/secrets.js';

export interface RefreshTokens {
  /** The token to send for a configured one: that token, or its latest replacement. */
  latest(configured: string): string;
  /**
   * Replaces a token. Its scope stays open while it is the latest, because logins without a new token send it again.
   */
  replace(configured: string, by: string, scope: SecretScope): void;
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
