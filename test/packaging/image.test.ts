/** The image: what a linter says of its Dockerfile, its clients, and signals of a process that is the first one. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test as run } from 'uvu';
import * as assert from 'uvu/assert';
import { inside } from '../package/installed.js';
import { root } from '../rules/sources.js';
import { testWhere } from '../where.js';
import { linter } from './linter.js';

const dockerfile = await readFile(join(root, 'Dockerfile'), 'utf8');

run('the clients in the image are those that the package supports', async () => {
  const { peerDependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const [, clients = ''] = /^ARG CLIENTS="(.*)"$/m.exec(dockerfile) ?? [];
  const ranges = Object.entries(peerDependencies).filter(([name]) => name !== '@duckdb/node-api');
  assert.equal(clients.split(' ').sort(), ranges.map(([name, range]) => `${name}@${range}`).sort());
});

run('the image has no root, and what the package is made of is sent to the build', async () => {
  assert.match(dockerfile, /^USER \d+:\d+$/m);
  const ignored = (await readFile(join(root, '.dockerignore'), 'utf8')).split('\n');
  const { files } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  for (const path of [...files, 'src', 'sinks', 'operators', 'scripts', 'package.json', 'README.md', 'LICENSE']) {
    if (path !== 'dist') assert.not(ignored.includes(path), path);
  }
});

const hadolint = linter('hadolint');
testWhere(hadolint === undefined ? 'hadolint is not installed' : undefined)('hadolint finds nothing', async () => {
  assert.is(
    await inside(root, hadolint ?? '', ['Dockerfile', '.devcontainer/Dockerfile']).catch(({ stdout }) => stdout),
    '',
  );
});

/** A process with ids of its own. */
const unshare = ['--pid', '--fork', '--kill-child'];
const canUnshare = existsSync('/proc/self') && spawnSync('unshare', [...unshare, 'true']).status === 0;

testWhere(canUnshare ? undefined : 'no process may have ids of its own here')(
  'a signal ends each command that is the first process, with its exit code',
  async () => {
    const command = [process.execPath, join(root, 'dist', 'src', 'cli', 'main.js'), 'validate', '-'];
    const child = spawn('unshare', [...unshare, ...command], { stdio: ['pipe', 'ignore', 'ignore'] });
    child.stdin.on('error', () => undefined); // what it has not read
    const ended = new Promise((resolve) => child.on('exit', (code, signal) => resolve(signal ?? code)));
    // More than a pipe holds: then it reads, and waits for the rest.
    await new Promise((resolve) => child.stdin.write(' '.repeat(1_000_000), resolve));
    const [first = ''] = (await readFile(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')).split(' ');
    process.kill(Number(first), 'SIGTERM');
    assert.is(await ended, 143);
  },
);

run.run();
