/** What a call from code may get wrong that types would have told: said at once, in plain words. */
import { ExtractError } from '../core/errors/errors.js';
import { isMethod, usageError } from '../core/util/check-value.js';
import { didYouMean } from '../core/util/suggest.js';
import type { ExtractOptions } from './options.js';

/** Refuses a configuration that is a text or bytes. Throws ERR_USAGE. */
export function checkConfiguration(configuration: unknown): void {
  if (typeof configuration !== 'string' && !(configuration instanceof Uint8Array)) return;
  throw usageError('the configuration is a string, not an object: parse it with parseDocument(text, name) of rxtract');
}

/** Refuses options that nobody reads, with the nearest name. Throws ERR_USAGE. */
export function checkOptionNames(options: object, names: readonly string[]): void {
  const unknown = Object.keys(options).find((name) => !names.includes(name));
  if (unknown !== undefined) throw usageError(`unknown option "${unknown}"${didYouMean(unknown, names)}`);
}

/** Refuses what is no path. Throws ERR_USAGE. */
export function checkFolder(name: string, folder: unknown): void {
  if (folder === undefined || (typeof folder === 'string' && folder !== '')) return;
  throw usageError(`${name}: expected the path of a folder`);
}

/** Refuses what is neither a sink nor a function. Throws ERR_USAGE. */
export function checkSinkGiven(to: unknown): void {
  if (to === undefined || typeof to === 'function') return;
  const isSink = typeof to === 'object' && to !== null && isMethod(to, 'write') && isMethod(to, 'close');
  if (isSink) return;
  const hint = typeof to === 'string' ? `: sinkFromUri(to) makes one of an address such as "ndjson:out"` : '';
  throw usageError(`to: expected a sink, such as ndjson("out") of rxtract/sinks, or a function${hint}`);
}

/** Refuses what is none of its two words. Throws ERR_USAGE. */
export function checkChangedPage(rule: unknown): void {
  if (rule === undefined || rule === 'fail' || rule === 'again') return;
  throw usageError('onChangedPage: expected "fail" or "again"');
}

/** Refuses a rate limiter that has not both methods. Throws ERR_USAGE. */
export function checkRateLimiter(given: unknown): void {
  if (given === undefined) return;
  const isLimiter = typeof given === 'object' && given !== null && isMethod(given, 'pass') && isMethod(given, 'around');
  if (!isLimiter) throw usageError('rateLimiter: expected the result of createRateLimiter({ rates }) of rxtract');
}

/** What the scanner can address. */
const mostItemBytes = 512 * 1024 * 1024;

const counts = ['maxBodyBytes', 'maxPages', 'maxItems', 'maxDuration'] as const;

/** Refuses sizes and bounds that are no whole number from 1 up. Throws ERR_USAGE. */
export function checkSizes(options: Pick<ExtractOptions, 'maxItemBytes' | (typeof counts)[number]>): void {
  if (options.maxItemBytes !== undefined) checkCount('maxItemBytes', options.maxItemBytes, mostItemBytes);
  for (const name of counts) if (options[name] !== undefined) checkCount(name, options[name]);
}

/** Refuses what is no whole number from 1 to `most`. Throws ERR_USAGE. */
export function checkCount(name: string, value: number, most = Number.MAX_SAFE_INTEGER): void {
  if (Number.isSafeInteger(value) && value >= 1 && value <= most) return;
  const upTo = most === Number.MAX_SAFE_INTEGER && !(value > most) ? 'up' : `to ${most}`;
  throw new ExtractError('ERR_USAGE', `${name}: expected a whole number from 1 ${upTo}`);
}
