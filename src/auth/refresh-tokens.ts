/** The refresh tokens of a run: a server may hand out another with each answer, and takes the one before it for stolen when it comes again. */

export interface RefreshTokens {
  /** What to send in the place of a configured token: that one, or the last that came for it. */
  latest(configured: string): string;
  replace(configured: string, by: string): void;
}

/** One for all iterations: a token that the first one has used up is no good to the second. Nothing is kept beyond the run. */
export function createRefreshTokens(): RefreshTokens {
  const latest = new Map<string, string>();
  return {
    latest: (configured) => latest.get(configured) ?? configured,
    replace: (configured, by) => void latest.set(configured, by),
  };
}
