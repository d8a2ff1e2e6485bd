/**
 * What a job is doing at this moment, to be shown: states and how far a page has come, reported only where there is
 * a listener.
 */
import type { Slab } from './scanner/scanner.js';

/**
 * What the job waits for. `turn`: another job's login, or its page of the same data type. `login`: credentials.
 * `limit`: the rates at which requests may go out. `answer`: the head of the answer. `page`: the rest of its body.
 * `sink`: room in the sink. `retry`: time to pass before it asks again.
 */
export type PagePhase = 'turn' | 'login' | 'limit' | 'answer' | 'page' | 'sink' | 'retry';

/**
 * The page under way. A state may be reported again, with other counts; between two pages nothing is reported. Names are not
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

/** One attempt at a page, as it reports itself. */
export interface ProgressReporter {
  now(state: PagePhase): void;
  /** `ms` will pass before the next attempt. */
  retry(ms: number): void;
  /** A request may not go out yet; for `ms` where that is known, else 0. */
  limit(ms: number): void;
  /** Counts the next bytes of the body. */
  received(chunk: Uint8Array): void;
  /** The sink has taken the slab. */
  taken(slab: Slab): void;
  /** The sink has given back all of the page. */
  takenBack(): void;
}

const ignore = (): void => {};

/** Without a listener: one for all attempts. */
const silent: ProgressReporter = {
  now: ignore,
  retry: ignore,
  limit: ignore,
  received: ignore,
  taken: ignore,
  takenBack: ignore,
};

/** Starts to report an attempt at a page. */
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
    received(chunk) {
      received += chunk.length;
      now('page');
    },
    taken(slab) {
      items += slab.count;
      bytes += slab.bytes.length;
      now('page');
    },
    takenBack() {
      items = 0;
      bytes = 0;
      now('page');
    },
  };
}
