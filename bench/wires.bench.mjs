// How fast is a pull where APIs really are: over TLS, with compressed bodies? http and https; identity, gzip and br;
// pages of 10 and of 1,000 items of about 345 bytes, over loopback, to a file. The hand-written loop asks for the same
// encodings, and decodes with the promises of node:zlib. Whole processes in turn, each once a round.
//
// `rxtract is`: rxtract's pages/s divided by those of the tool, in the same round; the median, then the quartiles.
// Slower tools pull fewer pages, so that their start-up counts more: by a tenth of a second in several seconds.
//
// Tools of other languages are measured where `node bench/rivals/measure.mjs --install` has installed them; a row says
// which are missing, or why one failed.
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { configurationFor } from '../src/tools/bench/generated-api.js';
import { defaultShape } from '../src/tools/bench/shape.js';
import { makeCertificates } from '../test/loopback/certificates.ts';
import {
  interleaved,
  machine,
  measure,
  megabytes,
  middleOf,
  program,
  pullOf,
  ratioOf,
  scratch,
  withWires,
} from './harness.mjs';
import { runTool } from './rivals/run-tool.mjs';
import { installedRivals, tools } from './rivals/tools.mjs';

export const question = 'How fast is a pull over TLS and of compressed bodies, against loops and other tools?';
export const isLong = true;

const careful = 'hand-written loop';
const rivals = ['requests + orjson', 'faucet-stream', 'dlt'];

/** Pages of a case, by the items of a page, and the share of them that a tool pulls, if not all. */
const sizes = [
  { items: 10, pages: 2000, shares: { dlt: 0.05 } },
  { items: 1000, pages: 1000, shares: { [careful]: 0.5, 'requests + orjson': 0.3, 'faucet-stream': 0.2, dlt: 0.08 } },
];
const encodings = ['identity', 'gzip', 'br'];
const protocols = ['http', 'https'];

export function run({ rounds = 5 } = {}) {
  const missing = rivals.filter((name) => tools[name].installed(installedRivals) === undefined);
  const present = rivals.filter((name) => !missing.includes(name));
  return scratch(async (dir) => {
    await mkdir(installedRivals, { recursive: true });
    const tls = await certificatesIn(dir);
    const rows = missing.map((tool) => ({ tool, note: 'not installed, so not measured' }));
    for (const size of sizes) {
      for (const encoding of encodings) {
        await withWires({ ...size, encoding, tls }, async (origins) => {
          for (const protocol of protocols) {
            const wire = { ...size, encoding, protocol, dir, ca: tls.ca, origin: origins[protocol] };
            rows.push(...(await compare(wire, ['rxtract', careful, ...present], rounds)));
          }
        });
      }
    }
    return rows;
  });
}

/** Writes a certificate, its key and the authority into the folder. Returns their paths. */
export async function certificatesIn(dir) {
  const { ca, server } = makeCertificates();
  const files = { ca, cert: server.cert, key: server.key };
  const paths = Object.keys(files).map((name) => [name, join(dir, `${name}.pem`)]);
  for (const [name, path] of paths) await writeFile(path, files[name]);
  return Object.fromEntries(paths);
}

async function compare(wire, names, rounds) {
  const failures = await mustWork(wire, names);
  const working = names.filter((name) => !failures.has(name));
  const measured = await interleaved(working, rounds, (name) => pull(wire, name, pagesOf(wire, name)));
  const common = { items: wire.items, protocol: wire.protocol, encoding: wire.encoding };
  return names.map((tool) =>
    failures.has(tool) ? { ...common, tool, note: failures.get(tool) } : { ...common, ...rowOf(tool, measured) },
  );
}

const pagesOf = ({ pages, shares }, name) => Math.round(pages * (shares[name] ?? 1));

