import type { LimitOptions } from '../core/model/job-stats.js';
import { usageError } from '../core/util/check-value.js';
import type { ExtractOptions } from '../run/options.js';
import type { ParsedArguments } from './arguments.js';
import { durationOf } from './duration.js';

/** Reads the options of a run. Throws ERR_USAGE for an invalid value. */
export function choicesOf(words: ParsedArguments): ExtractOptions {
  const jobs = words.list('job');
  const allow = words.list('allow');
  const proxy = words.last('proxy');
  return {
    strict: words.has('strict'),
    concurrency: wholeNumber('concurrency', words.last('concurrency') ?? '1'),
    ...(words.has('replace-empty') ? { replaceEmpty: true } : {}),
    ...boundsOf(words),
    ...capsOf(words),
    ...(jobs.length === 0 ? {} : { jobs }),
    ...(allow.length === 0 ? {} : { allow }),
    ...(proxy === undefined ? {} : { proxy }),
  };
}

function boundsOf(words: ParsedArguments): LimitOptions {
  const [pages, items, duration] = ['max-pages', 'max-items', 'max-duration'].map((name) => words.last(name));
  return {
    ...(pages === undefined ? {} : { maxPages: wholeNumber('max-pages', pages) }),
    ...(items === undefined ? {} : { maxItems: wholeNumber('max-items', items) }),
    ...(duration === undefined ? {} : { maxDuration: timeOf('max-duration', duration) }),
  };
}

function capsOf(words: ParsedArguments): Pick<ExtractOptions, 'maxBodyBytes' | 'maxItemBytes'> {
  const [body, item] = ['max-body-bytes', 'max-item-bytes'].map((name) => words.last(name));
  return {
    ...(body === undefined ? {} : { maxBodyBytes: sizeOf('max-body-bytes', body) }),
    ...(item === undefined ? {} : { maxItemBytes: sizeOf('max-item-bytes', item) }),
  };
}

const units: Readonly<Record<string, number>> = { '': 1, K: 2 ** 10, M: 2 ** 20, G: 2 ** 30 };

function sizeOf(name: string, text: string): number {
  const [, digits = '0', unit = ''] = /^(\d+)([KMG]?)$/i.exec(text) ?? [];
  const bytes = Number(digits) * (units[unit.toUpperCase()] ?? 1);
  if (bytes === 0) throw usageError(`--${name} is a number of bytes, or one such as 500M or 2G, found "${text}"`);
  return atMost(name, text, { value: bytes, most: mostGigabytes * 2 ** 30, written: `${mostGigabytes}G` });
}

/** The largest exact number of bytes: 8,388,607. */
const mostGigabytes = Math.floor(Number.MAX_SAFE_INTEGER / 2 ** 30);

function timeOf(name: string, text: string): number {
  const ms = durationOf(text);
  if (ms === undefined) throw usageError(`--${name} is a time such as 90s, 10m or 1h30m, found "${text}"`);
  return atMost(name, text, { value: ms, most: mostDays * 86_400_000, written: `${mostDays}d` });
}

/** A hundred years. */
const mostDays = 36_500;

function wholeNumber(name: string, text: string): number {
  const value = /^\d+$/.test(text) ? Number(text) : 0;
  if (value === 0) throw usageError(`--${name} is a whole number from 1 up, found "${text}"`);
  return atMost(name, text, { value, most: mostCount, written: String(mostCount) });
}

const mostCount = 999_999_999;

interface Bound {
  readonly value: number;
  readonly most: number;
  /** The bound as an argument. */
  readonly written: string;
}

/** Returns the value. Throws ERR_USAGE with the bound if it is larger. */
export function atMost(name: string, text: string, { value, most, written }: Bound): number {
  if (value <= most) return value;
  const found = text.length > 40 ? '' : `, found "${text}"`;
  throw usageError(`--${name} is at most ${written}${found}`);
}
