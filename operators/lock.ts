/** The lock under `inTurn`: a line of numbered tickets. It stands alone because it knows of neither observables nor promises. */

export type Leave = () => void;

export interface Lock {
  /**
   * Takes the last place in the line and calls `start` when its turn comes: at once if nobody is before it.
   * Hands out the way out, also to `start`: it leaves the line, or passes the turn on; calling it again does nothing.
   */
  enter(start: (leave: Leave) => void): Leave;
  /** Nobody holds the turn or waits for it. */
  isIdle(): boolean;
}

/** Tickets rather than a list of who waits: leaving from the middle is cheap and leaves nothing behind. */
export function createLock(): Lock {
  const waiting = new Map<number, (leave: Leave) => void>();
  let issued = 0;
  let called = 0;
  let holder: number | undefined;
  let calling = false;

  /** A loop rather than a call from the leaver to the next one, so that a thousand who leave at once need no stack. */
  const callNext = () => {
    if (calling) return;
    calling = true;
    while (holder === undefined && called < issued) {
      const ticket = called;
      const start = waiting.get(ticket);
      called += 1;
      if (start === undefined) continue;
      waiting.delete(ticket);
      holder = ticket;
      start(() => leave(ticket));
    }
    calling = false;
  };

  const leave = (ticket: number) => {
    if (waiting.delete(ticket) || holder !== ticket) return;
    holder = undefined;
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
    isIdle: () => holder === undefined && waiting.size === 0,
  };
}
