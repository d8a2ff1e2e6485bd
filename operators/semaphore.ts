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

/**
 * Creates a semaphore for `limit` turns at once. Those that wait are in a map by their tickets, as leaving from the
 * middle is cheap there; a turn that is free costs no entry.
 */
export function createSemaphore(limit = 1): Semaphore {
  const waiting = new Map<number, () => void>();
  let issued = 0;
  let taken = 0;
  let calling = false;

  /** A loop instead of recursion: a thousand turns that end at once need no stack. */
  const callNext = () => {
    if (calling) return;
    calling = true;
    while (taken < limit && waiting.size > 0) {
      for (const [ticket, begin] of waiting) {
        waiting.delete(ticket);
        begin();
        break;
      }
    }
    calling = false;
  };

  return {
    enter(start) {
      let place: 'waiting' | 'taken' | 'left' = 'waiting';
      const ticket = issued;
      const leave = () => {
        const before = place;
        place = 'left';
        if (before === 'waiting') waiting.delete(ticket);
        if (before !== 'taken') return;
        taken -= 1;
        callNext();
      };
      const begin = () => {
        place = 'taken';
        taken += 1;
        start(leave);
      };
      issued += 1;
      if (calling || taken >= limit || waiting.size > 0) waiting.set(ticket, begin);
      else {
        calling = true;
        begin();
        calling = false;
      }
      callNext();
      return leave;
    },
    isIdle: () => taken === 0 && waiting.size === 0,
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
    let isOver = false;
    const leave = enter((given) => {
      isOver = true;
      signal?.removeEventListener('abort', giveUp);
      resolve(given);
    });
    if (!isOver) signal?.addEventListener('abort', giveUp);
  });
}
