/** Reads `api.retryConfig`, in its present form and the old flat one. docs/01-configuration.md#retries. */

import { define } from 'superstruct';
import type { Exact } from '../core/json/exact.js';
import { httpMethod, type Method } from '../core/model/request.js';
import { defaultRetry, type RetryConfig, shortAbsence } from '../core/model/retry.js';
import { defined } from '../core/util/defined.js';
import type { ConfigPath } from '../language/config-path.js';
import { integer, method, nonEmptyString, nonNegativeInteger, positiveInteger } from '../language/fields.js';
import { withJsonSchema } from '../language/json-schema.js';
import { listOf, objectWith } from '../language/object-fields.js';
import { objectOrNone, readObject } from '../language/read.js';
import type { Fields } from '../language/types.js';

interface HttpOptions {
  readonly retryHeader?: string;
  readonly codes?: readonly number[];
}

interface CurlOptions {
  readonly codes?: readonly number[];
}

interface RetryOptions {
  readonly maxRetries?: number;
  readonly maxDelay?: number;
  readonly jitter?: boolean | 'full' | 'none';
  readonly methods?: readonly Method[];
  readonly http?: HttpOptions;
  readonly curl?: CurlOptions;
  readonly headerName?: string;
  readonly httpCodes?: readonly number[];
  readonly curlCodes?: readonly number[];
}

const codes = listOf(integer, 'whole numbers');
/** In either spelling. */
const jitter = withJsonSchema(
  define<boolean | 'full' | 'none'>(
    '"full", "none", true or false',
    (value) => value === 'full' || value === 'none' || typeof value === 'boolean',
  ),
  () => ({ enum: ['full', 'none', true, false] }),
);
const written = (numbers: Iterable<number>): string => `[${[...numbers].join(', ')}]`;

/** The keys of `api.retryConfig`. */
export const retryFields: Fields<RetryOptions> = {
  maxRetries: {
    type: nonNegativeInteger,
    default: String(defaultRetry.maxRetries),
    summary:
      'retries after the first attempt; 0: none. Without it, a server that has not responded once in this run is retried for at most 10 seconds',
    emptyIsAbsent: 'but zero',
  },
  maxDelay: {
    type: positiveInteger,
    default: String(defaultRetry.maxDelay / 1000),
    summary: 'the longest wait in seconds; a response that requires a longer wait fails at once',
  },
  jitter: {
    type: jitter,
    default: '"none"',
    summary: '"full": a random wait, up to the growing wait, if the response states no delay',
  },
  methods: {
    type: listOf(method, 'methods'),
    otherwise: 'all',
    summary: 'methods to retry; requests of other methods are retried only if they were never sent',
  },
  http: {
    type: objectWith<HttpOptions>({
      retryHeader: {
        type: nonEmptyString,
        default: defaultRetry.retryHeader,
        summary: 'the response header that contains the delay',
        emptyIsAbsent: true,
      },
      codes: { type: codes, default: written(defaultRetry.codes), summary: 'statuses to retry' },
    }),
    summary: 'retries after a response',
    emptyIsAbsent: true,
  },
  curl: {
    type: objectWith<CurlOptions>({
      codes: {
        type: codes,
        default: written(defaultRetry.transportCodes),
        summary: 'connection failures to retry, as curl error numbers',
      },
    }),
    summary: 'retries after a connection failure',
    emptyIsAbsent: true,
  },
  headerName: { type: nonEmptyString, summary: 'old form of `http.retryHeader`', emptyIsAbsent: true },
  httpCodes: { type: codes, summary: 'old form of `http.codes`' },
  curlCodes: { type: codes, summary: 'old form of `curl.codes`' },
};

/** Adds the defaults. A member of the old form replaces the whole object of the new one. */
export function readRetry(place: ConfigPath, value: Exact = null): RetryConfig | undefined {
  const members = objectOrNone(place, value);
  const options = members === undefined ? {} : readObject(place, members, retryFields);
  if (options === undefined) return undefined;
  const { maxRetries, maxDelay, jitter, methods, headerName, httpCodes, curlCodes } = options;
  const isOldHttp = headerName !== undefined || httpCodes !== undefined;
  const http: HttpOptions = isOldHttp ? optional(headerName, httpCodes) : (options.http ?? {});
  return {
    maxRetries: maxRetries ?? defaultRetry.maxRetries,
    ...(maxRetries === undefined ? { longestAbsence: shortAbsence } : {}),
    maxDelay: maxDelay === undefined ? defaultRetry.maxDelay : maxDelay * 1000,
    jitter: jitter === true || jitter === 'full' ? 'full' : 'none',
    retryHeader: http.retryHeader ?? defaultRetry.retryHeader,
    codes: new Set(http.codes ?? defaultRetry.codes),
    ...(methods === undefined ? {} : { methods: new Set(methods.map(httpMethod)) }),
    transportCodes: new Set(curlCodes ?? options.curl?.codes ?? defaultRetry.transportCodes),
  };
}

const optional = (retryHeader?: string, codes?: readonly number[]): HttpOptions => ({
  ...defined({ retryHeader, codes }),
});
