/**
 * Files of items, in processes that are killed at random and resumed, from a server that breaks connections: each file
 * is there once and whole with its item, and nothing else is.
 */
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Api, headerOf, json, type RecordedRequest, type Reply, startApi } from '../loopback/api.js';
import { createDice, type Dice } from './dice.js';
import { createKiller, type Killer, runKilled } from './killed-command.js';

export interface DownloadsSeen {
  readonly seed: number;
  readonly files: number;
  readonly kills: number;
  readonly requests: number;
  /** Requests for the rest of a file. */
  readonly parts: number;
  /** Empty: everything is as it should be. */
  readonly broken: readonly string[];
}

const contentOf = (id: number, bytes: number): Buffer => Buffer.alloc(bytes, `file ${id};`);
const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** `kills`: how often processes are killed, about. Some files are larger than what is saved at once. */
export async function downloadOften(seed: number, files: number, kills: number): Promise<DownloadsSeen> {
  const dice = createDice(seed);
  const folder = await mkdtemp(join(tmpdir(), 'rxtract-downloads-'));
  const sizes = Array.from({ length: files }, () => dice.pick([0, 1, 700, 40_000, 300_000, 20_000_000]));
  const killer = createKiller(dice.apart('kills'), Math.max(2, Math.round((2 * files) / kills)));
  const api = await startFiles(sizes, killer, dice.apart('breaks'));
  try {
    await writeFile(join(folder, 'config.json'), JSON.stringify(configurationOf(api)));
    await runKilled({ folder, place: 'out', again: [], killer, concurrency: dice.between(1, 4), mostKills: kills });
    const parts = api.requests.filter((request) => headerOf(request, 'range') !== undefined).length;
    const broken = await judged(join(folder, 'out'), sizes);
    return { seed, files, kills: killer.counts.kills, requests: api.requests.length, parts, broken };
  } finally {
    await api.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

const configurationOf = ({ origin }: Api) => ({
  api: { baseUrl: `${origin}/` },
  config: {
    jobs: [
      {
        endpoint: 'documents',
        dataType: 'documents',
        children: [{ download: { url: 'files/{id}', to: '{name}' }, dataType: 'files', placeholders: { id: 'id' } }],
      },
    ],
  },
});

/** Every third name is that of another file. */
const nameOf = (id: number): string => `${id % 3 === 0 ? 'same' : id}.bin`;

const startFiles = (sizes: readonly number[], killer: Killer, dice: Dice): Promise<Api> =>
  startApi((request) => {
    killer.asked();
    const id = Number(/\d+$/.exec(request.target)?.[0] ?? -1);
    if (id < 0) return json(sizes.map((_, each) => ({ id: each, name: nameOf(each) })));
    return partOf(request, contentOf(id, sizes[id] ?? 0), `"${id}"`, dice.happens(0.1));
  });

/** The file, or the part that is requested; its connection breaks if it is to. */
function partOf(request: RecordedRequest, content: Buffer, etag: string, breaks: boolean): Reply {
  const asked = headerOf(request, 'if-range') === etag ? /bytes=(\d+)-/.exec(headerOf(request, 'range') ?? '') : null;
  const from = Number(asked?.[1] ?? 0);
  const rest = content.subarray(from);
  const headers = {
    etag,
    'content-length': String(rest.length),
    ...(asked === null ? {} : { 'content-range': `bytes ${from}-${content.length - 1}/${content.length}` }),
  };
  const body: Reply['body'] =
    breaks && rest.length > 10
      ? (to) => void to.write(rest.subarray(0, rest.length / 2), () => setTimeout(() => to.destroy(), 5))
      : rest;
  return { status: asked === null ? 200 : 206, headers, body };
}

async function judged(out: string, sizes: readonly number[]): Promise<readonly string[]> {
  const broken: string[] = [];
  const names = (await readdir(out)).sort().join(' ');
  if (names !== 'documents.ndjson files.ndjson files.ndjson.files') broken.push(`the output has ${names}`);
  const left = new Set(await readdir(join(out, 'files.ndjson.files')));
  const lines = (await readFile(join(out, 'files.ndjson'), 'utf8')).split('\n').slice(0, -1);
  if (lines.length !== sizes.length) broken.push(`${lines.length} items, not ${sizes.length}`);
  for (const [id, line] of lines.entries()) {
    const { name, size, sha256, parent_id: parent } = JSON.parse(line);
    const expected = digestOf(contentOf(id, sizes[id] ?? 0));
    const bytes = await readFile(join(out, 'files.ndjson.files', name)).catch(() => Buffer.from('missing'));
    const isSame = parent === id && size === sizes[id] && sha256 === expected && digestOf(bytes) === expected;
    if (!isSame) broken.push(`${name} of ${id} is not as it was sent`);
    if (!left.delete(name)) broken.push(`${name} is of two items`);
  }
  return [...broken, ...[...left].map((name) => `${name} has no item`)];
}
