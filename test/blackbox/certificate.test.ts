/** A run that is killed and resumed has the certificate of an uninterrupted one. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { items, json, startApi } from '../loopback/api.js';
import { inTemporary, ownCommand } from './command.js';

test('killed twice and resumed, a run certifies all of its pages', () =>
  inTemporary(async (cwd) => {
    let kill = () => {};
    let killAt: number | undefined;
    const api = await startApi(({ target }) => {
      const page = Number(/page=(\d+)/.exec(target)?.[1]);
      if (page === killAt) {
        kill();
        return { body: () => {} };
      }
      return json(items(page * 10, page < 6 ? 10 : 3));
    });
    try {
      const pagination = { method: 'pagenum', limit: 10 };
      const config = { api: { baseUrl: `${api.origin}/`, pagination }, config: { jobs: [{ endpoint: 'rows' }] } };
      await writeFile(join(cwd, 'config.json'), JSON.stringify(config));
      const run = (out: string, ...words: readonly string[]) =>
        ownCommand(['run', 'config.json', '--to', `ndjson:${out}`, '--certificate', `${out}.json`, ...words], {
          cwd,
          onStart(signal) {
            kill = () => signal('SIGKILL');
          },
        });
      const certificate = async (out: string) => JSON.parse(await readFile(join(cwd, `${out}.json`), 'utf8'));
      assert.is((await run('whole')).exit, 0);
      for (killAt of [3, 5]) assert.is((await run('out', '--state', 'st', '--resume')).exit, null);
      killAt = undefined;
      assert.is((await run('out', '--state', 'st', '--resume')).exit, 0);
      const [whole, resumed] = [await certificate('whole'), await certificate('out')];
      assert.equal([resumed.pages, resumed.walks], [whole.pages, whole.walks]);
      assert.equal([whole.run.resumed, resumed.run.resumed, resumed.run.guarantee], [false, true, 'exactly once']);
      assert.equal(resumed.outputs[0].files[0].sha256, whole.outputs[0].files[0].sha256);
      const verified = await ownCommand(['verify', 'out.json'], { cwd });
      assert.is(verified.exit, 0, verified.stdout);

      await writeFile(join(cwd, 'out.json'), '');
      const again = await run('out', '--state', 'st', '--resume-only');
      assert.is(again.exit, 0, again.stderr);
      assert.equal((await certificate('out')).pages, whole.pages);
      const without = ['run', 'config.json', '--to', 'ndjson:other', '--state', 'other', '--resume'];
      killAt = 2;
      await run('other', '--state', 'other');
      const { stderr } = await ownCommand(without, { cwd });
      assert.match(stderr, 'certify was true and is none');
    } finally {
      await api.close();
    }
  }));

test.run();
