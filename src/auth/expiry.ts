/**
 * Computes when the credentials of a login expire, from `expires` of the configuration. Pure. docs/02-login.md#expiry,
 * docs/12-compatibility.md#expiry.
 */

import { ExtractError } from '../core/errors/errors.js';
import { type Exact, isArray, isNumber, isObject } from '../core/json/exact.js';
import type { Notice } from '../core/model/notice.js';
import { didYouMean } from '../core/util/suggest.js';
import { parseDate } from '../language/date/parse-date.js';
import { kindOf } from '../language/expression/convert.js';
import { flatAt, leafPaths, namesLookedAt } from '../language/expression/reference.js';

/** As configured: seconds, or a path in the response. */
export type Expires = number | { readonly response: string; readonly relative: boolean };

/**
 * `at` in epoch ms; Infinity: never. There is a notice if the credentials had expired already, or the response has no
 * expiry.
 */
export interface Expiry {
  readonly at: number;
  readonly notice?: Notice;
}

/** From here up numbers are milliseconds: as seconds they would be beyond the year 5000. */
const firstMilliseconds = 1e11;
/** An expiry from the response is moved forward by this share of the lifetime, and at most by this much. */
const marginShare = 0.1;
const mostMargin = 30_000;

/**
 * Returns the time of expiry; `now`, epoch ms, is when the response arrived. An expiry in the past is not an error but
 * comes with a notice. Throws ERR_LOGIN with the path, never the value, if the response has no date, timestamp or
 * number of seconds there.
 */
export function readExpiry(expires: Expires | undefined, reply: Exact, now: number): Expiry {
  if (expires === undefined) return { at: Number.POSITIVE_INFINITY };
  if (typeof expires === 'number') return withNotice(now + expires * 1000, now, '`expires` is negative');

  const value = flatAt(reply, expires.response);
  if (value === undefined) return { at: Number.POSITIVE_INFINITY, notice: missing(expires.response, reply) };
  if (value === null) return { at: Number.POSITIVE_INFINITY };
  const spot = { path: expires.response, key: 'expires.response: ' };
  return expiryAt(expires.relative ? relative(value, spot, now) : absolute(value, spot, now), spot, now);
}

/**
 * The same for a number of seconds at its own path, such as `expires_in` of OAuth 2.0. Absent or null: never. Throws
 * ERR_LOGIN. RFC 6749 5.1.
 */
export function readLifetime(seconds: Exact | undefined, path: string, now: number): Expiry {
  if (seconds === undefined || seconds === null) return { at: Number.POSITIVE_INFINITY };
  const spot = { path, key: '' };
  return expiryAt(relative(seconds, spot, now), spot, now);
}

/** Where the expiry is in the response; `key` is the configuration key that named it, for messages. */
interface ReplyPath {
  readonly path: string;
  readonly key: string;
}

const expiryAt = (at: number, { path }: ReplyPath, now: number): Expiry =>
  withNotice(
    at - marginOf(at - now),
    now,
    `the time at "${path}" of the login response had already passed when the response arrived`,
  );

/** The path may be misspelt: then the login is never repeated, and later the API rejects its token. */
function missing(path: string, reply: Exact): Notice {
  const hint = didYouMean(path, leafPaths(reply, namesLookedAt));
  const message = `the login response has no "${path}" (\`expires.response\`): the login is not renewed${hint}`;
  return { level: 'warning', code: 'missing-expiry', message };
}

/** Whether a login serves only one request. docs/02-login.md#expiry, docs/02-login.md#a-login-before-every-request. */
export const isEachRequest = (expires: Expires | undefined): boolean => expires === 0;

function relative(value: Exact, spot: ReplyPath, now: number): number {
  const ms = toMilliseconds(value);
  if (ms === undefined) throw notUnderstood(value, spot, 'a number of seconds');
  return now + ms;
}

function absolute(value: Exact, spot: ReplyPath, now: number): number {
  const at = toMilliseconds(value) ?? (typeof value === 'string' ? parseDate(value, now) : undefined);
  if (at === undefined) throw notUnderstood(value, spot, 'a date-time or a timestamp');
  return at;
}

/** Accepts a number, a text of one, and PHP's `@` before it. */
function toMilliseconds(value: Exact): number | undefined {
  if (value === null || typeof value === 'boolean' || isArray(value) || isObject(value)) return undefined;
  const text = isNumber(value) ? value.text : value.trim();
  if (!/^@?[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(text)) return undefined;
  const number = Number(text.replace('@', ''));
  return Math.abs(number) >= firstMilliseconds ? number : number * 1000;
}

const marginOf = (lifetime: number): number => Math.max(0, Math.min(lifetime * marginShare, mostMargin));

function withNotice(at: number, now: number, reason: string): Expiry {
  if (at >= now) return { at };
  const message = `${reason}: every request logs in again`;
  return { at, notice: { level: 'warning', code: 'expired-at-login', message } };
}

function notUnderstood(value: Exact, { path, key }: ReplyPath, expected: string): ExtractError {
  const found = typeof value === 'string' ? 'a string that is not a valid time' : kindOf(value);
  return new ExtractError('ERR_LOGIN', `${key}expected ${expected} at "${path}" of the login response, found ${found}`);
}
