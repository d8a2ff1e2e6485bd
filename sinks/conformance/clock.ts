/** How long a rule waits: whether work settles in time is the only thing that it knows of time. */

export interface Clock {
  /** Whether the work settles in time; rejects if the work does. */
  settles(work: Promise<unknown>): Promise<boolean>;
  /** Throws when the work lasts too long. */
  inTime<T>(what: string, work: () => T | Promise<T>): Promise<T>;
}

/** `tooLong` settles when a call has lasted too long, or when its signal aborts. */
export function createClock(tooLong: (signal: AbortSignal) => Promise<unknown>): Clock {
  const settles = async (work: Promise<unknown>) => {
    const controller = new AbortController();
    const late = tooLong(controller.signal).then(() => false);
    try {
      return await Promise.race([work.then(() => true), late]);
    } finally {
      controller.abort();
    }
  };

  return {
    settles,
    async inTime(what, work) {
      const result = (async () => work())();
      if (!(await settles(result))) throw new Error(`${what} did not settle`);
      return result;
    },
  };
}
