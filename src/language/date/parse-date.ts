/**
 * Reads a date-time in free form: PHP's forms as PHP reads them, other forms with chrono-node. docs/02-login.md#expiry.
 */
import type { DateDraft } from './date-draft.js';
import { naturalDate } from './natural-date.js';
import { settle } from './settle.js';
import { parseDraft } from './strtotime-grammar.js';

/**
 * Converts a text to epoch ms; returns `undefined` if any part was not understood. Without a zone it is UTC, without a
 * time 00:00. Relative forms (`now`, `tomorrow 10:00`, `+1 hour`, `in two weeks`) count from `now`, epoch ms.
 */
export function parseDate(text: string, now: number): number | undefined {
  if (text.length > longest) return undefined;
  const normalized = text.trim().replace(halfWithDots, '$1m');
  const draft = parseDraft(normalized) ?? parseDraft(normalize(normalized));
  const at = draft === undefined ? naturalDate(withPlainZone(normalized), now) : momentOf(draft, now);
  return at === undefined ? undefined : Math.floor(at);
}

/** Longer texts are no dates. */
const longest = 200;

/** `a.m.`: PHP reads it as zone A in `May 1 8 a.m.`. */
const halfWithDots = /(?<=\d ?)\b([ap])\.m\.?(?= |$)/gi;

/** A zone or a mark alone is no moment. */
const momentOf = (draft: DateDraft, now: number): number | undefined =>
  draft.isNamed ? settle(draft, now) : undefined;

/** Removes what other formats add to PHP's forms: `in` before an offset, a comma before the fraction of a second. */
const normalize = (text: string): string =>
  withPlainZone(text)
    .replace(/\bin (?=\d+ ?[a-z])/gi, '')
    .replace(/(?<=:\d\d:\d\d),(?=\d)/, '.');

/** Removes the name of a zone after its offset, as in `+02:00[Europe/Prague]`. */
const withPlainZone = (text: string): string =>
  text.replace(/(?<=[+-]\d\d:?\d\d) ?\([^()]*\)$/, '').replace(/(?<=Z|[+-]\d\d:?\d\d)\[[\w/+-]+\]$/i, '');
