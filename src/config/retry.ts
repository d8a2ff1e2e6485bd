/** `api.retryConfig`: what is tried again, in its present form and the old flat one. requests.md 2.8. */
import type { Fields } from '../component.js';
import type { Exact } from '../exact.js';
import { count, listOf, name, shape, wholeNumber } from '../fields.js';
import type { RetryConfig } from './config.js';
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

/** Of `api.retryConfig`, for the reference pages. */
export const retryFields: Fields<RetryOptions> = {
  maxRetries: { type: count, default: '10', summary: 'Retries after the first attempt; 0: none.' },
  http: {
    type: shape<HttpOptions>({
      retryHeader: { type: name, default: 'Retry-After', summary: 'The response header that carries the delay.' },
      codes: { type: codes, default: '[500, 502, 503, 504, 408, 420, 429]', summary: 'Statuses that are tried again.' },
    }),
    summary: 'Retries because of a response.',
  },
  curl: {
    type: shape<CurlOptions>({
      codes: {
        type: codes,
        default: '[28, 6, 7, 35, 52, 56]',
        summary: 'Transport failures that are tried again, by the numbers of curl.',
      },
    }),
    summary: 'Retries because of a failed transport.',
  },
  headerName: { type: name, summary: 'Old form of `http.retryHeader`.' },
  httpCodes: { type: codes, summary: 'Old form of `http.codes`.' },
  curlCodes: { type: codes, summary: 'Old form of `curl.codes`.' },
};

/** Timeout, no address, refused, TLS, empty reply, reset. */
const transportCodes = [28, 6, 7, 35, 52, 56];
const statusCodes = [500, 502, 503, 504, 408, 420, 429];

/** Fills in the defaults. A member of the old form replaces the whole object of the new one. */
export function readRetry(place: Place, value: Exact | undefined): RetryConfig | undefined {
  const options = value === undefined || isPhpEmpty(value) ? {} : read(place, value, retryFields);
  if (options === undefined) return undefined;
  const { maxRetries = 10, headerName, httpCodes, curlCodes } = options;
  const isOldHttp = headerName !== undefined || httpCodes !== undefined;
  const http: HttpOptions = isOldHttp ? optional(headerName, httpCodes) : (options.http ?? {});
  return {
    maxRetries,
    retryHeader: http.retryHeader ?? 'Retry-After',
    codes: new Set(http.codes ?? statusCodes),
    transportCodes: new Set(curlCodes ?? options.curl?.codes ?? transportCodes),
  };
}

const optional = (retryHeader?: string, codes?: readonly number[]): HttpOptions => ({
  ...(retryHeader === undefined ? {} : { retryHeader }),
  ...(codes === undefined ? {} : { codes }),
});
