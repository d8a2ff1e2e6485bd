// What every bench shares: a server of its own process, measured child processes, medians, and a record of the machine.
import { fork, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
export const command = fileURLToPath(new URL('../dist/src/cli/main.js', import.meta.url));

/** Starts bench/server.mjs; `env` sets what it serves. */
export async function startServer(env = {}) {
  const child = fork(here('server.mjs'), { env: { ...process.env, ...env } });
  const { origin } = await new Promise((resolve, reject) => {
    child.once('message', resolve);
    child.once('error', reject);
  });
  return { origin, stop: () => child.disconnect() };
}

/**
 * Runs a Node program to its end: wall seconds, CPU seconds, peak resident bytes, output. With `marks`, numbers of
 * requests that undici sends, also the CPU seconds of the process when each of these goes out. Throws when the program
 * fails.
 */
export async function measure(args, { cwd, marks = [] } = {}) {
  const dir = await mkdtemp(join(tmpdir(), 'rxtract-bench-'));
  const report = join(dir, 'usage.json');
  const started = process.hrtime.bigint();
  const child = spawn(process.execPath, ['--import', new URL('usage.mjs', import.meta.url).href, ...args], {
    cwd,
    env: { ...process.env, BENCH_USAGE: report, BENCH_MARKS: marks.join(',') },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => (output = (output + chunk).slice(-20_000)));
  const code = await new Promise((resolve) => child.once('close', resolve));
  const seconds = Number(process.hrtime.bigint() - started) / 1e9;
  if (code !== 0) throw new Error(`${args[0]} ended with ${code}: ${output}`);
  const { maxRSS, userCPUTime, systemCPUTime, cpuAt } = JSON.parse(await readFile(report, 'utf8'));
  await rm(dir, { recursive: true, force: true });
  return { seconds, cpu: (userCPUTime + systemCPUTime) / 1e6, peak: maxRSS * 1024, output, cpuAt };
}

export const median = (numbers) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1];
export const megabytes = (bytes) => Math.round(bytes / 1e6);

export const machine = () =>
  `${cpus().length} x ${cpus()[0].model.trim()}, Node ${process.version}, ${process.platform}, ${new Date().toISOString().slice(0, 10)}`;

/** The share of the machine's CPU time that is in use while this process waits for two seconds, in percent. */
export async function busyShare() {
  const sum = () => {
    const times = cpus().map(({ times: { idle, ...used } }) => ({
      idle,
      used: Object.values(used).reduce((a, b) => a + b),
    }));
    return { idle: total(times, 'idle'), used: total(times, 'used') };
  };
  const before = sum();
  await setTimeout(2000);
  const after = sum();
  const used = after.used - before.used;
  return Math.round((100 * used) / Math.max(1, used + after.idle - before.idle));
}

const total = (rows, key) => rows.reduce((sum, row) => sum + row[key], 0);

/** A folder for what a bench writes; removed in the end. */
export async function scratch(use) {
  const dir = await mkdtemp(join(tmpdir(), 'rxtract-bench-'));
  try {
    return await use(dir);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
