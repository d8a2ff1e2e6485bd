/** Watches the pages of a run: each request with its sources, the head of its response, and what follows. */

import { ExtractError } from '../core/errors/errors.js';
import type { TakeChunk } from '../core/util/byte-source.js';
import { type AskedPage, type EngineExchanges, type Exchanges, engineExchanges } from '../http/exchanges.js';
import type { ExplainedRequest } from '../http/explain-request.js';
import { headOf } from '../http/response.js';
import type { HttpBody } from '../http/types.js';
import { maskResponseHeaders } from './mask-response.js';

/** What is known of a complete page. */
export interface WatchedPage {
  readonly request: ExplainedRequest;
  /** Of the latest response. */
  readonly head: { readonly status: number; readonly headers: Readonly<Record<string, string | readonly string[]>> };
  /** What the pagination would request next, or why it ends. */
  readonly next: ExplainedRequest | { readonly stop: string };
  /** The body of the latest response, not masked; absent: it has more than a mebibyte. */
  readonly body?: Buffer;
}

const mostOfBody = 1024 * 1024;

export interface Watch extends Exchanges {
  /** The latest complete page of a job, for its receipt. */
  pageOf(job: string): WatchedPage;
}

/** The latest request of a job. */
interface Latest extends Pick<WatchedPage, 'request'>, Pick<AskedPage, 'explain'> {
  head?: WatchedPage['head'];
  /** Its body so far, if it is small. */
  chunks?: Uint8Array[];
}

/** Watches a run, and a recording or replay in it if there is one, which the caller closes. */
export function watchExchanges(given?: Exchanges): Watch {
  const inner = given === undefined ? undefined : engineExchanges(given);
  const latest = new Map<string, Latest>();
  const complete = new Map<string, WatchedPage>();
  const engine: EngineExchanges & Watch = {
    random: inner?.random ?? Math.random,
    around(transport, shared) {
      const send = inner?.around(transport, shared) ?? transport;
      return async (request, context) => {
        const response = await send(request, context);
        const of = latest.get(context.owner?.name ?? '');
        const { status, headers } = response;
        if (of === undefined) return response;
        of.head = { status, headers: maskResponseHeaders(headers, shared) };
        return { ...headOf(response), body: keeping(response.body, of) };
      };
    },
    onAsk({ job, page, explain }) {
      latest.set(job, { request: explain(page), explain });
    },
    onStep({ job, step }) {
      const of = latest.get(job);
      if (of?.head === undefined) return;
      const { request, head, explain, chunks } = of;
      const next = 'stop' in step ? { stop: step.stop } : explain(step);
      complete.set(job, { request, head, next, ...(chunks && { body: Buffer.concat(chunks) }) });
    },
    pageOf(job) {
      const page = complete.get(job);
      if (page === undefined) throw new ExtractError('ERR_INTERNAL', `no page of "${job}" is complete`);
      return page;
    },
    close: async () => (await inner?.close()) ?? { exchanges: 0, masked: 0, unused: 0 },
  };
  return engine;
}

/** The body, of which the beginning is kept, until it is too large. */
function keeping(body: HttpBody, of: Latest): HttpBody {
  let size = 0;
  of.chunks = [];
  const keep = (chunk: Uint8Array) => {
    size += chunk.length;
    if (size > mostOfBody) delete of.chunks;
    of.chunks?.push(Uint8Array.from(chunk));
  };
  const passing =
    (take: TakeChunk): TakeChunk =>
    (chunk) => {
      keep(chunk);
      return take(chunk);
    };
  return { read: (take, endFile) => body.read(passing(take), endFile), cancel: () => body.cancel() };
}
