/** The cache as a black box: processes that share a folder, and where it lies. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { json, startApi } from '../loopback/api.js';
import { filesIn, inTemporary, ownCommand } from './command.js';

interface Place {
  readonly words: (directory: string) => readonly string[];
  readonly env?: (directory: string) => Readonly<Record<string, string>>;
  readonly folder: string;
  /** Runs that begin together: two cannot write the same files of a data folder. */
  readonly atOnce: number;
}

const places: Readonly<Record<string, Place>> = {
  'in the folder of --cache-dir': {
    words: (directory) => ['config.json', '--to', 'null:', '--cache-dir', join(directory, 'here')],
    folder: 'here',
    atOnce: 2,
  },
  'in the cache of the user': {
    words: () => ['config.json', '--to', 'null:'],
    env: (directory) => ({ XDG_CACHE_HOME: join(directory, 'caches') }),
    folder: 'caches/rxtract',
    atOnce: 2,
  },
  'in the data folder': { words: (directory) => ['--data-dir', directory], folder: 'cache', atOnce: 1 },
};

for (const [where, { words, env, folder, atOnce }] of Object.entries(places)) {
  test(`kept ${where}: later requests reuse the responses of ${atOnce} concurrent ones`, () =>
    inTemporary(async (directory) => {
      const api = await startApi(() => json([{ id: 1 }]));
      try {
        const jobs = ['a', 'b', 'c'].map((endpoint) => ({ endpoint }));
        const document = { api: { baseUrl: `${api.origin}/` }, config: { jobs }, cache: true };
        await writeFile(join(directory, 'config.json'), JSON.stringify(document));
        await mkdir(join(directory, 'in'));
        await writeFile(join(directory, 'in', 'state.json'), '{}');
        const run = () =>
          ownCommand(['run', ...words(directory), '--strict', '--log', 'json'], {
            cwd: directory,
            ...(env === undefined ? {} : { env: env(directory) }),
          });
        const first = Array.from({ length: atOnce }, run);
        for (const { exit, stderr } of await Promise.all(first)) assert.is(exit, 0, stderr);
        const asked = api.requests.length;
        const { exit, stderr } = await run();
        assert.is(exit, 0, stderr);
        assert.is(api.requests.length, asked);
        const [summary = '{}'] = stderr.trim().split('\n').slice(-1);
        const rows = JSON.parse(summary).jobs.map(({ requests, cached }: { requests: number; cached: number }) => [
          requests,
          cached,
        ]);
        assert.equal(rows, [
          [0, 1],
          [0, 1],
          [0, 1],
        ]);
        const names = Object.keys(await filesIn(join(directory, folder)));
        assert.is(names.length, 3);
        assert.ok(names.every((name) => /^[\da-f]{64}$/.test(name)));
      } finally {
        await api.close();
      }
    }));
}

test.run();
