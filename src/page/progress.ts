/** The current activity of a job, for display: states, and the progress of a page. Reported only to a listener. */
import type { ByteSource } from '../core/util/byte-source.js';
import type { Slab } from './scanner/scanner.js';

/**
 * The reason why the job waits. `turn`: another job's login, or its page of the same data type. `login`: credentials.
 * `limit`: the rate limiter. `answer`: the head of the response. `page`: the rest of its body. `sink`: room in the
 * sink, or the end of the page there. `retry`: the delay before a retry.
 */
export type PagePhase = 'turn' | 'login' | 'limit' | 'answer' | 'page' | 'sink' | 'retry';

/**
 * The active page. The same state may be reported repeatedly with new counts; nothing is reported between two pages.
 * Names are not masked.
 */
export interface Activity {
  readonly job: string;
  /** The index of the page, from 0. */
  readonly page: number;
  readonly state: PagePhase;
  /** Bytes of the body so far, decoded. */
  readonly received: number;
  /** Items of this page that the sink has accepted so far, without those rolled back. */
  readonly items: number;
  /** Bytes of those items as NDJSON. */
  readonly bytes: number;
  /** Ms to wait from now; with `retry`, and with `limit` if the API reported that no request remains. */
  readonly ms?: number;
}

/** Called often: once per chunk of a body. Must not throw. */
export type OnActivity = (activity: Activity) => void;

/** Reports one attempt at a page. */
export interface ProgressReporter {
  now(state: PagePhase): void;
  /** The next attempt starts in `ms`. */
  retry(ms: number): void;
  /** The rate limiter delays a request; `ms` if known, else 0. */
  limit(ms: number): void;
  /** Counts the next bytes of the body. */
  received(chunk: Uint8Array): void;
  /** The sink has accepted the slab. */
  taken(slab: Slab): void;
  /** The sink has rolled back the page. */
  takenBack(): void;
  /** Returns the body to read: a listener that measures learns when each chunk was processed. */
  reading(body: ByteSource): ByteSource;
  /** The page was read, and its sink takes time to commit it. */
  commits(): void;
  /** The request goes out; the promise settles when the attempt ends. */
  follow(attempt: Promise<unknown>): void;
}

const attempts = Symbol('attempts');

/** A listener that measures: it reports each attempt itself, and receives no activities. */
interface MeasuringListener extends OnActivity {
  readonly [attempts]: (job: string, page: number) => ProgressReporter;
}

/** Creates a listener that measures, from a function that creates a reporter for each attempt at a page. */
export const measuring = (create: (job: string, page: number) => ProgressReporter): OnActivity =>
  Object.assign(() => {}, { [attempts]: create });

/** One listener in place of several; undefined: there is none. */
export function listeningTogether(all: readonly (OnActivity | undefined)[]): OnActivity | undefined {
  const listeners = all.filter((each) => each !== undefined);
  if (listeners.length <= 1) return listeners[0];
  return measuring((job, page) => {
    const all = listeners.map((listener) => createProgressReporter(job, page, listener));
    const each = (report: (reporter: ProgressReporter) => void) => {
      for (const reporter of all) report(reporter);
    };
    return {
      now: (state) => each((reporter) => reporter.now(state)),
      retry: (ms) => each((reporter) => reporter.retry(ms)),
      limit: (ms) => each((reporter) => reporter.limit(ms)),
      received: (chunk) => each((reporter) => reporter.received(chunk)),
      taken: (slab) => each((reporter) => reporter.taken(slab)),
      takenBack: () => each((reporter) => reporter.takenBack()),
      reading: (body) => all.reduce((read, reporter) => reporter.reading(read), body),
      commits: () => each((reporter) => reporter.commits()),
      follow: (attempt) => each((reporter) => reporter.follow(attempt)),
    };
  });
}

const isMeasuring = (listener: OnActivity): listener is MeasuringListener => attempts in listener;

const ignore = (): void => {};
const same = (body: ByteSource): ByteSource => body;

/** The reporter without a listener, shared by all attempts. */
const silent: ProgressReporter = {
  now: ignore,
  retry: ignore,
  limit: ignore,
  received: ignore,
  taken: ignore,
  takenBack: ignore,
  reading: same,
  commits: ignore,
  follow: ignore,
};

/** Starts to report an attempt at a page. */
export function createProgressReporter(job: string, page: number, listener: OnActivity | undefined): ProgressReporter {
  if (listener === undefined) return silent;
  if (isMeasuring(listener)) return listener[attempts](job, page);
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
    reading: same,
    commits: () => now('sink'),
    follow: ignore,
  };
}
