/** What is fuzzed: each target makes one case of random choices, and throws where a rule does not hold. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseDocument } from '../../src/config/document.js';
import { ExtractError } from '../../src/core/errors/errors.js';
import { fromPlain, isArray, isObject } from '../../src/core/json/exact.js';
import { json, jsonSeq, ndjson, type Reader } from '../../src/page/readers.js';
import { extract } from '../../src/run/extract.js';
import { isJson, isRow } from '../page/oracles.js';
import { at, auto, pieces, scanChunks } from '../page/scanner-run.js';
import { root } from '../rules/sources.js';
import { inFolder } from '../sinks/lib.js';
import { reassembled, tableSinks } from '../sinks/related-tables/reassembly.js';
import { unchecked } from '../unchecked.js';
import { masking, maskingSpeed } from './masking.js';
import { mutate, type Random } from './random.js';

/** Runs one case. Throws, or rejects with, a description of the failure, with the case. */
export type Target = (random: Random) => void | Promise<void>;

const bodies: readonly [string, ...string[]] = [
  '{"data":[{"id":1,"name":"a"},{"id":2.50,"x":null},[true,false],"é漢😀"],"next":"abc"}',
  '{"meta":{"a":[1,2,{"data":[]}]},"data":[-0,1e5,1E+05,123456789012345678901234567890,"\\ud83d\\ude00\\"\\\\"]}',
  '[{"__proto__":{"a":1},"constructor":2},[],{},"",0]',
  '  {"data" : [ 1 , [ ] , { } ] , "z" : "{[,:]}" } \n',
  '{"a":{"b":{"c":[[[1]]]}},"d\\u0061ta":[{"id":7}]}',
  '\uFEFF{"data":[1]}',
  'null',
];
const rows: readonly [string, ...string[]] = [
  '{"a":1}\n{"a":2}\n',
  '[1,2]\r\n\n"x"\n  3 \n{"rows":[1,{"b":"é"}]}',
  'true\nfalse\nnull\n"{[,:]}"\n1E+05',
];
const records: readonly [string, ...string[]] = ['\x1e{"a":1}\n\x1e[2,\n3]\n', '\x1e"x"\n\x1e\x1etrue\n\x1e1.0\n'];

const fields = [at('data'), at(), auto, at('data', '0'), at('__proto__')] as const;

function cut(body: Buffer, random: Random): readonly Uint8Array[] {
  return random.int(3) === 0 ? [body] : pieces(body, 1 + random.int(70));
}

const shown = (body: Buffer): string => JSON.stringify(body.toString('latin1'));

/** Reads a body; undefined: refused, by an error that has a name for it. */
function read({ start }: Reader, body: Buffer, random: Random, field: (typeof fields)[number]) {
  const options = {
    dataField: field,
    captures: [['next'], ['data', '1', 'id']],
    fingerprint: random.int(2) === 0,
    batchBytes: random.pick([1, 40, 1 << 20]),
  };
  try {
    return scanChunks(cut(body, random), options, start);
  } catch (thrown) {
    if (thrown instanceof ExtractError && thrown.code !== 'ERR_INTERNAL') return undefined;
    throw new Error(`a body crashed its reader: ${shown(body)}`, { cause: thrown });
  }
}

const scanner: Target = (random) => {
  const body = mutate(Buffer.from(random.pick(bodies)), random);
  const outcome = read(json, body, random, at('data'));
  const isValid = isJson(body);
  if ((outcome !== undefined) !== isValid) throw new Error(`read: ${!isValid}, JSON.parse: ${isValid}: ${shown(body)}`);
  if (outcome === undefined) {
    read(json, body, random, random.pick(fields));
    return;
  }
  const value: unknown = JSON.parse(new TextDecoder().decode(body));
  const list = typeof value === 'object' && value !== null && 'data' in value ? value.data : undefined;
  if (!Array.isArray(list)) return;
  const items = outcome.items.map((item): unknown => JSON.parse(item));
  if (JSON.stringify(items) !== JSON.stringify(list)) throw new Error(`other items than JSON.parse: ${shown(body)}`);
};

const readers: Target = (random) => {
  if (random.int(4) === 0) {
    read(jsonSeq, mutate(Buffer.from(random.pick(records)), random), random, random.pick(fields));
    return;
  }
  const body = mutate(Buffer.from(random.pick(rows)), random);
  const isValid = isRow(body);
  const isRead = read(ndjson, body, random, auto) !== undefined;
  if (isRead !== isValid) throw new Error(`read: ${isRead}, JSON.parse by line: ${isValid}: ${shown(body)}`);
};

/** No message may contain it: it is only under `#` and in the environment. */
const secret = 'hV7qZ0sEcReT';
const word = 'stranger';
/** Values where others are expected. */
const strange: readonly [unknown, ...unknown[]] = [
  null,
  true,
  '',
  '0',
  -1,
  1.5,
  1e300,
  '1e999999999',
  [],
  {},
  [[[[]]]],
  word,
  `https://joe:${word}@h/`,
  'file:///etc/passwd',
  `ftp://${word}/`,
  { attr: '__proto__' },
  { attr: '#fuzz' },
  { '#deep': secret },
  { function: 'sprintf', args: [{ attr: '#fuzz' }, { attr: '#fuzz' }] },
  { function: 'strtotime', args: [{ attr: '#fuzz' }] },
  { function: 'date', args: ['Y', { env: 'PATH' }] },
  { path: { env: 'PATH' } },
  [{ env: 'PATH' }],
  { attr: word },
  { function: 'constructor', args: [word] },
  { function: 'md5' },
  { function: 'sprintf', args: ['%999999999d', { attr: 'a' }] },
  { function: 'concat', args: [{ attr: 'jobs' }, [word], { time: 'x' }] },
  { env: 'PATH' },
  { env: word, more: 1 },
  { response: 'a.b' },
  JSON.parse(`{"__proto__":{"polluted":"${word}"}}`),
  JSON.parse(`{"constructor":{"prototype":{"polluted":"${word}"}},"toString":1,"hasOwnProperty":2}`),
  'x'.repeat(5000),
  '{'.repeat(100),
  `{${word}}`,
  '\u0000\uD800',
];
const names: readonly [string, ...string[]] = [
  '__proto__',
  'constructor',
  'toString',
  '#key',
  'valueOf',
  '',
  '0',
  'a.b',
];

