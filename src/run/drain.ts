/**
 * Work that goes on after its subscriber has left (a page being taken back), so that a sink is not closed under it; and
 * whether more may begin.
 */
import { filter, firstValueFrom, Subject, startWith } from 'rxjs';

export interface Drain {
  track<T>(work: Promise<T>): Promise<T>;
  /**
   * Within tracked work: what nobody is asked for while it waits. If no page is to begin any more, that one does not:
   * it stands still until the signal aborts.
   */
  standStill<T>(until: Promise<T>, signal: AbortSignal): Promise<T>;
  /** Settles when nothing is under way. */
  idle(): Promise<void>;
  /** No page is to begin any more. Settles when those are through that do not stand still. */
  stop(): Promise<void>;
  readonly isStopping: boolean;
}

export function createDrain(): Drain {
  let underWay = 0;
  const changes = new Subject<void>();
  let standing = 0;
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
      standing += 1;
      changes.next();
      try {
        const value = await until;
        if (isStopping) await aborted(signal);
        return value;
      } finally {
        standing -= 1;
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
      const isThrough = filter(() => underWay <= standing);
      await firstValueFrom(changes.pipe(startWith(undefined), isThrough));
    },
    get isStopping() {
      return isStopping;
    },
  };
}

/** Rejects with the reason of the signal, once it aborts. */
const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
