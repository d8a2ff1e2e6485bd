/** Work that goes on after its subscriber has left (a page being taken back), so that a sink is not closed under it. */

export interface InFlight {
  track<T>(work: Promise<T>): Promise<T>;
  /** Settles when nothing is under way. */
  idle(): Promise<void>;
}

export function createInFlight(): InFlight {
  const all = new Set<Promise<unknown>>();
  return {
    track(work) {
      const settled: Promise<unknown> = work.then(
        () => all.delete(settled),
        () => all.delete(settled),
      );
      all.add(settled);
      return work;
    },
    async idle() {
      while (all.size > 0) await Promise.all(all);
    },
  };
}
