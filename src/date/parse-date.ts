/** Reads a date-time in free form: what PHP's `strtotime` reads, and what others write besides. Seed 5.4, decision 6. */
import { settle } from './settle.js';
import { draftOf } from './strtotime.js';

/**
 * Turns a date-time text into epoch ms; `undefined` where any part of it was not understood, and for a zone alone.
 * Without a zone it is UTC, without a time 00:00. Relative forms (`now`, `tomorrow 10:00`, `+1 hour`, `first day of next month`)
 * count from `now`, epoch ms.
 */
export function parseDate(text: string, now: number): number | undefined {
  const plain = withoutExtras(text.trim());
  const draft = draftOf(plain);
  if (draft === undefined) return undefined;
  const isZoneAlone = draft.zone !== undefined && !draft.hasDate && !draft.hasTime && !/\s/.test(plain);
  return isZoneAlone ? undefined : settle(draft, now);
}

/** JavaScript and Java name the zone behind its offset, ISO 8601 knows a comma before fractions, and people say `in 2 hours`. */
function withoutExtras(text: string): string {
  return text
    .replace(/(?<=[+-]\d\d:?\d\d) ?\([^()]*\)$/, '')
    .replace(/(?<=Z|[+-]\d\d:?\d\d)\[[\w/+-]+\]$/, '')
    .replace(/(?<=:\d\d),(?=\d)/, '.')
    .replace(/^in\s+(?=\d)/i, '');
}
