/** Measures the pages of a run: what each attempt waits for, and how long. It exists only in `rxtract bench`. */
import { measuring, type PagePhase, type ProgressReporter } from '../../page/progress.js';
import { createPhaseClock, type PagePart, type RunPhase } from './phases.js';

export interface Meter {
  /** The option `onActivity` of the run. */
  readonly onActivity: ReturnType<typeof measuring>;
  /** Bytes of bodies so far. */
  received(): number;
  /** What was measured so far. */
  read(): MeterReading;
}

export interface MeterReading {
  /** Nanoseconds in each phase. */
  readonly phases: Readonly<Record<RunPhase, number>>;
  /** Decoded bytes of all bodies. */
  readonly received: number;
  /** How often the meter was called. */
  readonly calls: number;
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

/** Starts to measure. `now`: nanoseconds, from any start. */
export function createMeter(now: () => number): Meter {
  const clock = createPhaseClock(now);
  const sums = { received: 0, calls: 0 };
  const waiting = new Map<string, AttemptMeter[]>();
  const shared: MeterContext = { clock, sums };
  return {
    onActivity: measuring((job, page) => {
      const key = `${page} ${job}`;
      const before = waiting.get(key) ?? [];
      // A wait before a retry ends, and a login that failed, when the next attempt begins.
      before.shift()?.end();
      const attempt = new AttemptMeter(shared, () => {
        const open = waiting.get(key)?.filter((each) => each !== attempt) ?? [];
        if (open.length === 0) waiting.delete(key);
        else waiting.set(key, open);
      });
      waiting.set(key, [...before, attempt]);
      return attempt;
    }),
    received: () => sums.received,
    read: () => ({ phases: clock.read(), ...sums }),
  };
}

interface MeterContext {
  readonly clock: ReturnType<typeof createPhaseClock>;
  readonly sums: { received: number; calls: number };
}

/** One attempt at a page. */
class AttemptMeter implements ProgressReporter {
  readonly #shared: MeterContext;
  readonly #onFollowed: () => void;
  #part: PagePart | undefined = undefined;
  /** The reader processes a chunk. */
  #isScanning = false;
  #isRead = false;

  constructor(shared: MeterContext, onFollowed: () => void) {
    this.#shared = shared;
    this.#onFollowed = onFollowed;
  }

  now(state: PagePhase): void {
    this.#move(state === 'turn' && (this.#isScanning || this.#isRead) ? 'sink' : parts[state]);
  }

  retry(): void {
    this.#move('retry');
  }

  limit(): void {
    this.#move('limit');
  }

  received(chunk: Uint8Array): void {
    this.#shared.sums.received += chunk.length;
  }

  taken(): void {
    this.#move('scanning');
  }

  takenBack(): void {}

  reading(body: Parameters<ProgressReporter['reading']>[0]): typeof body {
    const end = () => {
      this.#isScanning = false;
      this.#move('receiving');
    };
    return {
      read: async (take) => {
        await body.read((chunk) => {
          this.#isScanning = true;
          this.#move('scanning');
          const waiting = take(chunk);
          if (waiting === undefined) return end();
          return waiting.finally(end);
        });
        this.#isRead = true;
        this.#move('scanning');
      },
    };
  }

  commits(): void {
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
    this.#shared.sums.calls += 1;
    this.#shared.clock.move(this.#part, to);
    this.#part = to;
  }
}
