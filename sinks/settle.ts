/** Waits for several things to settle, whether they fail or not. */

/** Settles when all have; then throws the first failure in the given order. */
export async function settleAll(all: Iterable<unknown>): Promise<void> {
  const outcomes = await Promise.allSettled(all);
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') throw outcome.reason;
  }
}
