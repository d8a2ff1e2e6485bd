/** The login and the first page of a job, each sent once: what the API answered, whatever the run makes of it. */
import { asyncScheduler, firstValueFrom, fromEvent, takeUntil } from 'rxjs';
import { ExtractError } from '../../core/errors/errors.js';
import type { Receipt } from '../../core/model/page.js';
import { decodePrefix } from '../../core/secrets/secrets.js';
import type { EngineExchanges, RecordingContext } from '../../http/exchanges.js';
import type { RequestContext } from '../../http/request-context.js';
import { headOf } from '../../http/response.js';
import type { HttpBody, HttpResponse, ResponseHeaders } from '../../http/types.js';
import type { Extraction } from '../../run/extraction.js';
import { startTimer } from '../text/format.js';

/** A response, as it came. */
export interface CheckedAnswer {
  readonly status: number;
  readonly headers: ResponseHeaders;
  /** Until its head, in ms. */
  readonly ms: number;
  /** When its head came, in epoch ms. */
  readonly at: number;
  /** Method and address, masked. */
  readonly request: string;
  /** How the body begins, masked, on one line: as far as it was read. */
  begin(): string;
}

/** What was asked and answered. Redirects count as one with their request. */
export interface FirstAnswers {
  login?: CheckedAnswer;
  page?: CheckedAnswer;
}

/** Characters of a body in a message, and the bytes that are kept for them. */
const [mostShown, mostKept] = [120, 4096];

/** Lets one login and one page of a job pass; a second attempt at either fails before it is sent. */
export function onceEach(job: string): { readonly exchanges: EngineExchanges; readonly asked: FirstAnswers } {
  const asked: FirstAnswers = {};
  const first = new Map<'login' | 'page', RequestContext>();
  const exchanges: EngineExchanges = {
    random: Math.random,
    around: (transport, shared) => async (request, context) => {
      const kind = context.owner === undefined ? 'login' : 'page';
      const isOther = kind === 'page' && context.owner?.name !== job;
      if (isOther || (first.get(kind) ?? context) !== context) {
        throw new ExtractError('ERR_ABORTED', 'a second attempt is not sent', { final: true });
      }
      first.set(kind, context);
      const elapsed = startTimer();
      const response = await transport(request, context);
      const { answer, body } = watched(response, elapsed(), shared);
      asked[kind] = answer;
      return { ...headOf(response), body };
    },
    close: async () => ({ exchanges: first.size, masked: 0, unused: 0 }),
  };
  return { exchanges, asked };
}

function watched(response: HttpResponse, ms: number, { secrets }: RecordingContext) {
  const { status, headers, request, body } = response;
  const kept: Buffer[] = [];
  let left = mostKept;
  const keeping: HttpBody = {
    read: (take) =>
      body.read((chunk) => {
        if (left > 0) kept.push(Buffer.from(chunk.subarray(0, left)));
        left -= chunk.length;
        return take(chunk);
      }),
    cancel: () => body.cancel(),
  };
  const answer: CheckedAnswer = {
    status,
    headers,
    ms,
    at: asyncScheduler.now(),
    request: `${request.method} ${secrets.maskUrl(request.url)}`,
    begin: () => secrets.excerpt(decodePrefix(Buffer.concat(kept)), mostShown),
  };
  return { answer, body: keeping };
}

/** Runs until the first page is complete. Rejects with the failure of the run. */
export async function firstPage(extraction: Extraction, signal: AbortSignal): Promise<Receipt | undefined> {
  try {
    const pages = extraction.receipts.pipe(takeUntil(fromEvent(signal, 'abort')));
    return await firstValueFrom<Receipt | undefined, undefined>(pages, { defaultValue: undefined });
  } finally {
    await extraction.closed;
  }
}
