/**
 * `api.http.ignoreErrors`: responses that would fail, or are no JSON, become pages.
 * docs/01-configuration.md#answers-that-are-ignored, docs/12-compatibility.md#answers.
 */
import { asyncScheduler } from 'rxjs';
import type { ErrorCode } from '../../core/errors/error-codes.js';
import { asExtractError, type ExtractError } from '../../core/errors/errors.js';
import type { RetryConfig } from '../../core/model/retry.js';
import type { Secrets } from '../../core/model/secrets.js';
import { json, readerOf } from '../../page/readers.js';
import { bodyOf, peek } from '../body.js';
import { headOf } from '../response.js';
import { absenceLeft } from '../retry-policy.js';
import type { HttpBody, HttpResponse, Interceptor } from '../types.js';

/** Statuses; 0: failures of the connection. */
export type IgnoredStatuses = ReadonlySet<number>;

/** A longer body is not judged: it streams by as any other, and must be JSON and whole. */
const judgedBytes = 16 * 1024 * 1024;

/** What the cache knows of a response. */
const stored = ({ storedAt, forget, address }: HttpResponse) => ({
  ...(address === undefined ? {} : { address }),
  ...(storedAt === undefined ? {} : { storedAt }),
  ...(forget === undefined ? {} : { forget }),
});

export interface IgnoreErrorsOptions {
  readonly ignored: IgnoredStatuses;
  readonly retry: Pick<RetryConfig, 'transportCodes' | 'longestAbsence'>;
  readonly secrets: Pick<Secrets, 'mask'>;
}

/** A listed status becomes a page, and so does a failure of the connection where 0 is listed. */
export function ignoreErrors({ ignored, retry, secrets }: IgnoreErrorsOptions): Interceptor {
  return (next) => async (request, context) => {
    try {
      return await readable(await next(request, context), ignored);
    } catch (thrown) {
      const { isLast } = context;
      const body = fallbackFor(asExtractError(thrown), { ignored, retry, isLast, secrets });
      if (body === undefined) throw thrown;
      return { status: 0, headers: {}, contentType: jsonType, request, isOpenEnded: false, body };
    }
  };
}

/**
 * The response with a body that can be read. Of a listed status it is the body where that is JSON, else an object with
 * its text as `errorData`; of a status that is an error a single value counts as no JSON. Throws what the body throws.
 */
async function readable(response: HttpResponse, ignored: IgnoredStatuses): Promise<HttpResponse> {
  if (!ignored.has(response.status) && !ignored.has(0)) return response;
  const { chunks, isWhole, body } = await peek(response.body, judgedBytes);
  const whole = { ...headOf(response), ...stored(response), body };
  if (!isWhole || !ignored.has(response.status)) return whole;
  const bytes = Buffer.concat(chunks);
  const isBare = response.status >= 400 && !isContainer(bytes, response.contentType);
  const isJson = !isBare && isReadable(bytes, response.contentType);
  return isJson ? whole : { ...whole, contentType: jsonType, body: errorData(bytes.toString('utf8')) };
}

interface FallbackContext extends IgnoreErrorsOptions {
  /** No attempt follows. */
  readonly isLast: boolean;
}

/**
 * What a failure of the connection is taken for where these are ignored; undefined: it stays a failure, or may be tried
 * again.
 */
export function fallbackFor(
  { code, where, message }: ExtractError,
  { ignored, retry, isLast, secrets }: FallbackContext,
): HttpBody | undefined {
  const isTransport = code === 'ERR_TRANSPORT' || code === 'ERR_BODY_CUT';
  const isGivenUp = isLast || (absenceLeft(where, retry, asyncScheduler.now()) ?? 1) <= 0;
  const isRetried = where.transport !== undefined && retry.transportCodes.has(where.transport) && !isGivenUp;
  return ignored.has(0) && isTransport && !isRetried ? errorData(secrets.mask(message)) : undefined;
}

const jsonType = 'application/json';

const errorData = (text: string): HttpBody => bodyOf([Buffer.from(JSON.stringify({ errorData: text }))]);

/** Lines and sequences are lists whatever they hold. */
const isContainer = (bytes: Buffer, contentType: string | undefined): boolean =>
  readerOf(contentType) !== json || /^(?:\xef\xbb\xbf)?\s*[[{]/.test(bytes.toString('latin1'));

/** Whether the page reader will take it. What is blank is no document, not even of lines. */
function isReadable(bytes: Buffer, contentType: string | undefined): boolean {
  if (/^\s*$/.test(bytes.toString('latin1'))) return false;
  const scan = readerOf(contentType).start({
    dataField: { kind: 'path', segments: [''], text: '' },
    captures: [],
    batchBytes: judgedBytes,
    maxItemBytes: judgedBytes,
    maxCaptureBytes: 1,
    fingerprint: false,
  });
  try {
    for (const _ of scan.feed(bytes)); // the items are dropped: what matters is that nothing is thrown
    for (const _ of scan.end());
    return true;
  } catch (thrown) {
    if (isUnreadable(thrown)) return false;
    throw thrown;
  } finally {
    scan.dispose();
  }
}

const unreadable: ReadonlySet<ErrorCode> = new Set(['ERR_JSON', 'ERR_UTF8', 'ERR_DEPTH']);

/** Whether it is the body that was no good, and not what was wanted of it. */
export const isUnreadable = (thrown: unknown): boolean => unreadable.has(asExtractError(thrown).code);
