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

/** Timeout, no address, refused, TLS, empty reply, reset. */
const transportCodes = [28, 6, 7, 35, 52, 56];
const statusCodes = [500, 502, 503, 504, 408, 420, 429];
const mostRetries = 10;
const header = 'Retry-After';

const codes = listOf(wholeNumber, 'whole numbers');
const written = (numbers: readonly number[]): string => `[${numbers.join(', ')}]`;

/** Of `api.retryConfig`. */
export const retryFields: Fields<RetryOptions> = {
  maxRetries: { type: count, default: String(mostRetries), summary: 'retries after the first attempt; 0: none' },
  http: {
    type: shape<HttpOptions>({
      retryHeader: { type: name, default: header, summary: 'the response header that carries the delay' },
      codes: { type: codes, default: written(statusCodes), summary: 'statuses that are tried again' },
    }),
    summary: 'retries because of a response',
  },
  curl: {
    type: shape<CurlOptions>({
      codes: {
        type: codes,
        default: written(transportCodes),
        summary: 'transport failures that are tried again, by the numbers of curl',
      },
    }),
    summary: 'retries because of a failed connection',
  },
  headerName: { type: name, summary: 'old form of `http.retryHeader`' },
  httpCodes: { type: codes, summary: 'old form of `http.codes`' },
  curlCodes: { type: codes, summary: 'old form of `curl.codes`' },
};

/** Fills in the defaults. A member of the old form replaces the whole object of the new one. */
export function readRetry(place: Place, value: Exact | undefined): RetryConfig | undefined {
  const options = value === undefined || isPhpEmpty(value) ? {} : read(place, value, retryFields);
  if (options === undefined) return undefined;
  const { maxRetries = mostRetries, headerName, httpCodes, curlCodes } = options;
  const isOldHttp = headerName !== undefined || httpCodes !== undefined;
  const http: HttpOptions = isOldHttp ? optional(headerName, httpCodes) : (options.http ?? {});
  return {
    maxRetries,
    retryHeader: http.retryHeader ?? header,
    codes: new Set(http.codes ?? statusCodes),
    transportCodes: new Set(curlCodes ?? options.curl?.codes ?? transportCodes),
  };
}

const optional = (retryHeader?: string, codes?: readonly number[]): HttpOptions => ({
  ...(retryHeader === undefined ? {} : { retryHeader }),
  ...(codes === undefined ? {} : { codes }),
});
