/** Watches the pages of a run: each request with its sources, the head of its response, and what follows. */

import type { ExplainedRequest } from '../explain-request.js';
import type { RequestContext } from '../request-context.js';
import type { Handler } from '../types.js';
import { type EngineExchanges, type Exchanges, engineExchanges, type PageStep } from './exchanges.js';
import { maskResponseHeaders } from './mask-response.js';

/** What is known of the latest page of a job. */
export interface WatchedPage {
  readonly request: ExplainedRequest;
  /** Of the latest response; absent: there was none. */
  readonly head?: { readonly status: number; readonly headers: Readonly<Record<string, string | readonly string[]>> };
  /** Absent: the page is not complete. */
  readonly next?: ExplainedRequest | { readonly stop: string };
}

export interface Watch extends Exchanges {
  /** The latest page of a job; undefined: none was requested. */
  pageOf(job: string): WatchedPage | undefined;
}

interface Latest {
  page: WatchedPage;
  readonly explain: (page: Extract<PageStep['step'], { readonly endpoint: string }>) => ExplainedRequest;
}

/** Watches a run, and a recording or replay in it if there is one. Close it instead of that one. */
export function watchExchanges(given?: Exchanges): Watch {
  const inner = given === undefined ? undefined : engineExchanges(given);
  const latest = new Map<string, Latest>();
  const jobs = new WeakMap<RequestContext, string>();
  const engine: EngineExchanges & Watch = {
    random: inner?.random ?? Math.random,
    around(transport, needs) {
      const send: Handler = inner?.around(transport, needs) ?? transport;
      return async (request, context) => {
        const response = await send(request, context);
        const of = latest.get(jobs.get(context) ?? '');
        const { status, headers } = response;
        if (of !== undefined) {
          of.page = { ...of.page, head: { status, headers: maskResponseHeaders(headers, needs.secrets) } };
        }
        return response;
      };
    },
    onAsk({ job, page, context, explain }) {
      jobs.set(context, job);
      latest.set(job, { page: { request: explain(page) }, explain });
    },
    onStep({ job, step }) {
      const of = latest.get(job);
      if (of !== undefined) of.page = { ...of.page, next: 'stop' in step ? { stop: step.stop } : of.explain(step) };
    },
    pageOf: (job) => latest.get(job)?.page,
    close: async () => (await inner?.close()) ?? { exchanges: 0, masked: 0, unused: 0 },
  };
  return engine;
}
