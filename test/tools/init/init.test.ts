/** `rxtract init`: what it writes for APIs of many kinds pulls everything, and has no secret. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { commandHere, inTemporary } from '../../blackbox/command.js';
import { startApi } from '../../loopback/api.js';
import { apis, users } from './apis.js';

for (const { name, answer, path, user = '', args = [], env = {}, runEnv = env, expected, items = users } of apis) {
  test(`${name}: the configuration pulls all items`, () =>
    inTemporary(async (folder) => {
      const api = await startApi(answer);
      try {
        const file = join(folder, 'config.json');
        const source = `${api.origin.replace('//', `//${user}`)}${path}`;
        const made = await commandHere(['init', source, '--yes', '--out', file, ...args], { env });
        assert.is(made.exit, 0, made.stderr);
        const text = await readFile(file, 'utf8');
        const secrets = Object.values(env).flatMap((value) => [value, encodeURIComponent(value), btoa(value)]);
        assert.equal(
          secrets.filter((each) => text.includes(each) || made.stderr.includes(each)),
          [],
        );
        assert.ok(text.replaceAll(/\s+/g, ' ').includes(expected), text);
        assert.ok(api.requests.length <= 20, `${api.requests.length} requests`);
        const valid = await commandHere(['validate', file, '--strict'], { env: runEnv });
        assert.is(valid.exit, 0, `${valid.stderr}\n${text}`);
        const run = await commandHere(['run', file, '--to', 'stdout:'], { env: runEnv });
        assert.is(run.exit, 0, run.stderr);
        const pulled = run.stdout
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => JSON.parse(line));
        assert.equal(pulled, items);
      } finally {
        await api.close();
      }
    }));
}

test.run();
