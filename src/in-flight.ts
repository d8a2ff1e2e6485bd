/** Work that goes on after its subscriber has left (a page being taken back), so that a sink is not closed under it; and whether more may begin. */

export interface InFlight {
  track<T>(work: Promise<T>): Promise<T>;
  /** Settles when nothing is under way. */
  idle(): Promise<void>;
  /** No page is to begin any more. */
  stop(): void;
  readonly isStopping: boolean;
}

export function createInFlight(): InFlight {
  const all = new Set<Promise<unknown>>();
  let isStopping = false;
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
    stop() {
      isStopping = true;
    },
    get isStopping() {
      return isStopping;
    },
  };
}
