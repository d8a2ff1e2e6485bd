/** Reads the options of `rxtract run`. Apart from their table, which the help shows without it. */
import { parseBytes, parseDuration } from '../core/options/units.js';
import { usageError } from '../core/util/check-value.js';
import { defined } from '../core/util/defined.js';
import { isPrefetch, prefetchType } from '../pagination/prefetch.js';
import type { Prefetch } from '../pagination/types.js';
import type { ExtractOptions } from '../run/options.js';
import type { MinItems } from '../run/output/min-items.js';
import type { ParsedArguments } from './arguments.js';

/** Reads a number of pages, or auto. Throws ERR_USAGE. */
function pagesAhead(name: string, text: string): Prefetch {
  const value = text === 'auto' ? text : Number(/^\d+$/.test(text) ? text : Number.NaN);
  if (isPrefetch(value)) return value;
  throw usageError(`--${name} is ${prefetchType.replaceAll('"', '')}, found "${text}"`);
}

const changedPageRules = ['fail', 'again'] as const;

/** Reads the options of a run. Throws ERR_USAGE for an invalid value. */
export function readRunOptions(args: ParsedArguments): ExtractOptions {
  const select = args.list('select');
  return {
    ...readJobOptions(args),
    concurrency: optional(args, 'concurrency', wholeNumber) ?? 1,
    ...(args.has('replace-empty') ? { replaceEmpty: true } : {}),
    ...defined({
      maxPages: optional(args, 'max-pages', wholeNumber),
      maxItems: optional(args, 'max-items', wholeNumber),
      maxDuration: optional(args, 'max-duration', parseTime),
      maxBodyBytes: optional(args, 'max-body-bytes', parseSize),
      maxItemBytes: optional(args, 'max-item-bytes', parseSize),
      prefetch: optional(args, 'prefetch', pagesAhead),
      minItems: leastItems(args),
      proxy: args.last('proxy'),
      onChangedPage: changedPageRules.find((rule) => rule === args.last('on-changed-page')),
    }),
    ...(select.length === 0 ? {} : { select }),
  };
}

/** Reads `--min-items`; undefined: it is not given. Throws ERR_USAGE. */
function leastItems(args: ParsedArguments): MinItems | undefined {
  const given = args.list('min-items').map((text): readonly [string, number] => {
    const [, name = '*', digits] = /^(?:(.+)=)?(\d+)$/s.exec(text) ?? [];
    if (digits === undefined) {
      throw usageError(`--min-items is a whole number, or one such as users=100, found "${text}"`);
    }
    return [name, atMost('min-items', text, { value: Number(digits), most: mostCount, written: String(mostCount) })];
  });
  return given.length === 0 ? undefined : Object.fromEntries(given);
}

/** Reads the options that all commands with jobs have: which jobs, and what becomes of warnings. */
export function readJobOptions(args: ParsedArguments): Pick<ExtractOptions, 'jobs' | 'strict' | 'allow'> {
  const [jobs, allow] = [args.list('job'), args.list('allow')];
  return {
    strict: args.has('strict'),
    ...(jobs.length === 0 ? {} : { jobs }),
    ...(allow.length === 0 ? {} : { allow }),
  };
}

/** Reads a whole number from 1 to `most`; undefined: it is not given. Throws ERR_USAGE. */
export const countOf = (args: ParsedArguments, name: string, most: number): number | undefined =>
  optional(args, name, (_, text) => wholeNumber(name, text, most));

function optional<T>(args: ParsedArguments, name: string, parse: (name: string, text: string) => T): T | undefined {
  const text = args.last(name);
  return text === undefined ? undefined : parse(name, text);
}

function parseSize(name: string, text: string): number {
  const bytes = parseBytes(text) ?? 0;
  if (bytes === 0) throw usageError(`--${name} is a number of bytes, or one such as 500MB or 64MiB, found "${text}"`);
  return atMost(name, text, { value: bytes, most: Number.MAX_SAFE_INTEGER, written: String(Number.MAX_SAFE_INTEGER) });
}

function parseTime(name: string, text: string): number {
  const ms = parseDuration(text, 's') ?? 0;
  if (ms === 0) throw usageError(`--${name} is a time such as 90s, 10m or 1h30m, found "${text}"`);
  return atMost(name, text, { value: ms, most: mostDays * 86_400_000, written: `${mostDays}d` });
}

/** A hundred years. */
const mostDays = 36_500;

function wholeNumber(name: string, text: string, most = mostCount): number {
  const value = /^\d+$/.test(text) ? Number(text) : 0;
  if (value === 0) throw usageError(`--${name} is a whole number from 1 up, found "${text}"`);
  return atMost(name, text, { value, most, written: String(most) });
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
