/** `api.http.ignoreErrors`: answers that would fail, or are no JSON, become pages. requests.md 2.9, decision 20. */
import { asyncScheduler } from 'rxjs';
import { asExtractError, type ErrorCode, type ExtractError } from '../core/errors/errors.js';
import type { RetryConfig } from '../core/model/retry.js';
import type { Secrets } from '../core/model/secrets.js';
import { json, readerOf } from '../page/readers.js';
import { absenceLeft } from './retry-policy.js';
import type { Reply } from './transport/transport.js';

/** Statuses; 0: failures of the connection. */
export type IgnoredStatuses = ReadonlySet<number>;

/** A body and how it is read. */
export interface ResponseBody {
  readonly body: AsyncIterable<Uint8Array>;
  readonly contentType: string | undefined;
}

/** A longer body is not judged: it streams by as any other, and must be JSON and whole. */
const judgedBytes = 16 * 1024 * 1024;

/**
 * The content of an answer. Of a listed status it is the body where that is JSON, else an object with its text as `errorData`; of a
 * status that is an error a single value counts as no JSON. Throws what the body throws.
 */
export async function contentOf(
  { status, headers, body }: Pick<Reply, 'status' | 'headers' | 'body'>,
  ignored: IgnoredStatuses,
) {
  const [contentType] = [headers['content-type']].flat();
  if (!ignored.has(status) && !ignored.has(0)) return { body, contentType };
  const beginning = await peek(body, judgedBytes);
  const content: ResponseBody = { body: unpeek(beginning), contentType };
  if (beginning.rest !== undefined || !ignored.has(status)) return content;
  const bytes = Buffer.concat(beginning.chunks);
  const isBare = status >= 400 && !isContainer(bytes, contentType);
  return isBare || !isReadable(bytes, contentType) ? errorData(bytes.toString('utf8')) : content;
}

interface Failed {
  readonly ignoreErrors: IgnoredStatuses;
  readonly retry: Pick<RetryConfig, 'transportCodes' | 'longestAbsence'>;
  /** There is no attempt after this one. */
  readonly last: boolean;
  readonly secrets: Pick<Secrets, 'mask'>;
}

/** What a failure of the connection is taken for where these are ignored; undefined: it stays a failure, or may be tried again. */
export function fallbackFor(
  error: ExtractError,
  { ignoreErrors, retry, last, secrets }: Failed,
): ResponseBody | undefined {
  const { code, where, message } = error;
  const isTransport = code === 'ERR_TRANSPORT' || code === 'ERR_BODY_CUT';
  const isGivenUp = last || (absenceLeft(where, retry, asyncScheduler.now()) ?? 1) <= 0;
  const isRetried = where.transport !== undefined && retry.transportCodes.has(where.transport) && !isGivenUp;
  return ignoreErrors.has(0) && isTransport && !isRetried ? errorData(secrets.mask(message)) : undefined;
}

const errorData = (text: string): ResponseBody => ({
  body: unpeek({ chunks: [Buffer.from(JSON.stringify({ errorData: text }))] }),
  contentType: 'application/json',
});

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
    for (const _ of scan.feed(bytes)); // nobody wants the items: what matters is that nothing is thrown
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

/** A body of which the first chunks were read. */
export interface PeekedBody {
  readonly chunks: readonly Uint8Array[];
  /** What follows; absent: the body has ended. */
  readonly rest?: AsyncIterator<Uint8Array>;
}

/** Reads until it has more than so many bytes, or all. Throws what the body throws. */
export async function peek(body: AsyncIterable<Uint8Array>, most: number): Promise<PeekedBody> {
  const rest = body[Symbol.asyncIterator]();
  const chunks: Uint8Array[] = [];
  for (let length = 0; length <= most; ) {
    const step = await rest.next();
    if (step.done === true) return { chunks };
    chunks.push(step.value);
    length += step.value.length;
  }
  return { chunks, rest };
}

/** The whole body again. */
export async function* unpeek({ chunks, rest }: PeekedBody): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks;
    if (rest === undefined) return;
    for (let step = await rest.next(); step.done !== true; step = await rest.next()) yield step.value;
  } finally {
    await rest?.return?.();
  }
}
