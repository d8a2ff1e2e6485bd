/** The rule on a destination that ends and starts again: the sink connects again, and the run is complete. */
import type { Bench, Rule } from './bench.js';
import { firstCalls, mustHold, scene } from './killing.js';
import { callsOf, isJournalStep } from './process.js';
import { messageOf } from './watched.js';

export const restartingRules: readonly Rule[] = [
  {
    name: 'is complete after its destination ends between any two calls',
    async run(bench) {
      if (bench.restart === undefined) return 'no function that restarts the destination was given: option "restart"';
      for (const count of restartsOf(await namesOf(bench), bench)) await survive(bench, bench.restart, count);
      return undefined;
    },
  },
];

/** The names of the calls of a run, in their order. */
async function namesOf(bench: Bench): Promise<readonly string[]> {
  const { lanes, journal } = scene(bench, 'restart-0');
  const { names } = await firstCalls(callsOf(await bench.makeSink(), journal, lanes, bench), Number.POSITIVE_INFINITY);
  return names;
}

/** After how many calls the destination ends, each in a run of its own. */
function restartsOf(names: readonly string[], { restartAfter }: Bench): readonly number[] {
  const all = names.flatMap((name, index) => (isJournalStep(name) ? [] : [index + 1]));
  if (restartAfter === undefined) return all;
  const lastOf = (kind: string) => all.filter((count) => names[count - 1]?.split(' ')[0] === kind).slice(-1);
  return restartAfter.flatMap(lastOf);
}

/** Ends the destination after a number of calls. Throws unless the output is complete. */
async function survive(bench: Bench, restart: () => Promise<void>, count: number): Promise<void> {
  const { lanes, journal } = scene(bench, `restart-${count}`);
  const sink = await bench.makeSink();
  const calls = callsOf(sink, journal, lanes, bench);
  const { names } = await firstCalls(calls, count);
  try {
    await restart();
    for await (const _ of calls);
    await mustHold(bench, sink, lanes);
  } catch (thrown) {
    throw new Error(`restarted after ${names.at(-1)}: ${messageOf(thrown)}`);
  }
}
