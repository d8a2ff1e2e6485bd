/** Parts of a run that many processes share, gathered by the last one: byte for byte what one process writes. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { sinkFromUri } from '../../../sinks/registry.js';
import type { Configuration } from '../../../src/config/configuration.js';
import { run } from '../../../src/run/extract.js';
import { inFolder } from '../../sinks/lib.js';
import { bytesIn, linesOf, manifestIn } from '../../sinks/parts/lib.js';
import { destination } from '../../sinks/transaction-log.js';
import { mulberry32 } from '../../support/mulberry32.js';
import { configurationOf, onServer, scenes } from '../scenes.js';
import { type RandomScene, randomScene } from './random-scene.js';
import { runShared } from './shared-run.js';

const drawing = (seed: number) => {
  const random = mulberry32(seed);
  return (below: number) => random() % below;
};

/** Compares the files of one process, of a shared run, and of one whose processes are killed and suspended. */
async function mustBeEqual(scene: RandomScene, seed: number): Promise<void> {
  const { block } = scene;
  await onServer(scene, async (server) =>
    inFolder(async (dir) => {
      const configuration = { ...configurationOf(scene, server.origin), ...iterationsOf(scene) } as Configuration;
      await run(configuration, { to: `csv:${join(dir, 'alone')}`, concurrency: 1 });
      const expected = bytesIn(join(dir, 'alone'));
      for (const [name, draw] of [
        ['shared', undefined],
        ['shaken', drawing(seed)],
      ] as const) {
        const parts = join(dir, `${name}.parts`);
        const make = () => sinkFromUri(`parts:${parts}?gather=csv:${join(dir, name)}`);
        await runShared(configuration, { to: destination(), make, concurrency: 1, block, draw });
        assert.equal(bytesIn(join(dir, name)), expected, `seed ${seed}, ${name}`);
        // What the manifest says of each part holds.
        for (const entry of manifestIn(parts)?.dataTypes ?? []) {
          linesOf(entry, (file) => readFileSync(join(parts, file)));
        }
      }
    })(),
  )();
}

const iterationsOf = ({ iterations }: RandomScene) => (iterations === undefined ? {} : { iterations });

for (const scene of scenes.filter(({ what }) => /^two jobs of one|^children two.*login/.test(what))) {
  test(`parts: ${scene.what}`, () => mustBeEqual({ ...scene, block: 1 }, 1));
}

test('random configurations', async () => {
  const first = Number(process.env.BOARD_SEED ?? Date.now() % 1_000_000);
  console.log(`first seed of shared parts: ${first}`);
  for (let seed = first; seed < first + Number(process.env.BOARD_RUNS ?? 1); seed += 1) {
    await mustBeEqual(randomScene(drawing(seed)), seed);
  }
});

test.run();
