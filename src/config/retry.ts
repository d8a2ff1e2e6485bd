/** `api.retryConfig`: what is tried again, in its present form and the old flat one. requests.md 2.8. */
import type { Fields } from '../component.js';
import type { Exact } from '../exact.js';
import { count, listOf, name, shape, wholeNumber } from '../fields.js';
import { defaultRetry, type RetryConfig } from '../retry.js';
import type { Place } from './place.js';
import { isPhpEmpty, read } from './read.js';

interface HttpOptions {
  readonly retryHeader?: string;
  readonly codes?: readonly number[];
}

interface CurlOptions {
  readonly codes?: readonly number[];
}

interface RetryOptions {
  readonly maxRetries?: number;
  readonly http?: HttpOptions;
  readonly curl?: CurlOptions;
  readonly headerName?: string;
  readonly httpCodes?: readonly number[];
  readonly curlCodes?: readonly number[];
}

const codes = listOf(wholeNumber, 'whole numbers');
const written = (numbers: Iterable<number>): string => `[${[...numbers].join(', ')}]`;

/** Of `api.retryConfig`. */
export const retryFields: Fields<RetryOptions> = {
  maxRetries: {
    type: count,
    default: String(defaultRetry.maxRetries),
    summary: 'retries after the first attempt; 0: none',
    emptyIsAbsent: 'but zero',
  },
  http: {
    type: shape<HttpOptions>({
      retryHeader: {
        type: name,
        default: defaultRetry.retryHeader,
        summary: 'the response header that carries the delay',
        emptyIsAbsent: true,
      },
      codes: { type: codes, default: written(defaultRetry.codes), summary: 'statuses that are tried again' },
    }),
    summary: 'retries because of a response',
    emptyIsAbsent: true,
  },
  curl: {
    type: shape<CurlOptions>({
      codes: {
        type: codes,
        default: written(defaultRetry.transportCodes),
        summary: 'transport failures that are tried again, by the numbers of curl',
      },
    }),
    summary: 'retries because of a failed connection',
    emptyIsAbsent: true,
  },
  headerName: { type: name, summary: 'old form of `http.retryHeader`', emptyIsAbsent: true },
  httpCodes: { type: codes, summary: 'old form of `http.codes`' },
  curlCodes: { type: codes, summary: 'old form of `curl.codes`' },
};

/** Fills in the defaults. A member of the old form replaces the whole object of the new one. */
export function readRetry(place: Place, value: Exact | undefined): RetryConfig | undefined {
  const options = value === undefined || isPhpEmpty(value) ? {} : read(place, value, retryFields);
  if (options === undefined) return undefined;
  const { maxRetries, headerName, httpCodes, curlCodes } = options;
  const isOldHttp = headerName !== undefined || httpCodes !== undefined;
  const http: HttpOptions = isOldHttp ? optional(headerName, httpCodes) : (options.http ?? {});
  return {
    maxRetries: maxRetries ?? defaultRetry.maxRetries,
    retryHeader: http.retryHeader ?? defaultRetry.retryHeader,
    codes: new Set(http.codes ?? defaultRetry.codes),
    transportCodes: new Set(curlCodes ?? options.curl?.codes ?? defaultRetry.transportCodes),
  };
}

const optional = (retryHeader?: string, codes?: readonly number[]): HttpOptions => ({
  ...(retryHeader === undefined ? {} : { retryHeader }),
  ...(codes === undefined ? {} : { codes }),
});
