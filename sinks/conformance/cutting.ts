/** Rules on sinks that cut their output: which of two checkpoints holds, and an output that has lost its end. */
import { ExtractError } from '../../src/core/errors/errors.js';
import type { Exact } from '../../src/core/json/exact.js';
import type { Sink } from '../contract.js';
import type { Bench, Rule } from './bench.js';
import { mustEqual } from './items.js';
import {
  allLines,
  batchesOf,
  earlierOf,
  endOf,
  lanesOf,
  newJournal,
  type ScriptJournal,
  type ScriptLane,
} from './script.js';
import { messageOf } from './watched.js';

const noCut = 'the sink does not declare recovery "cut"';

export const cuttingRules: readonly Rule[] = [
  rule('goes back to the older of two checkpoints', async (scene) => {
    const [older] = await twoPages(scene);
    const sink = await resumed(scene, older);
    await writePage(scene, sink, 1);
    await scene.bench.inTime('close', () => sink.close());
    mustEqual(await scene.bench.read(scene.lane.dataType), allLines(scene.lane));
  }),
  rule('refuses a checkpoint that its output does not reach, and changes nothing', async (scene) => {
    const [older, newer] = await twoPages(scene);
    const shorter = await resumed(scene, older);
    await scene.bench.inTime('durable', () => shorter.durable?.());
    const sink = await scene.bench.makeSink();
    mustBeRefused(
      await resumeAt(scene, sink, newer).then(
        () => undefined,
        (thrown: unknown) => ({ thrown }),
      ),
    );
    await resumeAt(scene, sink, older);
    await open(scene, sink);
    await scene.bench.inTime('close', () => sink.close());
    const kept = { ...scene.lane, pages: scene.lane.pages.slice(0, 1) };
    mustEqual(await scene.bench.read(scene.lane.dataType), allLines(kept));
  }),
];

interface Scene {
  readonly bench: Bench;
  readonly journal: ScriptJournal;
  readonly lane: ScriptLane;
}

function rule(name: string, work: (scene: Scene) => Promise<void>): Rule {
  return {
    name,
    async run(bench) {
      const sink = await bench.makeSink();
      const [lane] = lanesOf(bench.dataType);
      if (sink.recovery !== 'cut' || lane === undefined) return noCut;
      await work({ bench, journal: newJournal(bench.dataType), lane });
      return undefined;
    },
  };
}

/** A first process that commits two pages, and ends there. Resolves to what both commits returned. */
async function twoPages(scene: Scene): Promise<readonly [Exact, Exact]> {
  const sink = await scene.bench.makeSink();
  await resumeAt(scene, sink, undefined);
  await open(scene, sink);
  const checkpoints = [await writePage(scene, sink, 0), await writePage(scene, sink, 1)] as const;
  await scene.bench.inTime('durable', () => sink.durable?.());
  return checkpoints;
}

/** Another process, at this checkpoint. */
async function resumed(scene: Scene, checkpoint: Exact): Promise<Sink> {
  const sink = await scene.bench.makeSink();
  await resumeAt(scene, sink, checkpoint);
  await open(scene, sink);
  return sink;
}

async function resumeAt({ bench, journal, lane }: Scene, sink: Sink, checkpoint: Exact | undefined): Promise<void> {
  journal.epoch += 1;
  journal.checkpoints.clear();
  if (checkpoint !== undefined) journal.checkpoints.set(lane.dataType, checkpoint);
  await bench.inTime('resume', () => sink.resume?.(earlierOf(journal)));
}

const open = ({ bench, lane }: Scene, sink: Sink): Promise<void> =>
  bench.inTime('open', () => sink.open?.(lane.dataType, lane.dataType));

async function writePage({ bench, journal, lane }: Scene, sink: Sink, page: number): Promise<Exact> {
  const { signal } = new AbortController();
  for (const batch of batchesOf(journal, lane, page)) await bench.inTime('write', () => sink.write(batch, signal));
  const checkpoint = await bench.inTime('commit', () => sink.commit?.(endOf(journal, lane, page), signal));
  if (checkpoint === undefined) throw new Error('commit returned no checkpoint, though the run stores them');
  return checkpoint;
}

function mustBeRefused(outcome: { readonly thrown: unknown } | undefined): void {
  if (outcome === undefined) throw new Error('a checkpoint was accepted that the output does not reach');
  const { thrown } = outcome;
  if (thrown instanceof ExtractError && thrown.code === 'ERR_RESUME') return;
  throw new Error(`resume must throw an ExtractError with the code ERR_RESUME, and threw: ${messageOf(thrown)}`);
}
