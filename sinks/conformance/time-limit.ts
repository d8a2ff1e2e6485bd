/** The time limit of rules: they only check whether work settles in time. */

export interface Clock {
  /** Whether the work settles in time; rejects if the work does. */
  settles(work: Promise<unknown>): Promise<boolean>;
  /** Throws when the work takes too long. */
  inTime<T>(what: string, work: () => T | Promise<T>): Promise<T>;
}

/** Creates a clock. `tooLong` settles when a call has taken too long, or when its signal aborts. */
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
