/** Rules on killed processes: the next process finds a valid state, whichever call was the last. */
import type { Sink } from '../contract.js';
import type { Bench, Rule } from './bench.js';
import { mustArrive } from './items.js';
import { callsOf } from './process.js';
import { allLines, lanesOf, newJournal, type ScriptJournal, type ScriptLane } from './script.js';
import { messageOf } from './watched.js';

/** The calls of the resuming process at which the second kill occurs, in turn; few, because sinks on disks are slow. */
const secondKills = [1, 3, 6];

export const killingRules: readonly Rule[] = [
  {
    name: 'is complete after a kill between any two calls',
    async run(bench) {
      for (let calls = 1; await survives(bench, [calls]); calls++);
      return undefined;
    },
  },
  {
    name: 'is complete after two kills',
    async run(bench) {
      for (let calls = 1; await survives(bench, [calls, secondKills[calls % secondKills.length] ?? 1]); calls++);
      return undefined;
    },
  },
  {
    name: 'can publish again in another process',
    async run(bench) {
      const { lanes, journal } = scene(bench, 'again');
      await finish(bench, await bench.makeSink(), journal, lanes);
      journal.phase = 'publishing';
      await finish(bench, await bench.makeSink(), journal, lanes);
      const sink = await bench.makeSink();
      await mustHold(bench, sink, lanes);
      return undefined;
    },
  },
];

/** The lanes and the journal of a run of its own. */
export function scene(
  { dataType }: Bench,
  name: string,
): { readonly lanes: readonly ScriptLane[]; readonly journal: ScriptJournal } {
  return { lanes: lanesOf(`${dataType}-${name}`), journal: newJournal(`${dataType}-${name}`) };
}

/**
 * Runs processes over one journal and kills each but the last after a number of calls. Throws unless the output is
 * complete at the end. False: the run ended before its first kill.
 */
async function survives(bench: Bench, kills: readonly number[]): Promise<boolean> {
  const { lanes, journal } = scene(bench, kills.join('-'));
  const killed: Sink[] = [];
  const history: string[] = [];
  let isDone = false;
  try {
    for (const count of kills) {
      const sink = await bench.makeSink();
      const { names, isOver } = await firstCalls(callsOf(sink, journal, lanes, bench), count);
      if (isOver) isDone ||= killed.length === 0;
      history.push(names.at(-1) ?? 'nothing');
      // Accepted data may still reach the destination. Fewer calls cover the case that it does not.
      await bench.inTime('durable', () => sink.durable?.()).catch(() => {});
      killed.push(sink);
    }
    const last = await bench.makeSink();
    if (journal.phase !== 'done') await finish(bench, last, journal, lanes);
    await mustHold(bench, last, lanes);
  } catch (thrown) {
    throw new Error(`killed after ${history.join(', then after ')}: ${messageOf(thrown)}`);
  }
  for (const sink of killed) await bench.inTime('abort', () => sink.abort(new Error('killed'))).catch(() => {});
  return !isDone;
}

/** Makes so many calls of a process. `isOver`: it had fewer. */
export async function firstCalls(calls: AsyncGenerator<string>, count: number) {
  const names: string[] = [];
  while (names.length < count) {
    const { done, value } = await calls.next();
    if (done) return { names, isOver: true };
    names.push(value);
  }
  return { names, isOver: false };
}

async function finish(bench: Bench, sink: Sink, journal: ScriptJournal, lanes: readonly ScriptLane[]): Promise<void> {
  for await (const _ of callsOf(sink, journal, lanes, bench));
}

/** Throws unless each lane has all its items. */
export async function mustHold({ read }: Bench, sink: Sink, lanes: readonly ScriptLane[]): Promise<void> {
  for (const lane of lanes) mustArrive(await read(lane.dataType), allLines(lane), sink);
}
