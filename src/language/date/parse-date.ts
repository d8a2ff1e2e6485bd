/**
 * Reads a date-time in free form: PHP's forms exactly as PHP does, what else people write by chrono-node.
 * docs/03-login.md#expiry.
 */
import type { DateDraft } from './draft.js';
import { draftOf } from './grammar.js';
import { naturalDate } from './natural-date.js';
import { settle } from './settle.js';

/**
 * Turns a date-time text into epoch ms; `undefined` where any part of it was not understood. Without a zone it is UTC,
 * without a time 00:00. Relative forms (`now`, `tomorrow 10:00`, `+1 hour`, `in two weeks`) count from `now`, epoch ms.
 */
export function parseDate(text: string, now: number): number | undefined {
  if (text.length > longest) return undefined;
  const whole = text.trim().replace(halfWithDots, '$1m');
  const draft = draftOf(whole) ?? draftOf(mended(whole));
  const at = draft === undefined ? naturalDate(withPlainZone(whole), now) : momentOf(draft, now);
  return at === undefined ? undefined : Math.floor(at);
}

/** No date-time is longer; what is longer need not be searched. */
const longest = 200;

/** `a.m.`, which PHP takes for the zone A behind `May 1 8`. */
const halfWithDots = /(?<=\d ?)\b([ap])\.m\.?(?= |$)/gi;

/** A zone or a mark alone names no moment. */
const momentOf = (draft: DateDraft, now: number): number | undefined =>
  draft.isNamed ? settle(draft, now) : undefined;

/** Without what others write around PHP's forms: `in` before what is added, a comma before the fraction of a second. */
const mended = (text: string): string =>
  withPlainZone(text)
    .replace(/\bin (?=\d+ ?[a-z])/gi, '')
    .replace(/(?<=:\d\d:\d\d),(?=\d)/, '.');

/** Without the name of a zone behind its offset, as in `+02:00[Europe/Prague]`. */
const withPlainZone = (text: string): string =>
  text.replace(/(?<=[+-]\d\d:?\d\d) ?\([^()]*\)$/, '').replace(/(?<=Z|[+-]\d\d:?\d\d)\[[\w/+-]+\]$/i, '');
