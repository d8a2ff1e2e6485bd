/**
 * The lock under `inTurn`: a line of numbered tickets. It stands alone because it knows of neither observables nor
 * promises.
 */

export type Leave = () => void;

export interface Semaphore {
  /**
   * Takes the last place in the line and calls `start` when its turn comes: at once if nobody is before it.
   * Hands out the way out, also to `start`: it leaves the line, or passes the turn on; calling it again does nothing.
   */
  enter(start: (leave: Leave) => void): Leave;
  /** Nobody holds a turn or waits for one. */
  isIdle(): boolean;
}

/**
 * `limit` turns at once. Tickets rather than a list of who waits: leaving from the middle is cheap and leaves nothing
 * behind.
 */
export function createLock(limit = 1): Semaphore {
  const waiting = new Map<number, (leave: Leave) => void>();
  let issued = 0;
  let called = 0;
  const holders = new Set<number>();
  let calling = false;

  /** A loop rather than a call from the leaver to the next one, so that a thousand who leave at once need no stack. */
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
