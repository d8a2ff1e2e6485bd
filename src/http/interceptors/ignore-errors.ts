/**
 * `api.http.ignoreErrors`: turns responses that would fail, or are not JSON, into pages.
 * docs/01-configuration.md#answers-that-are-ignored, docs/12-compatibility.md#answers.
 */
import { asyncScheduler } from 'rxjs';
import type { ErrorCode } from '../../core/errors/error-codes.js';
import { asExtractError, type ExtractError } from '../../core/errors/errors.js';
import type { RetryConfig } from '../../core/model/retry.js';
import type { Secrets } from '../../core/model/secrets.js';
import { defined } from '../../core/util/defined.js';
import { json, readerOf } from '../../page/readers.js';
import { bodyOf, peek } from '../body.js';
import { headOf } from '../response.js';
import { absenceLeft } from '../retry-policy.js';
import type { HttpBody, HttpResponse, Interceptor } from '../types.js';

/** Statuses; 0 means connection failures. */
export type IgnoredStatuses = ReadonlySet<number>;

/** Limit in bytes for this check. A larger body is streamed as usual, and must be complete JSON. */
const judgedBytes = 16 * 1024 * 1024;

/** The cache fields of a response. */
const stored = ({ storedAt, forget, address }: HttpResponse) => ({
  ...defined({ address, storedAt, forget }),
});

export interface IgnoreErrorsOptions {
  readonly ignored: IgnoredStatuses;
  readonly retry: Pick<RetryConfig, 'transportCodes' | 'longestAbsence'>;
  readonly secrets: Pick<Secrets, 'mask'>;
}

/** Turns a response with a listed status into a page, and a connection failure too if 0 is listed. */
export function ignoreErrors({ ignored, retry, secrets }: IgnoreErrorsOptions): Interceptor {
  return (next) => async (request, context) => {
    try {
      const response = await next(request, context);
      if (!ignored.has(response.status) && !ignored.has(0)) return response;
      if (context.hold !== undefined) await context.hold.taken;
      return await readable(response, ignored);
    } catch (thrown) {
      const { isLast } = context;
      const body = fallbackFor(asExtractError(thrown), { ignored, retry, isLast, secrets });
      if (body === undefined) throw thrown;
      return { status: 0, headers: {}, contentType: jsonType, request, isOpenEnded: false, body };
    }
  };
}

/**
 * Returns the response with a readable body. For a listed status it keeps a JSON body, else it wraps the text in an
 * object as `errorData`; a scalar body of an error status does not count as JSON. Throws the errors of the body.
 */
async function readable(response: HttpResponse, ignored: IgnoredStatuses): Promise<HttpResponse> {
  const { chunks, isWhole, body } = await peek(response.body, judgedBytes);
  const whole = { ...headOf(response), ...stored(response), body };
  if (!isWhole || !ignored.has(response.status)) return whole;
  const bytes = Buffer.concat(chunks);
  const isBare = response.status >= 400 && !isContainer(bytes, response.contentType);
  const isJson = !isBare && isReadable(bytes, response.contentType);
  return isJson ? whole : { ...whole, contentType: jsonType, body: errorData(bytes.toString('utf8')) };
}

interface FallbackContext extends IgnoreErrorsOptions {
  /** No further attempt follows. */
  readonly isLast: boolean;
}

/** The page that replaces an ignored connection failure; undefined: the failure remains, or may be retried. */
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

/** True for JSON Lines and sequences whatever they contain. */
const isContainer = (bytes: Buffer, contentType: string | undefined): boolean =>
  readerOf(contentType) !== json || /^(?:\xef\xbb\xbf)?\s*[[{]/.test(bytes.toString('latin1'));

/** Whether the page reader will accept the body. A blank body is no document, not even of lines. */
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
    for (const _ of scan.feed(bytes)); // drops the items: only a throw matters
    for (const _ of scan.end());
    return true;
  } catch (thrown) {
    if (isUnreadable(thrown)) return false;
    throw thrown;
  } finally {
    scan.dispose();
  }
}

const unreadable: ReadonlySet<ErrorCode> = new Set(['ERR_JSON', 'ERR_UTF8', 'ERR_DEPTH', 'ERR_CSV', 'ERR_XML']);

/** Whether the body itself is invalid, rather than an option that reads it. */
export const isUnreadable = (thrown: unknown): boolean => unreadable.has(asExtractError(thrown).code);
