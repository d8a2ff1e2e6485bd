/**
 * The refresh tokens of a run: a server may hand out another with each answer, and takes the one before it for stolen
 * when it comes again.
 */
import type { SecretScope } from '../core/model/secrets.js';

export interface RefreshTokens {
  /** What to send in the place of a configured token: that one, or the last that came for it. */
  latest(configured: string): string;
  /** The scope holds the token as long as it is the latest: logins that come without another one send it again. */
  replace(configured: string, by: string, scope: SecretScope): void;
}

/**
 * One for all iterations: a token that the first one has used up is no good to the second. Nothing is kept beyond the
 * run.
 */
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
