/**
 * A run that is killed at any moment: it is resumed from each state of the journal (of a long one from every few), and
 * the output is that of an uninterrupted run.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ndjson } from '../../sinks/files/ndjson.js';
import { openCheckpoint } from '../../src/checkpoint/checkpoint.js';
import { textOf } from '../../src/checkpoint/records.js';
import { run } from '../../src/run/extract.js';
import type { Api } from '../loopback/api.js';
import { filesIn } from '../sinks/lib.js';
import { type Held, memoryStore } from './memory-store.js';
import { configurationOf, onServer, type Scene, scenes, secret, token } from './scenes.js';

interface Played {
  readonly files: Readonly<Record<string, string>>;
  readonly moments: readonly Held[];
  /** What was asked for, what is free left out. */
  readonly asked: readonly string[];
  readonly pages: number;
  readonly guarantee: string | undefined;
}

/** Runs a scene in the directory, with a store that holds something already. */
async function play(scene: Scene, server: Api, dir: string, before?: Held): Promise<Played> {
  const start = server.requests.length;
  const store = memoryStore(before);
  const { concurrency = 1 } = scene;
  const configuration = configurationOf(scene, server.origin);
  const { jobs, guarantee } = await run(configuration, { to: ndjson(dir), store, resume: true, concurrency });
  assert.is(store.isOpen, false);
  const targets = server.requests.slice(start).map(({ target }) => target);
  return {
    files: filesIn(dir),
    moments: store.moments,
    asked: targets.filter((target) => scene.isFree?.(target) !== true),
    pages: jobs.reduce((sum, job) => sum + job.pages, 0),
    guarantee,
  };
}

/** As a run leaves it that is killed again as soon as it has written its journal anew. */
async function shortened({ records, parts }: Held): Promise<Held> {
  const checkpoint = await openCheckpoint(memoryStore({ records, parts }), { resume: true });
  const [position] = checkpoint.earlier;
  await checkpoint.close();
  return { records: position === undefined ? [] : [position.begin, position.snapshot()].map(textOf), parts };
}

/** How often a page is asked for again: with children side by side also those that were read ahead. */
const mostAgain = ({ concurrency = 1 }: Scene): number => (concurrency === 1 ? 0 : Number.POSITIVE_INFINITY);

for (const scene of scenes) {
  test(
    `every moment: ${scene.what}`,
    onServer(scene, async (server, dir) => {
      const whole = await play(scene, server, join(dir, 'whole'));
      assert.is(whole.guarantee, 'exactly once');
      const written = whole.moments.flatMap(({ records }) => records).join('');
      for (const hidden of [secret, token]) assert.not.ok(written.includes(hidden), 'a secret was written down');

      const killed = whole.moments.filter(
        ({ records }) => !records.some((text) => /"type":"(publishing|done)"/.test(text)),
      );
      assert.ok(killed.length > (scene.discards ? whole.pages : whole.asked.length), 'a moment for each page');
      for (const [index, held] of killed.entries()) {
        if (index % (scene.stride ?? 1) > 0) continue;
        const own = join(dir, String(index));
        mkdirSync(own);
        // Files may be ahead of the journal, torn lines included; never behind it.
        for (const [name, text] of Object.entries(whole.files))
          writeFileSync(join(own, `${name}.partial`), `${text}{"to`);
        const before = index % 2 === 0 ? held : await shortened(held);
        const rest = await play(scene, server, own, before);
        assert.equal(rest.files, whole.files, `moment ${index}`);
        assert.is(rest.pages, whole.pages, `moment ${index}`);
        if (scene.discards === true) continue;
        const done = held.records.filter((text) => text.includes('"type":"page"')).length;
        const again = rest.asked.length - (whole.asked.length - done);
        assert.ok(again <= mostAgain(scene), `moment ${index}: ${again} pages were asked for again`);
        assert.ok(again >= 0, `moment ${index}`);
      }
    }),
  );
}

test.run();
