/** An API of pages with validators: it answers 304 where a page has not changed. */
import { createHash } from 'node:crypto';
import type { Configuration } from '../../src/config/configuration.js';
import { headerOf, type RecordedRequest, type Reply, startApi } from '../loopback/api.js';
import { unchecked } from '../unchecked.js';

/** The page of a target; undefined: 404. */
export interface PageOfApi {
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface PagesApi {
  readonly origin: string;
  /** Read at each request. */
  pages: (target: string) => PageOfApi | undefined;
  /** What decides; by default the ETag of the body. */
  answer: (request: RecordedRequest, page: PageOfApi) => Reply;
  /** Targets and their validators so far; they are forgotten. */
  take(): readonly (readonly [target: string, tag: string | undefined, date: string | undefined])[];
  close(): Promise<void>;
}

export const tagOf = (body: unknown): string =>
  `"${createHash('sha256').update(JSON.stringify(body)).digest('hex').slice(0, 12)}"`;

export const whole = ({ body, headers }: PageOfApi, more: Readonly<Record<string, string>> = {}): Reply => ({
  headers: { 'content-type': 'application/json', ...headers, ...more },
  body: JSON.stringify(body),
});

/** By ETags, as most APIs do. */
export function byTag(request: RecordedRequest, page: PageOfApi): Reply {
  const etag = tagOf(page.body);
  return headerOf(request, 'if-none-match') === etag ? { status: 304, headers: { etag } } : whole(page, { etag });
}

export async function pagesApi(pages: PagesApi['pages']): Promise<PagesApi> {
  let seen: (readonly [string, string | undefined, string | undefined])[] = [];
  const server = await startApi((request) => {
    seen.push([request.target, headerOf(request, 'if-none-match'), headerOf(request, 'if-modified-since')]);
    const page = api.pages(request.target);
    return page === undefined ? { status: 404 } : api.answer(request, page);
  });
  const api: PagesApi = {
    origin: server.origin,
    pages,
    answer: byTag,
    take() {
      const taken = seen;
      seen = [];
      return taken;
    },
    close: () => server.close(),
  };
  return api;
}

/** Lists of items by number, from 1. */
export const numbered =
  (lists: () => readonly (readonly unknown[])[]): PagesApi['pages'] =>
  (target) => ({ body: lists()[Number(new URL(target, 'http://x').searchParams.get('page') ?? 1) - 1] ?? [] });

export const pagesConfiguration = (origin: string, job: object = {}, api: object = {}): Configuration =>
  unchecked({
    api: {
      baseUrl: `${origin}/`,
      pagination: { method: 'pagenum', limit: 2, limitParam: 'n' },
      retryConfig: { maxRetries: 0 },
      ...api,
    },
    config: { jobs: [{ endpoint: 'rows', revalidate: true, ...job }] },
  });
