/** PHP's `strtotime`: a moment in words. What PHP does not read, this does not read either. */
import { draftOf } from './grammar.js';
import { settle } from './settle.js';

/**
 * Unix seconds in UTC; `undefined` for what PHP does not understand either. What is relative counts from `now`, Unix
 * seconds.
 */
export function strtotime(text: string, now: number): number | undefined {
  const draft = draftOf(text);
  const at = draft && settle(draft, now * 1000);
  return at === undefined ? undefined : Math.floor(at / 1000);
}
