/** The result of a test case: plain data, masked, as it comes from a thread. */

export interface CaseResult {
  readonly name: string;
  readonly outcome: 'passed' | 'failed' | 'skipped';
  /** How long it took, in ms. */
  readonly ms: number;
  /** Requests, redirects and logins included. */
  readonly requests: number;
  readonly items: number;
  /** Why it failed; none if it passed. */
  readonly problems: readonly CaseProblem[];
  readonly warnings: readonly string[];
  /** What `--update` has changed. */
  readonly updates: readonly string[];
  /** Why it was left out. */
  readonly reason?: string;
}

/** One thing that differs. Of the lines, those with `- ` are expected and those with `+ ` were found. */
export interface CaseProblem {
  readonly title: string;
  readonly lines: readonly string[];
  /** Nothing is wrong but that there is nothing to compare with: `--update` writes it. */
  readonly isMissing?: true;
}

/** A result without a run. */
export const withoutRun = (
  name: string,
  outcome: CaseResult['outcome'],
  more: Partial<Pick<CaseResult, 'problems' | 'reason' | 'ms'>>,
): CaseResult => ({ name, outcome, ms: 0, requests: 0, items: 0, problems: [], warnings: [], updates: [], ...more });
