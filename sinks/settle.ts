/** Waits for several things to end, whatever becomes of each of them. */

/** Settles when all have; then throws what the first that failed, in the order given, had thrown. */
export async function settleAll(all: Iterable<unknown>): Promise<void> {
  const outcomes = await Promise.allSettled(all);
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') throw outcome.reason;
  }
}
