/** Rules on sinks that cut their output: which of two checkpoints holds, and an output that has lost its end. */
import { ExtractError } from '../../src/core/errors/errors.js';
import type { Exact } from '../../src/core/json/exact.js';
import type { Sink } from '../contract.js';
import type { Rule } from './bench.js';
import { mustEqual } from './items.js';
import { commitPage, open, resume, writePage } from './process.js';
import { ruleFor, type Scene } from './scene.js';
import { allLines } from './script.js';
import { messageOf } from './watched.js';

export const cuttingRules: readonly Rule[] = [
  ruleFor('cut', 'goes back to the older of two checkpoints', async (scene) => {
    const { bench, lanes } = scene;
    const [older] = await twoPages(scene);
    const sink = await resumed(scene, older);
    await addPage(scene, sink, 1);
    await bench.inTime('close', () => sink.close());
    mustEqual(await bench.read(lanes[0].dataType), allLines(lanes[0]));
  }),
  ruleFor('cut', 'refuses a checkpoint that its output does not reach, and changes nothing', async (scene) => {
    const {
      bench,
      lanes: [lane],
    } = scene;
    const [older, newer] = await twoPages(scene);
    const shorter = await resumed(scene, older);
    await bench.inTime('durable', () => shorter.durable?.());
    const sink = await bench.makeSink();
    mustBeRefused(
      await resumeAt(scene, sink, newer).then(
        () => undefined,
        (thrown: unknown) => ({ thrown }),
      ),
    );
    await resumeAt(scene, sink, older);
    await open(bench, sink, [lane]);
    await bench.inTime('close', () => sink.close());
    mustEqual(await bench.read(lane.dataType), allLines({ ...lane, pages: lane.pages.slice(0, 1) }));
  }),
];

/** Runs a first process that commits two pages. Resolves to what both commits returned. */
async function twoPages(scene: Scene): Promise<readonly [Exact, Exact]> {
  const sink = await resumed(scene, undefined);
  const checkpoints = [await addPage(scene, sink, 0), await addPage(scene, sink, 1)] as const;
  await scene.bench.inTime('durable', () => sink.durable?.());
  return checkpoints;
}

/** Starts a process at this checkpoint. */
async function resumed(scene: Scene, checkpoint: Exact | undefined): Promise<Sink> {
  const { bench, lanes } = scene;
  const sink = await bench.makeSink();
  await resumeAt(scene, sink, checkpoint);
  await open(bench, sink, lanes.slice(0, 1));
  return sink;
}

async function resumeAt({ bench, journal, lanes }: Scene, sink: Sink, checkpoint: Exact | undefined): Promise<void> {
  journal.checkpoints.clear();
  if (checkpoint !== undefined) journal.checkpoints.set(lanes[0].dataType, checkpoint);
  await resume(bench, sink, journal);
}

/** Writes and commits a page of the first lane. */
async function addPage({ bench, journal, lanes: [lane] }: Scene, sink: Sink, page: number): Promise<Exact> {
  await writePage(bench, sink, { journal, lane, page });
  const checkpoint = await commitPage(bench, sink, { journal, lane, page });
  if (checkpoint === undefined) throw new Error('commit returned no checkpoint, though the run stores them');
  return checkpoint;
}

function mustBeRefused(outcome: { readonly thrown: unknown } | undefined): void {
  if (outcome === undefined) throw new Error('a checkpoint was accepted that the output does not reach');
  const { thrown } = outcome;
  if (thrown instanceof ExtractError && thrown.code === 'ERR_RESUME') return;
  throw new Error(`resume must throw an ExtractError with the code ERR_RESUME, and threw: ${messageOf(thrown)}`);
}