const corpus: readonly string[] = ['examples'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true })
    .map(String)
    .filter((path) => /(^|[\\/])config\.json$/.test(path))
    .map((path) => readFileSync(join(root, folder, path), 'utf8')),
);
const documents: readonly unknown[] = corpus.map((text): unknown => plainOf(parseDocument(text, 'config.json')));

function plainOf(value: unknown): unknown {
  if (isArray(value)) return value.map(plainOf);
  if (isObject(value)) return Object.fromEntries([...value].map(([key, member]) => [key, plainOf(member)]));
  return typeof value === 'object' && value !== null ? Number(String(value)) : value;
}

/** The value with one place below it changed: replaced, taken from another document, renamed, added or removed. */
function changed(value: unknown, random: Random, depth: number): unknown {
  const isLeaf = typeof value !== 'object' || value === null;
  if (isLeaf || depth === 0 || random.int(9) === 0) return substitute(random);
  if (Array.isArray(value)) {
    const index = random.int(value.length + 1);
    const put = changed(value[index], random, depth - 1);
    return index === value.length ? [...value, put] : value.with(index, put);
  }
  const members: [string, unknown][] = Object.entries(value);
  const index = random.int(members.length + 1);
  const [name, member] = members[index] ?? [random.pick(names), undefined];
  const kind = random.int(12);
  const renamed = kind === 0 ? random.pick(names) : name;
  const rest = members.filter((_, each) => each !== index);
  const put: readonly [string, unknown][] = kind === 1 ? [] : [[renamed, changed(member, random, depth - 1)]];
  return Object.fromEntries([...rest, ...put]);
}

function substitute(random: Random): unknown {
  if (random.int(4) > 0) return random.pick(strange);
  let value = documents[random.int(documents.length)];
  for (let steps = random.int(5); steps > 0 && typeof value === 'object' && value !== null; steps -= 1) {
    const members = Object.values(value);
    value = members[random.int(Math.max(1, members.length))];
  }
  return value ?? null;
}

const refusals = new Set(['ERR_CONFIG', 'ERR_CONFIG_SYNTAX', 'ERR_FUNCTION', 'ERR_REQUEST', 'ERR_STRICT']);

/** A configuration is parsed and prepared, as far as its first request. */
function open(make: () => object, whole: () => string): void {
  const messages: string[] = [];
  try {
    extract(unchecked(make()), { notify: ({ message }) => void messages.push(message), env: { PATH: secret } });
  } catch (thrown) {
    if (!(thrown instanceof ExtractError) || !refusals.has(thrown.code)) {
      throw new Error(`the parser crashed: ${whole()}`, { cause: thrown });
    }
    messages.push(thrown.message, ...thrown.problems.map(({ path, message }) => `${path} ${message}`));
  }
  if ('polluted' in {}) throw new Error(`a prototype was changed: ${whole()}`);
  const telling = messages.find((message) => message.includes(secret));
  if (telling !== undefined) throw new Error(`a secret shows: ${telling}: ${whole()}`);
}

const configuration: Target = (random) => {
  let document: unknown = documents[random.int(documents.length)];
  for (let changes = 1 + random.int(4); changes > 0; changes -= 1) document = changed(document, random, 8);
  if (!isMembers(document)) return;
  const given = withSecret(document);
  open(
    () => (random.int(2) === 0 ? given : asObject(fromPlain(given))),
    () => JSON.stringify(given),
  );
};

/** With a secret under `#` in `config`, wherever that is. */
function withSecret(document: object): object {
  if ('parameters' in document && isMembers(document.parameters)) {
    return { ...document, parameters: withSecret(document.parameters) };
  }
  if (!('config' in document) || !isMembers(document.config)) return document;
  return { ...document, config: { ...document.config, '#fuzz': secret } };
}

const isMembers = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const asObject = (value: unknown): object => (typeof value === 'object' && value !== null ? value : {});

const text: Target = (random) => {
  const bytes = mutate(Buffer.from(corpus[random.int(corpus.length)] ?? '{}'), random);
  open(
    () => parseDocument(bytes, 'config.json'),
    () => shown(bytes),
  );
};

/** Lists as tables: random items of ten shapes in each kind of table, joined again. A failure names its shape. */
const lists: Target = (random) => {
  const shapes = Array.from({ length: 10 }, () => random.int(2 ** 31));
  return inFolder(async (dir) => {
    for (const kind of tableSinks) await reassembled(dir, kind, shapes);
  })();
};

export const targets: Readonly<Record<string, Target>> = {
  scanner,
  readers,
  configuration,
  text,
  masking,
  maskingSpeed,
  lists,
};
