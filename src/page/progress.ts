/**
 * What a job is doing at this moment, for whoever shows it: states and how far a page has come, told only where
 * somebody listens.
 */
import type { PageWriter } from './page-writer.js';

/**
 * What the job waits for. `turn`: another job's login, or its page of the same data type. `login`: credentials.
 * `limit`: the rates at which requests may go out. `answer`: the head of the answer. `page`: the rest of its body.
 * `sink`: room in the sink. `retry`: time to pass before it asks again.
 */
export type PagePhase = 'turn' | 'login' | 'limit' | 'answer' | 'page' | 'sink' | 'retry';

/**
 * The page under way. A state may be told again, with other counts; between two pages nothing is told. Names are not
 * masked.
 */
export interface Activity {
  readonly job: string;
  /** The index of the page, from 0. */
  readonly page: number;
  readonly state: PagePhase;
  /** Bytes of the body so far, decoded. */
  readonly received: number;
  /** What the sink has taken of this page so far; what it gave back counts no more. */
  readonly items: number;
  /** Of those items, as NDJSON. */
  readonly bytes: number;
  /** Ms to pass from now; with `retry`, and with `limit` where the API itself has said that no request remains. */
  readonly ms?: number;
}

/** Called often: once a chunk of a body. Must not throw. */
export type OnActivity = (activity: Activity) => void;

/** One attempt at a page, as it tells of itself. */
export interface ProgressReporter {
  now(state: PagePhase): void;
  /** `ms` will pass before the next attempt. */
  retry(ms: number): void;
  /** A request may not go out yet; for `ms` where that is known, else 0. */
  limit(ms: number): void;
  /** Counts the next bytes of the body; absent: there is no listener. */
  readonly add?: (chunk: Uint8Array) => void;
  /** The transaction, its slabs counted on their way. */
  transaction(page: PageWriter): PageWriter;
}

/** Without a listener nothing is wrapped: a chunk and a slab cost what they cost without it. */
const silent: ProgressReporter = {
  now() {},
  retry() {},
  limit() {},
  transaction: (page) => page,
};

/** Starts to tell of an attempt at a page. */
export function createProgressReporter(job: string, page: number, listener: OnActivity | undefined): ProgressReporter {
  if (listener === undefined) return silent;
  let received = 0;
  let items = 0;
  let bytes = 0;
  const now = (state: PagePhase, more: { readonly ms?: number } = {}) =>
    listener({ job, page, state, received, items, bytes, ...more });

  return {
    now,
    retry: (ms) => now('retry', { ms }),
    limit: (ms) => now('limit', ms > 0 ? { ms } : {}),
    add(chunk) {
      received += chunk.length;
      now('page');
    },
    transaction: (transaction) => ({
      ...transaction,
      async write(slab) {
        now('sink');
        await transaction.write(slab);
        items += slab.count;
        bytes += slab.bytes.length;
        now('page');
      },
      async rollback() {
        await transaction.rollback();
        items = 0;
        bytes = 0;
        now('page');
      },
    }),
  };
}
