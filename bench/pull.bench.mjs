// How fast is a whole pull to NDJSON, against what a script would do? 1,000 items of about 345 bytes a page, over
// loopback, to a file. Whole processes in turn, each variant once a round, in reverse order in every other round.
// Slower variants pull fewer pages, so that their start-up is a small part of their time too.
//
// `rxtract is`: rxtract's items/s divided by those of the variant, in the same round; the median, then the quartiles.
// `bare scanner` has no engine: it is what checking each byte costs. `loop, bytes` writes bodies without reading them:
// what the machine itself allows.
import { readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  interleaved,
  machine,
  measure,
  megabytes,
  middleOf,
  program,
  pullOf,
  ratioOf,
  withServer,
} from './harness.mjs';

export const question = 'How fast is a whole pull to NDJSON, against a hand-written loop?';

const perPage = 1000;
const careful = 'hand-written loop, page';

/** By name: the share of the pages that it pulls, and its arguments. */
const variants = {
  rxtract: [1, pullOf],
  'hand-written loop, stream': [0.4, handLoop('stream')],
  [careful]: [0.7, handLoop('page')],
  'hand-written loop, line': [0.04, handLoop('line')],
  'hand-written loop, bytes': [1, handLoop('bytes')],
  'bare scanner': [1, bare('bare-scan.mjs')],
  'fetch, page': [0.4, peer('fetch')],
  'axios, page': [0.4, peer('axios')],
  'got paginate': [0.25, peer('got')],
  'stream-json': [0.05, peer('stream-json')],
};

function handLoop(writes) {
  return ({ origin, file }, pages) => [program('hand-loop.mjs'), origin, file, writes, String(pages)];
}

/** They read all pages of the server: without an engine nothing ends them. */
function bare(name) {
  return ({ origin, file }) => [program(name), origin, file];
}

function peer(kind) {
  return ({ origin, file }, pages) => [program('peers/peer.mjs'), kind, origin, file, String(pages)];
}

export function run({ pages = 1500, rounds = 5 } = {}) {
  const names = Object.keys(variants);
  return withServer({ pages, items: perPage }, async (place) => {
    await mustAgree(names, place);
    const measured = await interleaved(names, rounds, (name) => pull(name, place, pages));
    return names.map((name) => rowOf(name, measured));
  });
}

async function pull(name, place, pages) {
  const [share, wordsOf] = variants[name];
  const some = Math.max(1, Math.round(pages * share));
  const used = await measure(wordsOf(place, some));
  await rm(name.startsWith('rxtract') ? join(place.dir, 'items.ndjson') : place.file, { force: true });
  return { ...used, rate: (some * perPage) / used.seconds, pages: some };
}

function rowOf(name, measured) {
  const runs = measured[name];
  const rate = middleOf(runs, 'rate');
  const { middle, text } = ratioOf(measured.rxtract, runs, 'rate');
  return {
    variant: name,
    pages: runs[0].pages,
    'items/s': Math.round(rate),
    'MB/s': Math.round((rate * 345) / 1e6),
    'CPU s': +middleOf(runs, 'cpu').toFixed(2),
    'peak MB': megabytes(middleOf(runs, 'peak')),
    'rxtract is': middle,
    quartiles: text,
  };
}

/** Every variant that parses writes the same bytes. */
async function mustAgree(names, place) {
  const outputs = new Map();
  for (const name of names.filter((each) => !/bytes$|^bare/.test(each))) {
    await measure(variants[name][1](place, 3));
    const file = name.startsWith('rxtract') ? join(place.dir, 'items.ndjson') : place.file;
    outputs.set(name, await readFile(file));
    if ((await stat(file)).size === 0) throw new Error(`${name} wrote nothing`);
    await rm(file);
  }
  const expected = outputs.get('rxtract');
  for (const [name, bytes] of outputs) if (!bytes.equals(expected)) throw new Error(`${name} writes other bytes`);
}

const ratio = (rows, variant) => rows.find((row) => row.variant === variant)?.['rxtract is'];
const against = (rows, variant, other) =>
  +(
    (rows.find((row) => row.variant === variant)?.['items/s'] ?? 0) /
    (rows.find((row) => row.variant === other)?.['items/s'] ?? 1)
  ).toFixed(2);
const bytes = 'hand-written loop, bytes';

export const goals = (rows) => [
  { what: 'against the careful loop', goal: 3, value: ratio(rows, careful) },
  { what: 'of bodies written unread', goal: 0.55, value: against(rows, 'rxtract', bytes) },
];

export const reading = (rows) => [
  `Large pages: rxtract writes ${rows[0]['items/s'].toLocaleString('en')} items a second. That is ${ratio(rows, careful)} times a careful hand-written loop, ${ratio(rows, 'got paginate')} times got's paginate and ${ratio(rows, 'stream-json')} times a pipeline of stream-json.`,
  `A program that writes the same bodies without looking at them is faster: rxtract reaches ${against(rows, 'rxtract', bytes)} of it. The rest is the price of checking every byte.`,
];

export const plot = (rows) => ({
  title: 'Items a second, pages of 1,000 items to a file',
  bars: rows
    .filter(({ variant }) => variant !== bytes)
    .map((row) => ({ name: row.variant, value: row['items/s'], isOurs: row.variant.startsWith('rxtract') })),
});

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.log(machine());
  console.table(await run());
}
