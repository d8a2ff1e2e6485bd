/**
 * How long a destination refuses older processes of a run that has ended. A process may have been suspended before it
 * took over its run: after the end of that run it would begin it anew, and store all of its items again.
 */

/** From the end of a run with a state. docs/07-sinks.md#processes-of-an-older-epoch. */
export const fenceDays = 7;

export const fenceSeconds = fenceDays * 86_400;

/** For the reference of sinks. */
export const fencedNote = `An older process of the same run cannot write any more when a newer one has started, and for ${fenceDays} days after the end of the run.`;