/** A short pull of each: the loop must write the bytes of rxtract; a tool that fails is left out, with its reason. */
async function mustWork(wire, names) {
  const failures = new Map();
  const written = [];
  for (const name of names) {
    try {
      await pull(wire, name, 3, async (file) => written.push(await readFile(file)));
    } catch (thrown) {
      if (!rivals.includes(name)) throw thrown;
      failures.set(name, thrown.message.trim().split('\n').at(-1).slice(0, 120));
    }
  }
  const [ours, loops] = written;
  if (ours === undefined || ours.length === 0 || !ours.equals(loops)) throw new Error('the loop writes other bytes');
  return failures;
}

/** One pull of so many pages; `look` is called with the file of rxtract or of the loop before it is removed. */
async function pull({ dir, ca, origin: base, protocol, items }, name, pages, look = async () => {}) {
  const origin = `${base}/${pages}`;
  const shape = { ...defaultShape, items, paging: 'page' };
  if (rivals.includes(name)) {
    const env = protocol === 'https' ? { REQUESTS_CA_BUNDLE: ca, SSL_CERT_FILE: ca } : {};
    return { ...(await runTool(name, { dir: installedRivals, env, origin, pages, items })), pages };
  }
  const file = join(dir, name === 'rxtract' ? 'items.ndjson' : 'loop.ndjson');
  const config = join(dir, 'config.json');
  const { api, ...jobs } = configurationFor(origin, shape);
  const trusted = protocol === 'https' ? { caCertificate: await readFile(ca, 'utf8') } : {};
  await writeFile(config, JSON.stringify({ api: { ...api, ...trusted }, ...jobs }));
  const loop = [program('peers/wire.mjs'), origin, file, String(pages), ...(protocol === 'https' ? [ca] : [])];
  const used = await measure(name === 'rxtract' ? pullOf({ config, dir }, pages) : loop);
  await look(file);
  await rm(file);
  return { ...used, rate: pages / used.seconds, pages };
}

function rowOf(tool, measured) {
  const runs = measured[tool];
  const { middle, text } = ratioOf(measured.rxtract, runs, 'rate');
  const cpu = middleOf(runs, 'cpu');
  return {
    tool,
    'pages/s': Math.round(middleOf(runs, 'rate')),
    'CPU us a page': Number.isFinite(cpu) ? Math.round((cpu * 1e6) / runs[0].pages) : '',
    'peak MB': Number.isFinite(middleOf(runs, 'peak')) ? megabytes(middleOf(runs, 'peak')) : '',
    'rxtract is': middle,
    quartiles: text,
  };
}

const ratio = (rows, items, protocol, encoding) =>
  rows.find(
    (row) => row.items === items && row.protocol === protocol && row.encoding === encoding && row.tool === careful,
  )?.['rxtract is'];

export const goals = (rows) => [
  ...['gzip', 'br'].flatMap((encoding) => [
    {
      what: `https, ${encoding}, 1,000 items, against the careful loop`,
      goal: 2.8,
      value: ratio(rows, 1000, 'https', encoding),
    },
    {
      what: `https, ${encoding}, 10 items, time of the careful loop`,
      goal: 1.1,
      value: +(1 / ratio(rows, 10, 'https', encoding)).toFixed(2),
      isLess: true,
    },
  ]),
  { what: 'http, 1,000 items, against the careful loop', goal: 3.3, value: ratio(rows, 1000, 'http', 'identity') },
];

export function reading(rows) {
  const faster = rows
    .filter((row) => row['rxtract is'] < 1)
    .map(({ tool, items, protocol, encoding }) => `${tool} (${items} items, ${protocol}, ${encoding})`);
  return [
    `Over TLS with gzip, rxtract pulls pages of 1,000 items at ${ratio(rows, 1000, 'https', 'gzip')} times the rate of a careful loop that asks for the same encoding, with br at ${ratio(rows, 1000, 'https', 'br')} times; pages of 10 items at ${ratio(rows, 10, 'https', 'gzip')} and ${ratio(rows, 10, 'https', 'br')} times.`,
    ...(faster.length === 0 ? [] : [`Faster than rxtract on these wires: ${faster.join(', ')}.`]),
  ];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.log(machine());
  console.table(await run());
}
