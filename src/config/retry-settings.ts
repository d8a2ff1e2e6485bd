/** Reads `api.retryConfig`, in its present form and the old flat one. docs/01-configuration.md#retries. */

import { type Exact, emptyObject } from '../core/json/exact.js';
import { httpMethod } from '../core/model/request.js';
import { defaultRetry, type RetryConfig, shortAbsence } from '../core/model/retry.js';
import { kind, type OptionRows } from '../core/options/kind.js';
import { nonEmptyText, whole } from '../core/options/kinds.js';
import { isAbsent, listOf, objectOf, withDefaults } from '../core/options/object-kinds.js';
import type { ConfigPath } from '../language/config-path.js';
import { method } from '../language/kinds.js';
import { objectOrNone, readObject } from '../language/read.js';

const codes = listOf(whole(), 'whole numbers');

/** In either spelling. */
const jitter = kind<boolean | 'full' | 'none'>(
  '"full", "none", true or false',
  (value) => value === 'full' || value === 'none' || typeof value === 'boolean',
  { schema: { enum: ['full', 'none', true, false] } },
);

const httpFields = {
  retryHeader: {
    kind: nonEmptyText,
    default: defaultRetry.retryHeader,
    summary: 'the response header that contains the delay',
    emptyIsAbsent: true,
  },
  codes: { kind: codes, default: [...defaultRetry.codes], summary: 'statuses to retry' },
} satisfies OptionRows;

const curlFields = {
  codes: {
    kind: codes,
    default: [...defaultRetry.transportCodes],
    summary: 'connection failures to retry, as curl error numbers',
  },
} satisfies OptionRows;

/** The keys of `api.retryConfig`. */
export const retryFields = {
  maxRetries: {
    kind: whole(0),
    default: defaultRetry.maxRetries,
    summary:
      'retries after the first attempt; 0: none. Without it, a server that has not responded once in this run is retried for at most 10 seconds',
    emptyIsAbsent: 'but zero',
  },
  maxDelay: {
    kind: whole(1),
    default: defaultRetry.maxDelay / 1000,
    summary: 'the longest wait in seconds; a response that requires a longer wait fails at once',
  },
  jitter: {
    kind: jitter,
    default: 'none',
    summary: '"full": a random wait, up to the growing wait, if the response states no delay',
  },
  methods: {
    kind: listOf(method, 'methods'),
    otherwise: 'all',
    summary: 'methods to retry; requests of other methods are retried only if they were never sent',
  },
  http: {
    kind: objectOf(httpFields),
    default: withDefaults(httpFields, {}),
    summary: 'retries after a response',
    emptyIsAbsent: true,
  },
  curl: {
    kind: objectOf(curlFields),
    default: withDefaults(curlFields, {}),
    summary: 'retries after a connection failure',
    emptyIsAbsent: true,
  },
  headerName: { kind: nonEmptyText, summary: 'old form of `http.retryHeader`', emptyIsAbsent: true },
  httpCodes: { kind: codes, summary: 'old form of `http.codes`' },
  curlCodes: { kind: codes, summary: 'old form of `curl.codes`' },
} satisfies OptionRows;

/** A member of the old form replaces the whole object of the new one. */
export function readRetry(place: ConfigPath, value: Exact = null): RetryConfig | undefined {
  const members = objectOrNone(place, value) ?? emptyObject;
  const options = readObject(place, members, retryFields);
  if (options === undefined) return undefined;
  const { maxRetries, maxDelay, jitter, methods, headerName, httpCodes, curlCodes, curl } = options;
  const isOldHttp = headerName !== undefined || httpCodes !== undefined;
  const http = isOldHttp ? withDefaults(httpFields, { retryHeader: headerName, codes: httpCodes }) : options.http;
  const isWritten = !isAbsent(members.get('maxRetries') ?? null, retryFields.maxRetries);
  return {
    maxRetries,
    ...(isWritten ? {} : { longestAbsence: shortAbsence }),
    maxDelay: maxDelay * 1000,
    jitter: jitter === true || jitter === 'full' ? 'full' : 'none',
    retryHeader: http.retryHeader,
    codes: new Set(http.codes),
    ...(methods === undefined ? {} : { methods: new Set(methods.map(httpMethod)) }),
    transportCodes: new Set(curlCodes ?? curl.codes),
  };
}
