/** The destinations of many pulls: how each is written, and what it has at the end. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openDatabase } from '../../sinks/duckdb/duckdb-client.js';
import { readParquet } from '../sinks/parquet/read.js';
import { readTopic, textsOf } from '../support/kafka-reader.js';
import { connectReady, startKafka, startPostgres, type TestServer } from '../support/servers.js';
import type { ChangingItem } from './changing-rows.js';

/** Where a destination is. */
export interface TargetPlace {
  readonly folder: string;
  /** Of its server, if it has one. */
  readonly port: number;
}

type Rows = readonly ChangingItem[];

export interface PullTarget {
  start?(): Promise<TestServer>;
  uri(place: TargetPlace): string;
  /** Called after each pull: the versions that arrived with it, if the sink replaces its output. */
  collect?(place: TargetPlace): Promise<Rows>;
  /** All rows at the end; absent: what was collected. */
  rows?(place: TargetPlace): Promise<Rows>;
  /** The rows that are valid at the end, one for each id; absent: there may be several. */
  current?(place: TargetPlace): Promise<Rows>;
  /** The API forgets deleted rows, and some pulls ask for everything, so that the destination learns of it. */
  readonly forgets?: true;
  /** Each row has a key: a run may begin anew in place of a killed one, and each version is there once all the same. */
  readonly isKeyed?: true;
}

const itemsOf = (text: string): Rows =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => itemOf(JSON.parse(line)));

/** Some destinations have the members in another order, and DuckDB prints a time in its own form. */
function itemOf({ id, updated, name, deleted }: Readonly<Record<string, unknown>>): ChangingItem {
  const time = new Date(String(updated).replace(/^(\S+) (\S+)\+00$/, '$1T$2Z'));
  return { id: Number(id), updated: time.toISOString(), name: String(name), deleted: String(deleted) === 'true' };
}

async function tableRows({ folder }: TargetPlace, which = 'true'): Promise<Rows> {
  const database = await openDatabase(join(folder, 'rows.db'));
  try {
    const rows = await database.rows(
      `SELECT to_json(t)::VARCHAR AS text FROM (SELECT id, updated, name, deleted FROM rows WHERE ${which}) t`,
    );
    return rows.map(({ text }) => itemOf(JSON.parse(String(text))));
  } finally {
    database.close();
  }
}

async function postgresRows({ port }: TargetPlace, which = 'true'): Promise<Rows> {
  const client = await connectReady(port);
  try {
    const { rows } = await client.query(`SELECT item::text AS text FROM rows WHERE ${which}`);
    return rows.map(({ text }) => itemOf(JSON.parse(String(text))));
  } finally {
    await client.end();
  }
}

async function filesIn({ folder }: TargetPlace): Promise<readonly string[]> {
  const names = await readdir(join(folder, 'out')).catch(() => []);
  const left = names.find((name) => name.endsWith('.partial'));
  if (left !== undefined) throw new Error(`"${left}" is left`);
  return names.sort().map((name) => join(folder, 'out', name));
}

async function added(place: TargetPlace, read: (path: string) => Promise<Rows>): Promise<Rows> {
  return (await Promise.all((await filesIn(place)).map(read))).flat();
}

const csvRows = async (path: string): Promise<Rows> => {
  const [names = '', ...lines] = (await readFile(path, 'utf8')).split('\r\n').slice(0, -1);
  const columns = names.split(',');
  return lines.map((line) => itemOf(Object.fromEntries(line.split(',').map((cell, at) => [columns[at] ?? '', cell]))));
};

const isCurrent = 'valid_to IS NULL';
const duckdb = (mode: string) => ({
  uri: ({ folder }: TargetPlace) => `duckdb:${folder}/rows.db?mode=${mode}`,
  rows: (place: TargetPlace) => tableRows(place),
});
const postgres = (mode: string) => ({
  start: () => startPostgres(),
  uri: ({ port }: TargetPlace) => `postgres://rx@127.0.0.1:${port}/postgres?mode=${mode}`,
  rows: (place: TargetPlace) => postgresRows(place),
});

export const pullTargets = {
  ndjson: {
    uri: ({ folder }) => `ndjson:${folder}/out`,
    collect: async ({ folder }) => itemsOf(await readFile(join(folder, 'out', 'rows.ndjson'), 'utf8').catch(() => '')),
  },
  'ndjson-append': {
    uri: ({ folder }) => `ndjson:${folder}/out?mode=append&rotate=2KB`,
    rows: (place) => added(place, async (path) => itemsOf(await readFile(path, 'utf8'))),
  },
  'csv-append': {
    uri: ({ folder }) => `csv:${folder}/out?mode=append`,
    rows: (place) => added(place, csvRows),
  },
  'parquet-append': {
    uri: ({ folder }) => `parquet:${folder}/out?mode=append`,
    rows: (place) => added(place, async (path) => (await readParquet(path)).rows.map(itemOf)),
  },
  'duckdb-append': duckdb('append'),
  'duckdb-merge': { ...duckdb('merge&key=id'), isKeyed: true, current: tableRows },
  'duckdb-mirror': { ...duckdb('mirror&key=id'), isKeyed: true, current: tableRows, forgets: true },
  'duckdb-history': { ...duckdb('history&key=id'), isKeyed: true, current: (place) => tableRows(place, isCurrent) },
  'postgres-append': postgres('append'),
  'postgres-merge': { ...postgres('merge&key=id'), isKeyed: true, current: postgresRows },
  'postgres-mirror': { ...postgres('mirror&key=id'), isKeyed: true, current: postgresRows, forgets: true },
  'postgres-history': {
    ...postgres('history&key=id'),
    isKeyed: true,
    current: (place) => postgresRows(place, isCurrent),
  },
  kafka: {
    start: () => startKafka(),
    uri: ({ port }) => `kafka://127.0.0.1:${port}/rows?transactions=true`,
    rows: async ({ port }) => textsOf(await readTopic(port, 'rows')).flatMap(itemsOf),
  },
} as const satisfies Readonly<Record<string, PullTarget>>;

export type PullTargetName = keyof typeof pullTargets;
