/** Publishes the staged rows of all tables in one transaction, with a mark that the run has published. */
import { totalmem } from 'node:os';
import { ExtractError } from '../../src/core/errors/errors.js';
import type { Earlier, SinkOutput } from '../contract.js';
import type { DuckdbDatabase } from './duckdb-client.js';
import { within } from './duckdb-errors.js';
import { bookkeeping, type DuckdbSettings } from './duckdb-options.js';
import { type Load, loadRows, memoryFor, refusedItem } from './load-rows.js';
import { folded, literal, quoted } from './sql.js';
import type { StagedTable } from './staged-table.js';
import { type ExistingTable, findTables, mustFit, planTable } from './target-table.js';

/** How a table was made: for the summary. */
export type PublishedTable = Pick<SinkOutput, 'columns' | 'changed' | 'size'>;

export interface StagedFile {
  readonly table: StagedTable;
  readonly path: string;
  readonly items: number;
}

interface Options {
  readonly settings: DuckdbSettings;
  readonly earlier: Earlier;
}

/** Publishes. Rejects with ERR_SINK, which names the table and the item that it refuses; then nothing has changed. */
export async function publish(
  database: DuckdbDatabase,
  staged: readonly StagedFile[],
  { settings, earlier }: Options,
): Promise<readonly PublishedTable[]> {
  const loads = await publishWith(database, staged, { settings, earlier, isBounded: true }).catch((thrown: unknown) => {
    if (!isOutOfMemory(thrown)) throw thrown;
    return publishWith(database, staged, { settings, earlier, isBounded: false });
  });
  await database.run('CHECKPOINT').catch(() => {}); // Another sink of the process may be at work.
  return Promise.all(loads.map((load) => published(database, load)));
}

/** DuckDB needs more than the bound for some tables: then it gets what it takes by itself. */
const isOutOfMemory = (thrown: unknown): boolean =>
  thrown instanceof ExtractError && thrown.cause instanceof Error && thrown.cause.message.startsWith('Out of Memory');

/** 80% of the memory of the machine, as DuckDB takes by itself. */
const mostMemory = (): string => `${Math.floor((totalmem() * 0.8) / 1024 / 1024)}MiB`;

async function publishWith(
  database: DuckdbDatabase,
  staged: readonly StagedFile[],
  { settings, earlier, isBounded }: Options & { readonly isBounded: boolean },
): Promise<readonly Load[]> {
  const loads: Load[] = [];
  await within({ action: 'publish' }, () =>
    database.transaction(async () => {
      await database.run(`CREATE SCHEMA IF NOT EXISTS ${quoted(settings.schema, 'schema')}`);
      const existing = await findTables(database, settings.schema);
      for (const file of staged) {
        const load = await loadOf(database, file, existing.get(folded(file.table.target.name)), settings);
        loads.push(load);
        await database.run(`SET memory_limit = '${isBounded ? memoryFor(load) : mostMemory()}'`);
        await loadTable(database, load, settings);
      }
      if (earlier.isStored) await mark(database, earlier.run);
    }),
  ).catch(async (thrown: unknown) => {
    const last = loads.at(-1);
    const cause = thrown instanceof ExtractError ? thrown.cause : thrown;
    const found = last === undefined ? undefined : await refusedItem(database, last, cause).catch(() => undefined);
    throw found ?? thrown;
  });
  return loads;
}

async function loadOf(
  database: DuckdbDatabase,
  { table, path, items }: StagedFile,
  found: ExistingTable | 'view' | undefined,
  settings: DuckdbSettings,
): Promise<Load> {
  const { target, slots } = table;
  mustFit(target, found, settings);
  const existing = found === 'view' ? undefined : found;
  const plan = await within({ action: 'plan the table', table: target.shown, job: target.job }, () =>
    planTable(database, target, existing, slots, settings),
  );
  return { table: target, found: existing, rows: { path, items, slots }, plan };
}

async function loadTable(database: DuckdbDatabase, load: Load, settings: DuckdbSettings): Promise<void> {
  const { table } = load;
  await within({ action: 'publish', table: table.shown, job: table.job }, () => loadRows(database, load, settings));
}

async function mark(database: DuckdbDatabase, run: string): Promise<void> {
  await database.run(`CREATE SCHEMA IF NOT EXISTS ${bookkeeping}`);
  await database.run(`CREATE TABLE IF NOT EXISTS ${bookkeeping}.published (run VARCHAR)`);
  await database.run(`INSERT INTO ${bookkeeping}.published VALUES (${literal(run)})`);
}

async function published(database: DuckdbDatabase, { table, plan }: Load): Promise<PublishedTable> {
  const { columns, changed } = plan;
  const size = await sizeOf(database, table.target).catch(() => undefined);
  return { columns, ...(changed.length === 0 ? {} : { changed }), ...(size === undefined ? {} : { size }) };
}

const blockBytes = 262_144;

/** The blocks that have values of the table, in bytes. */
async function sizeOf(database: DuckdbDatabase, target: string): Promise<number> {
  const [row] = await database.rows(
    `SELECT count(DISTINCT block_id) AS blocks FROM pragma_storage_info(${literal(target)}) WHERE block_id >= 0`,
  );
  return Number(row?.blocks ?? 0) * blockBytes;
}
