/** The form in which a date is written, for other moments in that form. docs/13-second-run.md#windows. */
import { type Exact, ExactNumber } from '../../core/json/exact.js';
import { numberOf } from '../../core/options/kinds.js';
import { formatDate } from './format-date.js';
import { dateIn, floorOf, second } from './formed-date.js';
import { parseDate } from './parse-date.js';

/** How moments are read and written. All times are epoch ms. */
export interface MomentForm {
  /** The shortest time that the form can tell apart, in ms. */
  readonly resolution: number;
  write(at: number): Exact;
}

/** A moment, and the form in which it was written. */
export interface WrittenDate {
  readonly at: number;
  readonly form: MomentForm;
}

const dayMs = 86_400_000;

/** Numbers below it are Unix seconds, others ms: as seconds it is in the year 5138, as ms in 1973. */
const leastMs = 100_000_000_000;

/**
 * Reads an ISO 8601 date or a number of Unix seconds or ms, with its form; returns `undefined` for other texts.
 * `isNumber`: the form writes numbers, not their digits as text.
 */
export function readWrittenDate(text: string, isNumber: boolean): WrittenDate | undefined {
  const unix = numberOf(text);
  if (typeof unix === 'number') {
    const form = unixForm(Math.abs(unix) < leastMs ? 1000 : 1, isNumber);
    return { at: unix * form.resolution, form };
  }
  const date = dateIn(text);
  if (date === undefined) return undefined;
  const form = {
    resolution: Math.max(1, msOf(date.step)),
    write: (at: number) => date.write(BigInt(Math.floor(at)) * msRank),
  };
  return { at: msOf(date.rank), form };
}

/** The rank of a millisecond. */
const msRank = second / 1000n;

const msOf = (rank: bigint): number => Number(floorOf(rank, msRank));

/** Reads a moment for another form: a date as above, or any that `strtotime` reads, relative to `now`. */
export const readAnyDate = (text: string, now: number): number | undefined =>
  readWrittenDate(text, false)?.at ?? parseDate(text, now);

/** The form of a name: `seconds` and `milliseconds` of Unix time, or letters of the function `date`. In UTC. */
export function formNamed(format: string): MomentForm {
  if (format === 'seconds' || format === 'U') return unixForm(1000, true);
  if (format === 'milliseconds') return unixForm(1, true);
  return { resolution: resolutionOf(format), write: (at) => formatDate(format, Math.floor(at / 1000)) };
}

function unixForm(resolution: number, isNumber: boolean): MomentForm {
  const digits = (at: number) => String(Math.floor(at / resolution));
  return { resolution, write: (at) => (isNumber ? new ExactNumber(digits(at)) : digits(at)) };
}

/** The finest field of a pattern of the function `date`. */
function resolutionOf(format: string): number {
  const letters = format.replace(/\\./g, '');
  if (/[scrUB]/.test(letters)) return 1000;
  if (/i/.test(letters)) return 60_000;
  return /[GHgh]/.test(letters) ? 3_600_000 : dayMs;
}
