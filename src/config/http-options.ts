/**
 * Reads the keys of `api.http` about limits: time-outs, ignored statuses, rates, required headers.
 * docs/reference/configuration.md#apihttp.
 */

import { type Exact, type ExactObject, isArray, isNumber, isObject } from '../core/json/exact.js';
import type { Kind, OptionRows } from '../core/options/kind.js';
import { flag, nonEmptyText, whole } from '../core/options/kinds.js';
import { listOf } from '../core/options/object-kinds.js';
import { longestTimer } from '../core/util/limits.js';
import { suggestFor } from '../core/util/suggest.js';
import type { ConfigPath } from '../language/config-path.js';
import { opaque } from '../language/kinds.js';
import { describeMismatch, isPhpEmpty, readValue } from '../language/read.js';
import type { HttpConfig, Timeouts } from './config.js';
import { rateLimit, readRateLimit } from './rates.js';

const decimal = /^\s*\+?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*$/;

/** The largest number of seconds for a timer. */
const longestSeconds = Math.floor(longestTimer / 1000);

/** Other values are only a warning, so the reader checks them. */
const seconds = opaque('a number of seconds above 0', () => ({
  type: ['number', 'string'],
  exclusiveMinimum: 0,
  maximum: longestSeconds,
  pattern: decimal.source,
}));

/** The keys of `api.http` besides headers and defaults. */
export const httpOptionFields = {
  requiredHeaders: {
    kind: listOf(nonEmptyText, 'strings'),
    emptyIsAbsent: true,
    otherwise: 'none',
    summary: 'names of headers that `config.http.headers` must contain, each with a value',
  },
  ignoreErrors: {
    kind: listOf(whole(0), 'statuses'),
    emptyIsAbsent: true,
    otherwise: 'none',
    summary: 'statuses whose responses are read as pages; 0 also ignores connection failures',
  },
  connectTimeout: {
    kind: seconds,
    mayChangeOnResume: true,
    default: 30,
    summary: 'time-out for the connection, in seconds',
  },
  headersTimeout: {
    kind: seconds,
    mayChangeOnResume: true,
    otherwise: '300, or `requestTimeout`',
    summary: 'time-out for the response headers, in seconds',
  },
  idleTimeout: {
    kind: seconds,
    mayChangeOnResume: true,
    otherwise: '300, or `requestTimeout`',
    summary: 'longest pause within a response body, in seconds',
  },
  requestTimeout: {
    kind: seconds,
    mayChangeOnResume: true,
    otherwise: 'no limit, as long as data arrives',
    summary: 'time-out for the whole response including its body, in seconds',
  },
  rateLimit: {
    kind: rateLimit,
    mayChangeOnResume: true,
    emptyIsAbsent: true,
    otherwise: 'no limit',
    summary: 'how many requests may be sent in a period; several rates all apply',
  },
  rateLimitHeaders: {
    kind: flag,
    mayChangeOnResume: true,
    default: true,
    summary: 'whether requests wait when the response headers say that no request remains',
  },
  acceptEncoding: {
    kind: flag,
    mayChangeOnResume: true,
    default: true,
    summary: 'whether requests ask for compressed responses, by the header `Accept-Encoding`',
  },
} satisfies OptionRows;

export type HttpLimits = Pick<
  HttpConfig,
  'ignoreErrors' | keyof Timeouts | 'rateLimit' | 'heedsRateLimit' | 'acceptsEncodings'
>;

/** Returns `undefined` if something does not fit, after reporting it to `place`. */
export function readHttpLimits(place: ConfigPath, http: ExactObject): HttpLimits | undefined {
  const ignoreErrors = readList(place.at('ignoreErrors'), http.get('ignoreErrors'), httpOptionFields.ignoreErrors.kind);
  const timeouts = readTimeouts(place, http);
  const rateLimit = readRateLimit(place.at('rateLimit'), http.get('rateLimit'));
  const written = http.get('rateLimitHeaders') ?? httpOptionFields.rateLimitHeaders.default;
  const heedsRateLimit = readValue(place.at('rateLimitHeaders'), written, flag);
  const accepts = http.get('acceptEncoding') ?? httpOptionFields.acceptEncoding.default;
  const acceptsEncodings = readValue(place.at('acceptEncoding'), accepts, flag);
  if (ignoreErrors === undefined || timeouts === undefined) return undefined;
  if (rateLimit === undefined || heedsRateLimit === undefined || acceptsEncodings === undefined) return undefined;
  return {
    rateLimit,
    heedsRateLimit,
    acceptsEncodings,
    ignoreErrors: new Set(ignoreErrors),
    ...timeouts,
  };
}

function readTimeouts(place: ConfigPath, http: ExactObject): Timeouts | undefined {
  const keys = ['connectTimeout', 'headersTimeout', 'idleTimeout', 'requestTimeout'] as const;
  const timeouts = keys.map((key) => [key, readSeconds(place.at(key), http.get(key))] as const);
  if (timeouts.some(([, ms]) => ms === 'too long')) return undefined;
  return Object.fromEntries(timeouts.filter(([, ms]) => ms !== undefined));
}

/**
 * Checks that `headers`, at `place`, have what `http`, at `from`, requires. Names are case-sensitive.
 * docs/12-compatibility.md#headers.
 */
export function checkRequiredHeaders(
  place: ConfigPath,
  headers: ExactObject,
  from: ConfigPath,
  http: Exact | undefined,
): void {
  if (!isObject(http)) return;
  const at = from.at('requiredHeaders');
  const required = readRequired(at, http.get('requiredHeaders'));
  for (const each of required) {
    if (isPhpEmpty(headers.get(each))) {
      place.at(each).problem(`required by ${at.path}: expected a value${suggestFor(each, headers.keys())}`);
    }
  }
}

/**
 * Anything but a list of names is ignored with a warning, as in Generic Extractor.
 * docs/reference/configuration.md#apihttp.
 */
function readRequired(place: ConfigPath, value: Exact = null): readonly string[] {
  const { kind } = httpOptionFields.requiredHeaders;
  if (isArray(value) || isObject(value)) return readList(place, value, kind) ?? [];
  if (!isPhpEmpty(value)) place.warn('no-object', `${describeMismatch(kind.struct.type, value)}; not used`);
  return [];
}

function readList<T>(place: ConfigPath, value: Exact = null, kind: Kind<readonly T[]>) {
  return isPhpEmpty(value) ? [] : readValue(place, value, kind);
}

/**
 * Returns ms. Returns `undefined` for the default, with a warning unless the value is absent; a value too large for a
 * timer is a problem.
 */
function readSeconds(place: ConfigPath, value: Exact = null): number | 'too long' | undefined {
  if (value === null) return undefined;
  const text = isNumber(value) ? value.text : value;
  const given = typeof text === 'string' && decimal.test(text) ? Number(text) : 0;
  if (given > longestSeconds) {
    place.problem(`too long: expected at most ${longestSeconds} seconds (24.8 days)`);
    return 'too long';
  }
  if (given > 0) return Math.ceil(given * 1000);
  const found = isNumber(value)
    ? 'expected a number of seconds above 0'
    : describeMismatch('a number of seconds above 0', value);
  place.warn('no-time', `${found}; not used, the default applies`);
  return undefined;
}
