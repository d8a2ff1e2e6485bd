/** PHP's `strtotime`: parses a moment in words. Texts that PHP rejects are rejected here too. */
import { draftOf } from './grammar.js';
import { settle } from './settle.js';

/**
 * Returns Unix seconds in UTC, or `undefined` if PHP does not understand the text either. Relative texts count from
 * `now`, Unix seconds.
 */
export function strtotime(text: string, now: number): number | undefined {
  const draft = draftOf(text);
  const at = draft && settle(draft, now * 1000);
  return at === undefined ? undefined : Math.floor(at / 1000);
}
