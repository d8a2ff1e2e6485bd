// Runs one of the tools to its end, and counts the items that it has written.
import { spawn } from 'node:child_process';
import { createReadStream, existsSync, openSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { tools } from './tools.mjs';

const gnuTime = '/usr/bin/time';

/**
 * Pulls `pages` pages of `items` items from `origin`: seconds, CPU seconds and peak bytes (NaN without GNU time), pages
 * a second. `dir` has what is installed; `env` is added to the environment. Throws if items are missing.
 */
export async function runTool(name, { dir, env = {}, ...place }) {
  const { pages, items } = place;
  const [folder, out] = [join(dir, 'out'), join(dir, 'out.jsonl')];
  for (const path of [folder, out, `${folder}.state`]) await rm(path, { recursive: true, force: true });
  const { words, writesToStdout = false } = tools[name];
  const line = words({ dir, folder, out, ...place });
  const used = await timed(line, { usage: join(dir, 'usage.txt'), stdout: writesToStdout ? out : undefined, env });
  const found = await countItems(folder, out);
  if (found !== pages * items) throw new Error(`${name} wrote ${found} items of ${pages * items}`);
  return { ...used, rate: pages / used.seconds };
}

/** Runs a program to its end: seconds, CPU seconds and peak bytes, child processes included. Throws if it fails. */
export async function timed(words, { usage, stdout, env }) {
  const hasTime = existsSync(gnuTime);
  const [file, ...args] = hasTime ? [gnuTime, '-f', '%U %S %M', '-o', usage, ...words] : words;
  const begun = process.hrtime.bigint();
  const child = spawn(file, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', stdout === undefined ? 'ignore' : openSync(stdout, 'w'), 'pipe'],
  });
  let printed = '';
  child.stderr.on('data', (text) => {
    printed = (printed + text).slice(-2000);
  });
  const code = await new Promise((done, failed) => child.once('close', done).once('error', failed));
  const seconds = Number(process.hrtime.bigint() - begun) / 1e9;
  if (code !== 0) throw new Error(`${words[0]} ended with ${code}: ${printed}`);
  const [user, system, kilobytes] = hasTime ? (await readFile(usage, 'utf8')).trim().split(/\s+/).map(Number) : [];
  return { seconds, cpu: user + system, peak: (kilobytes ?? Number.NaN) * 1024 };
}

/** Counts lines that hold an item in the file, or in the files of the folder. */
async function countItems(folder, out) {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const files = names
    .filter((name) => /(^|\/)items[^/]*(\/[^/]*)?\.(ndjson|jsonl)$/.test(name))
    .map((name) => join(folder, name));
  let count = 0;
  for (const file of files.length > 0 ? files : [out]) {
    for await (const line of createInterface({ input: createReadStream(file) }))
      if (line.includes('"email"')) count += 1;
  }
  return count;
}
