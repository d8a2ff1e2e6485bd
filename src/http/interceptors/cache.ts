/**
 * Answers page requests from files that an earlier request stored. docs/01-configuration.md#answers-kept-in-files,
 * docs/decisions/013.
 */
import { asyncScheduler } from 'rxjs';
import { ExtractError } from '../../core/errors/errors.js';
import { describeSystemError } from '../../core/errors/system-error.js';
import type { Notify } from '../../core/model/notice.js';
import type { HttpRequest } from '../../core/model/request.js';
import type { Secrets } from '../../core/model/secrets.js';
import { describeRequest } from '../../core/secrets/secrets.js';
import type { Origins } from '../../core/url/origins.js';
import { bareAddress } from '../../core/url/url.js';
import { bodyOf } from '../body.js';
import { type Head, slices } from '../cache/cache-entry.js';
import type { EntryWriter } from '../cache/entry-writer.js';
import { keyOf } from '../cache/key.js';
import type { CacheStore, FoundEntry } from '../cache/store.js';
import { headOf } from '../response.js';
import type { HttpBody, HttpResponse, Interceptor, ResponseHeaders } from '../types.js';

export interface CacheOptions {
  readonly store: CacheStore;
  /** A digest of everything the credentials are made of. */
  readonly senderId: string;
  readonly origins: Pick<Origins, 'trusts'>;
  /** Retried statuses: such a response is temporary. */
  readonly volatile: ReadonlySet<number>;
  /** Receives a notice for each cached response; absent: no notice. */
  readonly notify?: Notify | undefined;
  readonly secrets: Secrets;
}

/**
 * Handles GET and HEAD only, and no files. Stores successful responses once their bodies have been read completely, if
 * completeness can be known. Two equal requests at once are both sent; the last response stays.
 */
export function cache({ store, senderId, origins, volatile, notify, secrets }: CacheOptions): Interceptor {
  const lasts = (status: number) => status >= 200 && status < 300 && !volatile.has(status);
  return (next) => async (request, context) => {
    const isKept = request.method === 'GET' || request.method === 'HEAD';
    if (!isKept || context.file !== undefined) return next(request, context);
    const key = keyOf({ request, senderId, isTrusted: origins.trusts(request.url) });
    const forget = () => store.forget(key);
    const found = await store.find(key);
    if (found !== undefined && lasts(found.head.status)) {
      notify?.(cachedNotice(describeRequest(request, secrets), found.head.storedAt));
      return { ...restored(found, request), forget };
    }
    await found?.file.close();
    const response = await next(request, context);
    if (!lasts(response.status) || response.isOpenEnded) return response;
    return { ...headOf(response), body: storing(response, store, key), forget };
  };
}

/** Replaces the notice of a request. */
function cachedNotice(request: string, storedAt: number) {
  const seconds = Math.floor((asyncScheduler.now() - storedAt) / 1000);
  return { level: 'info', code: 'cached', message: `${request}: from the cache, ${seconds} s old` } as const;
}

/**
 * Restores a response. `address` of the entry is the address after redirects; links in the body are resolved against
 * it.
 */
function restored({ head, file, ...range }: FoundEntry, request: HttpRequest): HttpResponse {
  const { status, headers, address, storedAt } = head;
  const [contentType] = [headers['content-type']].flat();
  async function* stored(): AsyncGenerator<Uint8Array> {
    try {
      yield* slices(file, range);
    } catch (thrown) {
      const reason = describeSystemError(thrown);
      throw new ExtractError('ERR_BODY_CUT', `a cached response cannot be read: ${reason}`, { transport: 18 });
    } finally {
      await file.close();
    }
  }
  const body = { ...bodyOf(stored()), cancel: () => void file.close().catch(() => undefined) };
  return { status, headers, contentType, request, address, body, isOpenEnded: false, storedAt };
}

/** The body, stored while it is read. If the file cannot be written, only storing stops. */
function storing(response: HttpResponse, store: CacheStore, key: string): HttpBody {
  const { status, request, headers, body } = response;
  return {
    async read(take) {
      const head = { status, address: bareAddress(request.url), headers: storableHeaders(headers) };
      let entry = await store.begin(key, head);
      const write = async (work: (to: EntryWriter) => Promise<void>) => {
        if (entry === undefined) return;
        try {
          await work(entry);
        } catch (thrown) {
          await entry.discard();
          entry = undefined;
          store.refuse(thrown);
        }
      };
      try {
        await body.read(async (chunk) => {
          await write((to) => to.append(chunk));
          await take(chunk);
        });
        await write((to) => to.finish());
      } finally {
        await entry?.discard();
      }
    },
    cancel: () => body.cancel(),
  };
}

/** Headers that describe the connection, its encoding or a session rather than the response. */
const passingHeaders = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'keep-alive',
  'set-cookie',
  'transfer-encoding',
]);

function storableHeaders(headers: ResponseHeaders): Head['headers'] {
  const named = Object.entries(headers).filter(([name]) => !passingHeaders.has(name));
  return Object.fromEntries(named.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}
