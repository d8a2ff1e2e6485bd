// The parts that all benches share: a server in its own process, measured child processes, medians, and a description
// of the machine.
import { fork, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** The path of a program of this folder. */
export const program = (name) => fileURLToPath(new URL(name, import.meta.url));
const built = fileURLToPath(new URL('../dist/src/cli/', import.meta.url));
export const command = join(built, 'main.js');

/** The process of the generated API; a bundle has it in another folder. */
const serverEntry = () =>
  join(built, readdirSync(built, { recursive: true }).find((path) => path.endsWith('server-process.js')) ?? '');

/**
 * Starts the API of `rxtract bench --server` in its own process. `shape` has the keys of `--shape`.
 * `configuration` reads all its pages; `stats()` counts requests.
 */
export async function startServer(shape = {}) {
  const child = fork(serverEntry(), [JSON.stringify(shape), '0']);
  const { origin, configuration } = await new Promise((resolve, reject) => {
    child.once('message', resolve);
    child.once('error', reject);
  });
  return {
    origin,
    configuration,
    stats: async () => (await fetch(`${origin}/stats`)).json(),
    stop: () => child.disconnect(),
  };
}

/**
 * Starts the API, and passes it to the work with a folder, a configuration in it, and the path of a loop's file.
 * `pagination` is put into the configuration; `parent` is where the folder is made.
 */
export const withServer = (shape, work, { pagination, parent } = {}) =>
  scratch(async (dir) => {
    const server = await startServer(shape);
    try {
      const { api, config: jobs } = server.configuration;
      const config = join(dir, 'config.json');
      await writeFile(
        config,
        JSON.stringify({ api: { ...api, pagination: { ...api.pagination, ...pagination } }, config: jobs }),
      );
      return await work({ dir, config, origin: server.origin, file: join(dir, 'loop.ndjson') });
    } finally {
      server.stop();
    }
  }, parent);

/**
 * Starts the server of compressed bodies, `peers/wire-server.mjs`, in its own process, and passes its origins to the
 * work: `http`, and `https` if `tls` has the paths of a certificate and its key.
 */
export async function withWires({ items, pages, encoding, tls: { cert, key } = {} }, work) {
  const args = [String(items), String(pages), encoding, ...(cert === undefined ? [] : [cert, key])];
  const child = fork(program('peers/wire-server.mjs'), args);
  const origins = await new Promise((resolve, reject) => {
    child.once('message', resolve);
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}`)));
  });
  try {
    return await work(origins);
  } finally {
    child.disconnect();
  }
}

/** The arguments that pull so many pages into the folder, or to another address. */
export const pullOf = ({ config, dir }, pages, to = `ndjson:${dir}`) => [
  ...[command, 'run', config, '--quiet', '--max-pages', String(pages)],
  ...['--to', to],
];

/**
 * Measures every variant once a round, in reverse order in every other round, so that a slow minute of the machine
 * affects all alike. Resolves with the measurements by name. A dot is printed for each.
 */
export async function interleaved(names, rounds, measureOne) {
  const measured = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const name of round % 2 === 0 ? names : [...names].reverse()) {
      measured[name].push(await measureOne(name));
      process.stdout.write('.');
    }
  }
  process.stdout.write('\n');
  return measured;
}

/** The median of a member of the measurements. */
export const middleOf = (runs, member) => median(runs.map((run) => run[member]));

/** The ratio of two variants within the same round: its median, and its quartiles as text. */
export function ratioOf(runs, others, member) {
  const ratios = runs.map((run, round) => run[member] / others[round][member]).sort((a, b) => a - b);
  const quartile = (share) => ratios[Math.round((ratios.length - 1) * share)].toFixed(2);
  return { middle: +median(ratios).toFixed(2), text: `${quartile(0.25)} to ${quartile(0.75)}` };
}

/**
 * Runs a Node program to its end: wall seconds, CPU seconds, peak resident bytes, output. With `marks` (numbers of
 * requests that undici sends) also the CPU seconds of the process when each of these is sent. Throws if the program
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

/**
 * Starts to watch other work on the machine. The returned function resolves with the share of CPU time, in percent, of
 * processes that this one did not start; undefined except on Linux.
 */
export function watchOtherWork() {
  const before = cpuSeconds();
  return async () => {
    await setTimeout(200); // so that ended processes are counted
    const after = cpuSeconds();
    if (before.own === undefined || after.own === undefined) return undefined;
    const others = after.used - before.used - (after.own - before.own);
    return Math.max(0, Math.round((100 * others) / (after.all - before.all)));
  };
}

/** CPU seconds since the machine started: used, used and idle, and those of this process and its ended children. */
function cpuSeconds() {
  const times = cpus().map(({ times }) => times);
  const all = times.flatMap((each) => Object.values(each)).reduce((sum, ms) => sum + ms, 0) / 1000;
  const idle = times.reduce((sum, each) => sum + each.idle, 0) / 1000;
  return { all, used: all - idle, own: ownSeconds() };
}

function ownSeconds() {
  if (process.platform !== 'linux') return undefined;
  const [, ...fields] = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1).split(' ');
  const ticks = fields.slice(10, 14).reduce((sum, field) => sum + Number(field), 0); // utime, stime, cutime, cstime
  return ticks / 100;
}

/** A folder for what a bench writes; removed in the end. */
export async function scratch(use, parent = tmpdir()) {
  const dir = await mkdtemp(join(parent, 'rxtract-bench-'));
  try {
    return await use(dir);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
