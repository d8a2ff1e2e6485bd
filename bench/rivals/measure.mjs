// Measures tools of other languages against the generated API: installs each into a folder of its own, leaves out those
// that cannot be installed, by name, and measures all in turn. Whole processes. CPU time and peak memory need GNU time.
//
//   node bench/rivals/measure.mjs [--dir FOLDER] [--rounds N] [--only NAME]... [--install | --record]
//
// FOLDER (RXTRACT_RIVALS, else rxtract-rivals in the cache of the user) keeps what is installed. --install measures
// nothing: `npm run bench -- wires` measures what is there. --record writes bench/results/rivals.json, which `npm run
// bench` shows. Installing takes some minutes, faucet-stream with cargo ten.
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { interleaved, machine, megabytes, middleOf, ratioOf, startServer, watchOtherWork } from '../harness.mjs';
import { runTool } from './run-tool.mjs';
import { installedRivals, tools } from './tools.mjs';

const question = 'How fast are tools of other languages at the same extraction?';

const { values } = parseArgs({
  options: {
    dir: { type: 'string', default: installedRivals },
    rounds: { type: 'string', default: '3' },
    only: { type: 'string', multiple: true, default: [] },
    pages: { type: 'string', default: '1500' },
    install: { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
  },
});
const dir = resolve(values.dir);
const rounds = Number(values.rounds);

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
for (const [name, shape] of values.install ? [] : Object.entries(cases)) {
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
  const config = join(dir, 'config.json');
  await writeFile(config, JSON.stringify(server.configuration));
  return runTool(name, { dir, config, origin: server.origin, pages, items });
}
