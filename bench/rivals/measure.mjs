// Measures tools of other languages against the generated API: installs each into a folder of its own, leaves out those
// that cannot be installed, by name, and measures all in turn. Whole processes. CPU time and peak memory need GNU time.
//
//   node bench/rivals/measure.mjs [--dir FOLDER] [--rounds N] [--only NAME]... [--record]
//
// FOLDER (bench/rivals/.work) keeps what is installed. --record writes bench/results/rivals.json, which `npm run bench`
// shows. Installing takes some minutes, faucet-stream with cargo ten.
import { spawn } from 'node:child_process';
import { createReadStream, openSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import {
  interleaved,
  machine,
  megabytes,
  middleOf,
  program,
  ratioOf,
  startServer,
  watchOtherWork,
} from '../harness.mjs';
import { tools } from './tools.mjs';

const question = 'How fast are tools of other languages at the same extraction?';

const { values } = parseArgs({
  options: {
    dir: { type: 'string', default: program('rivals/.work') },
    rounds: { type: 'string', default: '3' },
    only: { type: 'string', multiple: true, default: [] },
    pages: { type: 'string', default: '1500' },
    record: { type: 'boolean', default: false },
  },
});
const dir = resolve(values.dir);
const rounds = Number(values.rounds);
const gnuTime = '/usr/bin/time';

const cases = {
  'large pages: 1,000 items': { pages: Number(values.pages), items: 1000, isShared: true },
  'small pages: 2,000 of 10 items': { pages: 2000, items: 10 },
  'one page of 100 items': { pages: 1, items: 100 },
  '50 ms to the first byte, 50 pages of 100 items': { pages: 50, items: 100, latency: 50 },
};

await mkdir(dir, { recursive: true });
const { versions, missing } = await install();
const otherWork = watchOtherWork();
const rows = [];
for (const [name, shape] of Object.entries(cases)) {
  console.log(`\n${name}`);
  const found = await measureCase(name, shape, Object.keys(versions));
  console.table(found);
  rows.push(...found);
}
const others = await otherWork();
for (const [name, reason] of Object.entries(missing)) console.log(`not measured: ${name}: ${reason}`);
console.log(machine(), versions, `other work: ${others} %`);
if (values.record) {
  const record = { question, machine: machine(), 'CPU of other work, %': others, rounds, versions, missing, rows };
  await writeFile(new URL('../results/rivals.json', import.meta.url), `${JSON.stringify(record, null, 2)}\n`);
}

/** Installs all that are wanted. Resolves with their versions, and with the reason for each that is missing. */
async function install() {
  const versions = {};
  const missing = {};
  for (const [name, tool] of Object.entries(tools)) {
    if (values.only.length > 0 && name !== 'rxtract' && !values.only.includes(name)) continue;
    try {
      versions[name] = tool.install(dir);
      console.log(`${name} ${versions[name]}`);
    } catch (thrown) {
      missing[name] = thrown.message;
      console.log(`${name}: ${thrown.message}`);
    }
  }
  return { versions, missing };
}

async function measureCase(title, { isShared = false, ...shape }, names) {
  const servers = new Map();
  const pagesOf = (name) => (isShared ? Math.max(1, Math.round(shape.pages * tools[name].share)) : shape.pages);
  try {
    for (const name of names) {
      const pages = pagesOf(name);
      if (!servers.has(pages)) servers.set(pages, await startServer({ ...shape, pages }));
    }
    const measured = await interleaved(names, rounds, (name) => {
      const pages = pagesOf(name);
      return measureTool(name, servers.get(pages), { pages, items: shape.items });
    });
    return names.map((name) => rowOf(title, name, pagesOf(name), measured));
  } finally {
    for (const server of servers.values()) server.stop();
  }
}

function rowOf(title, name, pages, measured) {
  const { middle, text } = ratioOf(measured.rxtract, measured[name], 'rate');
  const member = (key) => middleOf(measured[name], key);
  return {
    case: title,
    tool: name,
    pages,
    seconds: +member('seconds').toFixed(2),
    'pages/s': +member('rate').toFixed(1),
    'CPU s': Number.isFinite(member('cpu')) ? +member('cpu').toFixed(2) : '',
    'peak MB': Number.isFinite(member('peak')) ? megabytes(member('peak')) : '',
    'rxtract is': middle,
    quartiles: text,
  };
}

async function measureTool(name, server, { pages, items }) {
  const [folder, out] = [join(dir, 'out'), join(dir, 'out.jsonl')];
  for (const path of [folder, out, `${folder}.state`]) await rm(path, { recursive: true, force: true });
  const config = join(dir, 'config.json');
  await writeFile(config, JSON.stringify(server.configuration));
  const { words, writesToStdout = false } = tools[name];
  const used = await timed(
    words({ dir, config, folder, out, origin: server.origin, pages, items }),
    writesToStdout ? out : undefined,
  );
  const found = await countItems(folder, out);
  if (found !== pages * items) throw new Error(`${name} wrote ${found} items of ${pages * items}`);
  return { ...used, rate: pages / used.seconds };
}

/** Runs a program to its end: seconds, CPU seconds and peak bytes (NaN without GNU time). */
async function timed(words, stdout) {
  const usage = join(dir, 'usage.txt');
  const hasTime = await readFile(gnuTime).then(
    () => true,
    () => false,
  );
  const [file, ...args] = hasTime ? [gnuTime, '-f', '%U %S %M', '-o', usage, ...words] : words;
  const begun = process.hrtime.bigint();
  const child = spawn(file, args, {
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
