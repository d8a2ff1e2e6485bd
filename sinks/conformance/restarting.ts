/** The rule on a destination that ends and starts again: the sink connects again, and the run is complete. */
import type { Bench, Rule } from './bench.js';
import { firstCalls, mustHold, scene } from './killing.js';
import { callsOf } from './process.js';
import { messageOf } from './watched.js';

export const restartingRules: readonly Rule[] = [
  {
    name: 'is complete after its destination ends between any two calls',
    async run(bench) {
      if (bench.restart === undefined) return 'no function that restarts the destination was given: option "restart"';
      for (let calls = 1; await survives(bench, bench.restart, calls); calls++);
      return undefined;
    },
  },
];

/** Ends the destination after a number of calls. Throws unless the output is complete. False: the run ended before. */
async function survives(bench: Bench, restart: () => Promise<void>, count: number): Promise<boolean> {
  const { lanes, journal } = scene(bench, `restart-${count}`);
  const sink = await bench.makeSink();
  const calls = callsOf(sink, journal, lanes, bench);
  const { names, isOver } = await firstCalls(calls, count);
  if (isOver) return false;
  try {
    await restart();
    for await (const _ of calls);
    await mustHold(bench, sink, lanes);
  } catch (thrown) {
    throw new Error(`restarted after ${names.at(-1)}: ${messageOf(thrown)}`);
  }
  return true;
}
