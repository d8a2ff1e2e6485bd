/** Follows what each attempt at a page waits for, as parts of its time: for `rxtract bench`, metrics and traces. */
import { borrowingLike, type TakeChunk } from '../core/util/byte-source.js';
import { measuring, type OnActivity, type PagePhase, type ProgressReporter } from './progress.js';
import type { Slab } from './scanner/scanner.js';

/**
 * `scanning`: a chunk of a body passes scanner and stages. `sink`: it takes items or commits a page. `receiving`: bytes
 * of a body are to come. `login`: credentials, or the turn to obtain them. `waiting`: for the head of a response.
 * `limit`: the rate limiter. `retry`: the delay before a retry.
 */
export type PagePart = 'scanning' | 'sink' | 'receiving' | 'login' | 'waiting' | 'limit' | 'retry';

/** Follows one attempt. Its methods must be fast, and must not throw. */
export interface AttemptWatch {
  /** The attempt changes from one part to another; undefined: it is in none, before its begin and after its end. */
  move(from: PagePart | undefined, to: PagePart | undefined): void;
  /** Bytes of the body have arrived, decoded. */
  received?(bytes: number): void;
  /** The sink has accepted items. */
  taken?(slab: Slab): void;
  /** The sink has rolled the page back. */
  takenBack?(): void;
  /** The page was read, and its sink begins to commit it. */
  commits?(): void;
  /** The attempt has failed, and another one begins after a wait. */
  retries?(): void;
}

const parts: Readonly<Record<PagePhase, PagePart>> = {
  turn: 'login',
  login: 'login',
  limit: 'limit',
  answer: 'waiting',
  page: 'receiving',
  sink: 'sink',
  retry: 'retry',
};

/** A listener for the option `onActivity`. `watch` is called when an attempt at a page begins. */
export function watchingAttempts(watch: (job: string, page: number) => AttemptWatch): OnActivity {
  const waiting = new Map<string, AttemptMeter[]>();
  return measuring((job, page) => {
    const key = `${page} ${job}`;
    const before = waiting.get(key) ?? [];
    // A wait before a retry ends, and a login that failed, when the next attempt begins.
    before.shift()?.end();
    const attempt = new AttemptMeter(watch(job, page), () => {
      const open = waiting.get(key)?.filter((each) => each !== attempt) ?? [];
      if (open.length === 0) waiting.delete(key);
      else waiting.set(key, open);
    });
    waiting.set(key, [...before, attempt]);
    return attempt;
  });
}

/** One attempt at a page. */
class AttemptMeter implements ProgressReporter {
  readonly #watch: AttemptWatch;
  readonly #onFollowed: () => void;
  #part: PagePart | undefined = undefined;
  /** The reader processes a chunk. */
  #isScanning = false;
  #isRead = false;

  constructor(watch: AttemptWatch, onFollowed: () => void) {
    this.#watch = watch;
    this.#onFollowed = onFollowed;
  }

  now(state: PagePhase): void {
    this.#move(state === 'turn' && (this.#isScanning || this.#isRead) ? 'sink' : parts[state]);
  }

  retry(): void {
    this.#watch.retries?.();
    this.#move('retry');
  }

  limit(): void {
    this.#move('limit');
  }

  received(chunk: Uint8Array): void {
    this.#watch.received?.(chunk.length);
  }

  taken(slab: Slab): void {
    this.#watch.taken?.(slab);
    this.#move('scanning');
  }

  takenBack(): void {
    this.#watch.takenBack?.();
  }

  reading(body: Parameters<ProgressReporter['reading']>[0]): typeof body {
    const end = () => {
      this.#isScanning = false;
      this.#move('receiving');
    };
    return {
      read: async (take, endFile) => {
        const taking: TakeChunk = (chunk) => {
          this.#isScanning = true;
          this.#move('scanning');
          const waiting = take(chunk);
          if (waiting === undefined) return end();
          return waiting.finally(end);
        };
        await body.read(borrowingLike(take, taking), endFile);
        this.#isRead = true;
        this.#move('scanning');
      },
    };
  }

  commits(): void {
    this.#watch.commits?.();
    this.#move('sink');
  }

  follow(attempt: Promise<unknown>): void {
    this.#onFollowed();
    const end = () => this.end();
    attempt.then(end, end);
  }

  end(): void {
    this.#onFollowed();
    this.#move(undefined);
  }

  #move(to: PagePart | undefined): void {
    this.#watch.move(this.#part, to);
    this.#part = to;
  }
}
