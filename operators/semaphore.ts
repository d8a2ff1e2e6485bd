/** The semaphore of `inTurn`: a queue of numbered tickets. It knows nothing about observables or promises. */

export type Leave = () => void;

export interface Semaphore {
  /**
   * Joins the queue and calls `start` at its turn, at once if the queue is empty. Returns the function that leaves the
   * queue or releases the turn, and also passes it to `start`; calling it twice has no effect.
   */
  enter(start: (leave: Leave) => void): Leave;
  /** Whether no turn is taken or waited for. */
  isIdle(): boolean;
}

/** Creates a semaphore for `limit` turns at once. Tickets instead of a list: leaving from the middle is cheap. */
export function createSemaphore(limit = 1): Semaphore {
  const waiting = new Map<number, (leave: Leave) => void>();
  let issued = 0;
  let called = 0;
  const holders = new Set<number>();
  let calling = false;

  /** A loop instead of recursion: a thousand turns that end at once need no stack. */
  const callNext = () => {
    if (calling) return;
    calling = true;
    while (holders.size < limit && called < issued) {
      const ticket = called;
      const start = waiting.get(ticket);
      called += 1;
      if (start === undefined) continue;
      waiting.delete(ticket);
      holders.add(ticket);
      start(() => leave(ticket));
    }
    calling = false;
  };

  const leave = (ticket: number) => {
    if (waiting.delete(ticket) || !holders.delete(ticket)) return;
    callNext();
  };

  return {
    enter(start) {
      const ticket = issued;
      issued += 1;
      waiting.set(ticket, start);
      callNext();
      return () => leave(ticket);
    },
    isIdle: () => holders.size === 0 && waiting.size === 0,
  };
}

/**
 * Joins a queue and resolves with the value that `start` gets at its turn. An abort while waiting leaves the queue and
 * rejects with the signal's reason; a later abort has no effect.
 */
export function acquire<T>(enter: (start: (given: T) => void) => Leave, signal?: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(signal.reason);
      return;
    }
    const giveUp = () => {
      leave();
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', giveUp);
    const leave = enter((given) => {
      signal?.removeEventListener('abort', giveUp);
      resolve(given);
    });
  });
}
