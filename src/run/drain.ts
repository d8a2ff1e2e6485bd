/**
 * Tracks work that continues after its subscriber has left, such as a rollback, so that the sink is closed after it.
 * Also decides whether further pages may begin.
 */
import { filter, firstValueFrom, Subject, startWith } from 'rxjs';

export interface Drain {
  track<T>(work: Promise<T>): Promise<T>;
  /**
   * Waits for `until` within tracked work, without counting as active. After `stop()` it does not continue, but waits
   * until the signal aborts.
   */
  standStill<T>(until: Promise<T>, signal: AbortSignal): Promise<T>;
  /** Settles when no tracked work remains. */
  idle(): Promise<void>;
  /** Lets no further page begin. Settles when all active work is complete; work in `standStill` is not active. */
  stop(): Promise<void>;
  readonly isStopping: boolean;
}

export function createDrain(): Drain {
  let underWay = 0;
  const changes = new Subject<void>();
  let waiting = 0;
  let isStopping = false;
  return {
    track(work) {
      const settle = () => {
        underWay -= 1;
        changes.next();
      };
      underWay += 1;
      work.then(settle, settle);
      return work;
    },
    async standStill(until, signal) {
      waiting += 1;
      changes.next();
      try {
        const value = await until;
        if (isStopping) await aborted(signal);
        return value;
      } finally {
        waiting -= 1;
      }
    },
    async idle() {
      await firstValueFrom(
        changes.pipe(
          startWith(undefined),
          filter(() => underWay === 0),
        ),
      );
    },
    async stop() {
      isStopping = true;
      const isThrough = filter(() => underWay <= waiting);
      await firstValueFrom(changes.pipe(startWith(undefined), isThrough));
    },
    get isStopping() {
      return isStopping;
    },
  };
}

/** Rejects with the reason of the signal when it aborts. */
const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
