// How fast is a pull of CSV and XML files, against careful loops with csv-parse, sax and saxes? Whole processes in
// turn, each variant once a round, from the same server into NDJSON: 400,000 rows and 300,000 elements of about 340
// bytes. The loops make an object of each row and write it with JSON.stringify. Then a CSV file of 4 GB behind gzip,
// whose memory must stay within 130 MB.
import { fork } from 'node:child_process';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { command, interleaved, machine, measure, megabytes, middleOf, program, ratioOf, scratch } from './harness.mjs';

export const question = 'How fast is a pull of CSV and XML files, against careful loops with csv-parse, sax and saxes?';
export const isLong = true;

const perBlock = 1000;
const longBytes = 4e9;
const kinds = {
  csv: { blocks: 400, loops: ['csv-parse'], response: { format: 'csv' } },
  xml: { blocks: 300, loops: ['sax', 'saxes'], response: { format: 'xml', element: 'orders.order' } },
};
const gzip = { format: 'csv', decode: ['gunzip'] };

/** The server in a process of its own. */
async function startFiles() {
  const child = fork(program('peers/format-server.mjs'));
  const { port, bytes } = await new Promise((resolve, reject) => child.once('message', resolve).once('error', reject));
  return { origin: `http://127.0.0.1:${port}`, bytes, stop: () => child.disconnect() };
}

export const run = ({ rounds = 5, long = longBytes } = {}) =>
  scratch(async (dir) => {
    const server = await startFiles();
    try {
      const rows = [];
      for (const kind of Object.keys(kinds)) rows.push(...(await compare(kind, { dir, server }, rounds)));
      rows.push(await pullLong({ dir, server }, long));
      return rows;
    } finally {
      server.stop();
    }
  });

async function compare(kind, place, rounds) {
  const { blocks, loops } = kinds[kind];
  const names = ['rxtract', ...loops];
  await mustAgree(kind, place, names);
  const measured = await interleaved(names, rounds, (name) => pull(kind, name, place, blocks));
  return names.map((name) => {
    const seconds = ratioOf(measured[name], measured.rxtract, 'seconds');
    return {
      format: kind,
      variant: name,
      'items/s': Math.round((blocks * perBlock) / middleOf(measured[name], 'seconds')),
      'CPU s': +middleOf(measured[name], 'cpu').toFixed(2),
      'peak MB': megabytes(middleOf(measured[name], 'peak')),
      'time of rxtract': seconds.middle,
      quartiles: seconds.text,
    };
  });
}

async function pull(kind, name, place, blocks) {
  const used = await measure(await wordsOf(kind, name, place, blocks));
  await rm(fileOf(name, place));
  return used;
}

const fileOf = (name, { dir }) => join(dir, name === 'rxtract' ? 'items.ndjson' : 'loop.ndjson');

async function wordsOf(kind, name, { dir, server }, blocks) {
  const endpoint = `${kind}?blocks=${blocks}`;
  if (name !== 'rxtract')
    return [program('peers/format.mjs'), name, `${server.origin}/${endpoint}`, join(dir, 'loop.ndjson')];
  return rxtractOf({ dir, server }, endpoint, kinds[kind].response, `ndjson:${dir}`);
}

async function rxtractOf({ dir, server }, endpoint, response, to) {
  const config = join(dir, 'config.json');
  const jobs = [{ endpoint, dataType: 'items', response }];
  await writeFile(config, JSON.stringify({ api: { baseUrl: `${server.origin}/` }, config: { jobs } }));
  return [command, 'run', config, '--quiet', '--to', to];
}

/** All must write the same lines. */
async function mustAgree(kind, place, names) {
  const written = [];
  for (const name of names) {
    await measure(await wordsOf(kind, name, place, 3));
    written.push(await readFile(fileOf(name, place), 'utf8'));
    await rm(fileOf(name, place));
  }
  const other = names.find((_, at) => written[at] !== written[0] || written[at] === '');
  if (other !== undefined) throw new Error(`${kind}: ${other} writes other items`);
}

/** Reads the long file. */
async function pullLong(place, bytes) {
  const blocks = Math.ceil(bytes / place.server.bytes.csv);
  const words = await rxtractOf(place, `gz?blocks=${blocks}`, gzip, `ndjson:${place.dir}`);
  const { seconds, cpu, peak } = await measure(words);
  const written = join(place.dir, 'items.ndjson');
  const { size } = await stat(written);
  await rm(written);
  if (size < bytes) throw new Error(`only ${size} bytes were written`);
  return {
    format: `csv of ${(bytes / 1e9).toFixed(1)} GB behind gzip`,
    variant: 'rxtract',
    'items/s': Math.round((blocks * perBlock) / seconds),
    'CPU s': +cpu.toFixed(2),
    'peak MB': megabytes(peak),
    'time of rxtract': 1,
    quartiles: '',
  };
}

const loopsOf = (rows) => rows.filter(({ variant }) => variant !== 'rxtract');
const longOf = (rows) => rows.find(({ format }) => format.includes('gzip'));

export const goals = (rows) => [
  ...loopsOf(rows).map((row) => ({
    what: `${row.format}: times the rate of a loop with ${row.variant}`,
    goal: 2,
    value: row['time of rxtract'],
  })),
  { what: `${longOf(rows).format}: peak MB`, goal: 130, value: longOf(rows)['peak MB'], isLess: true },
];

export const reading = (rows) => [
  `Formats: ${loopsOf(rows)
    .map((row) => `${row.format} is read at ${row['time of rxtract']} times the rate of a loop with ${row.variant}`)
    .join(', ')}; a ${longOf(rows).format} needed ${longOf(rows)['peak MB']} MB.`,
];

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.log(machine());
  console.table(await run());
}
