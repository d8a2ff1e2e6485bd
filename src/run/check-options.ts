/** Checks options at run time, for callers without type checks. */
import { ExtractError } from '../core/errors/errors.js';
import { isMethod, usageError } from '../core/util/check-value.js';
import { didYouMean } from '../core/util/suggest.js';
import { isPrefetch, prefetchType } from '../pagination/prefetch.js';
import type { ExtractOptions } from './options.js';

/** Throws ERR_USAGE for a configuration that is a string or bytes. */
export function checkConfiguration(configuration: unknown): void {
  if (typeof configuration !== 'string' && !(configuration instanceof Uint8Array)) return;
  throw usageError('the configuration is a string, not an object: parse it with parseDocument(text, name) of rxtract');
}

/** Throws ERR_USAGE for an unknown option, with the nearest name. */
export function checkOptionNames(options: object, names: readonly string[]): void {
  const unknown = Object.keys(options).find((name) => !names.includes(name));
  if (unknown !== undefined) throw usageError(`unknown option "${unknown}"${didYouMean(unknown, names)}`);
}

/** Throws ERR_USAGE for a value that is not a path. */
export function checkFolder(name: string, folder: unknown): void {
  if (folder === undefined || (typeof folder === 'string' && folder !== '')) return;
  throw usageError(`${name}: expected the path of a folder`);
}

/** Throws ERR_USAGE for a value that is no sink, function or address, and no list of these. */
export function checkTarget(to: unknown): void {
  if (to === undefined) return;
  const targets: readonly unknown[] = Array.isArray(to) ? to : [to];
  targets.forEach((each, index) => {
    const name = Array.isArray(to) ? `to[${index}]` : 'to';
    if (typeof each !== 'string') checkSinkGiven(each, name, ', or an address such as "ndjson:out"');
  });
}

/** Throws ERR_USAGE for a value that is neither a sink nor a function. */
function checkSinkGiven(to: unknown, name: string, more = ''): void {
  if (typeof to === 'function') return;
  const isSink = typeof to === 'object' && to !== null && isMethod(to, 'write') && isMethod(to, 'close');
  if (isSink) return;
  const hint = typeof to === 'string' ? `: sinkFromUri(...) makes one of an address such as "ndjson:out"` : '';
  throw usageError(`${name}: expected a sink, such as ndjson("out") of rxtract/sinks, or a function${more}${hint}`);
}

/** Throws ERR_USAGE for a value other than `fail` and `again`. */
export function checkChangedPage(rule: unknown): void {
  if (rule === undefined || rule === 'fail' || rule === 'again') return;
  throw usageError('onChangedPage: expected "fail" or "again"');
}

/** Throws ERR_USAGE for a value other than `fail`, `skip` and a sink of dead letters. */
export function checkItemErrors(rule: unknown): void {
  if (rule === undefined || rule === 'fail' || rule === 'skip') return;
  const to = typeof rule === 'object' && rule !== null && 'deadLetter' in rule ? rule.deadLetter : undefined;
  if (to === undefined) throw usageError('onItemError: expected "fail", "skip" or { deadLetter: sink }');
  checkSinkGiven(to, 'onItemError.deadLetter');
}

/** Throws ERR_USAGE for a rate limiter that lacks one of its methods. */
export function checkRateLimiter(given: unknown): void {
  if (given === undefined) return;
  const isLimiter = typeof given === 'object' && given !== null && isMethod(given, 'pass') && isMethod(given, 'around');
  if (!isLimiter) throw usageError('rateLimiter: expected the result of createRateLimiter({ rates }) of rxtract');
}

/** Throws ERR_USAGE for a number of pages that cannot be requested ahead. */
export function checkPrefetch(prefetch: unknown): void {
  if (prefetch !== undefined && !isPrefetch(prefetch)) throw usageError(`prefetch: expected ${prefetchType}`);
}

/** Throws ERR_USAGE for a value that is neither a text nor a list of texts. */
export function checkSelect(given: unknown): void {
  if (given === undefined || typeof given === 'string') return;
  if (Array.isArray(given) && given.every((each) => typeof each === 'string')) return;
  throw usageError('select: expected a text such as "users: id, name", or a list of such texts');
}

/** The most that the scanner can address. */
const mostItemBytes = 512 * 1024 * 1024;

const counts = ['maxBodyBytes', 'maxPages', 'maxItems', 'maxDuration'] as const;

/** Throws ERR_USAGE for sizes and limits that are not whole numbers from 1. */
export function checkSizes(options: Pick<ExtractOptions, 'maxItemBytes' | (typeof counts)[number]>): void {
  if (options.maxItemBytes !== undefined) checkCount('maxItemBytes', options.maxItemBytes, mostItemBytes);
  for (const name of counts) if (options[name] !== undefined) checkCount(name, options[name]);
}

/** Throws ERR_USAGE for a value that is not a whole number from 1 to `most`. */
export function checkCount(name: string, value: number, most = Number.MAX_SAFE_INTEGER): void {
  if (Number.isSafeInteger(value) && value >= 1 && value <= most) return;
  const upTo = most === Number.MAX_SAFE_INTEGER && !(value > most) ? 'up' : `to ${most}`;
  throw new ExtractError('ERR_USAGE', `${name}: expected a whole number from 1 ${upTo}`);
}
