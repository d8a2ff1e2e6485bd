/** A rule on sinks of one recovery, and the run that it plays. */
import type { Recovery } from '../contract.js';
import type { Bench, Rule } from './bench.js';
import { lanesOf, newJournal, type ScriptJournal, type ScriptLane } from './script.js';

export interface Scene {
  readonly bench: Bench;
  /** Of a fresh start. */
  readonly journal: ScriptJournal;
  readonly lanes: readonly [ScriptLane, ScriptLane];
}

/** Creates a rule that is skipped for sinks of another recovery. */
export const ruleFor = (recovery: Recovery, name: string, work: (scene: Scene) => Promise<void>): Rule => ({
  name,
  async run(bench) {
    const sink = await bench.makeSink();
    if (sink.recovery !== recovery) return `the sink does not declare recovery "${recovery}"`;
    await work({ bench, journal: newJournal(bench.dataType), lanes: lanesOf(bench.dataType) });
    return undefined;
  },
});
