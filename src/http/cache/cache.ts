/** A cache of answers before the door of an API: pages that were asked for before come from files. requests.md 1.8, docs/decisions/013. */
import { ExtractError } from '../../core/errors/errors.js';
import { describeSystemError } from '../../core/errors/system-error.js';
import type { HttpRequest } from '../../core/model/request.js';
import { bareAddress } from '../../core/url/url.js';
import type { Reply } from '../transport/transport.js';
import { type Head, slices } from './entry.js';
import type { EntryWriter } from './entry-writer.js';
import { keyOf } from './key.js';
import type { CacheStore, FoundEntry } from './store.js';

/** An answer, kept or new. */
export interface CachedResponse extends Pick<Reply, 'status' | 'headers' | 'body' | 'isOpenEnded'> {
  /** The address that answered, without user information and query. */
  readonly address: string;
  /** The request that was answered: mask before showing. */
  readonly request: HttpRequest;
  /** When it was kept, in epoch ms; absent: it has just come. */
  readonly keptAt?: number;
  /** Nothing can be made of it: it is not to be kept. Absent: it is not. */
  readonly forget?: () => Promise<void>;
}

/** Answers a request for a page; `ask` lets it go out. */
export type CacheInterceptor = (request: HttpRequest, ask: () => Promise<Reply>) => Promise<CachedResponse>;

export interface CacheContext {
  readonly store: CacheStore;
  /** A digest of all that credentials are made of. */
  readonly asker: string;
  /** Whether a request to an address has credentials. */
  readonly trusts: (url: string) => boolean;
  /** Statuses that are tried again: what they say does not last. */
  readonly passing: ReadonlySet<number>;
}

/** Without a cache: every request goes out. */
export const bypass: CacheInterceptor = async (_, ask) => fresh(await ask());

/**
 * With one. Only GET and HEAD are looked up, and only their successful answers are kept, as soon as their bodies have been
 * read to the end, where that can be told.
 * Two who ask the same at once both ask; the last one's answer stays.
 */
export function createCache({ store, asker, trusts, passing }: CacheContext): CacheInterceptor {
  const lasts = (status: number) => status >= 200 && status < 300 && !passing.has(status);
  return async (request, ask) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return fresh(await ask());
    const key = keyOf({ request, asker, isTrusted: trusts(request.url) });
    const forget = () => store.forget(key);
    const found = await store.find(key);
    if (found !== undefined && lasts(found.head.status)) return { ...kept(found, request), forget };
    await found?.file.close();
    const answer = fresh(await ask());
    if (!lasts(answer.status) || answer.isOpenEnded) return answer;
    return { ...answer, body: keeping(answer, store, key), forget };
  };
}

const fresh = ({ status, headers, body, isOpenEnded, request, url }: Reply): CachedResponse => ({
  status,
  headers,
  body,
  isOpenEnded,
  request,
  address: bareAddress(url),
});

function kept({ head, file, ...place }: FoundEntry, request: HttpRequest): CachedResponse {
  async function* body(): AsyncGenerator<Uint8Array> {
    try {
      yield* slices(file, place);
    } catch (thrown) {
      throw new ExtractError('ERR_BODY_CUT', `a kept answer cannot be read: ${describeSystemError(thrown)}`, {
        transport: 18,
      });
    } finally {
      await file.close();
    }
  }
  const { status, headers, address, storedAt } = head;
  return { status, headers, address, request, body: body(), isOpenEnded: false, keptAt: storedAt };
}

/** The body, written beside on its way. A file that cannot be written costs no page: it is left, and the body goes on. */
async function* keeping(answer: CachedResponse, store: CacheStore, key: string): AsyncGenerator<Uint8Array> {
  const { status, address } = answer;
  let draft = await store.begin(key, { status, address, headers: storableHeaders(answer.headers) });
  const write = async (work: (to: EntryWriter) => Promise<void>) => {
    if (draft === undefined) return;
    try {
      await work(draft);
    } catch (thrown) {
      await draft.discard();
      draft = undefined;
      store.refuse(thrown);
    }
  };
  try {
    for await (const bytes of answer.body) {
      await write((to) => to.append(bytes));
      yield bytes;
    }
    await write((to) => to.finish());
  } finally {
    await draft?.discard();
  }
}

/** What speaks of the connection or of the bytes on it says nothing of the answer; nor does a session. */
const passingHeaders = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'keep-alive',
  'set-cookie',
  'transfer-encoding',
]);

function storableHeaders(headers: CachedResponse['headers']): Head['headers'] {
  const named = Object.entries(headers).filter(([name]) => !passingHeaders.has(name));
  return Object.fromEntries(named.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}
