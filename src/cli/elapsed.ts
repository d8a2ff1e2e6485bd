/** Measures how long something takes in real time, also while a replay has a clock of its own. */

/** Starts to measure. The result returns the ms since then. */
export function startTimer(): () => number {
  const begun = process.hrtime.bigint();
  return () => Number(process.hrtime.bigint() - begun) / 1e6;
}
