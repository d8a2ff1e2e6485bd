/** Filters the notices of a run: masks, removes repetitions, and turns warnings into errors under `strict`. */

import type { Notice, Notify } from '../model/notice.js';
import type { Secrets } from '../model/secrets.js';
import { defined } from '../util/defined.js';
import { ExtractError } from './errors.js';
import { allowing } from './warnings.js';

export interface NoticesOptions {
  readonly notify: Notify;
  readonly secrets: Secrets;
  readonly strict: boolean;
  /** Codes of warnings that the user allows. */
  readonly allow?: readonly string[];
}

/**
 * Passes a warning of one code and subject on once a job; an allowed warning becomes a debug notice. With `strict` a
 * warning throws ERR_STRICT.
 */
export function createNotices({ notify, secrets, strict, allow = [] }: NoticesOptions): Notify {
  const allowed = allowing(allow);
  const reported = new Set<string>();
  return ({ subject, ...notice }) => {
    const masked = { ...allowed(notice), message: secrets.mask(notice.message) };
    if (masked.level !== 'warning') {
      notify(masked);
      return;
    }
    if (strict) throw strictError([masked]);
    const key = JSON.stringify([notice.code, notice.sink, notice.job, subject ?? notice.message]);
    if (reported.has(key)) return;
    reported.add(key);
    notify(masked);
  };
}

/** The error of warnings under `strict`. */
export function strictError(warnings: readonly Notice[]): ExtractError {
  const [first, ...others] = warnings;
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  const { sink, job, page } = first ?? {};
  return new ExtractError('ERR_STRICT', `${first?.message ?? 'a warning'}${more}`, {
    ...defined({ sink, job, page }),
    problems: warnings.map(({ code, message }) => ({ path: code, message })),
  });
}
