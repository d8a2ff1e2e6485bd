/** Publishes the staged rows of all tables in one transaction, with a mark that the run has published. */
import { totalmem } from 'node:os';
import { ExtractError } from '../../src/core/errors/errors.js';
import type { Notify } from '../../src/core/model/notice.js';
import type { ListRows } from '../../src/core/tables/list-rules.js';
import { defined } from '../../src/core/util/defined.js';
import type { Earlier, SinkOutput } from '../contract.js';
import { noticeOfSuffixes } from '../tables/column-case.js';
import { noticeOfIncomplete, noticeOfKept } from '../tables/kept-columns.js';
import { isUpdating, isWatching, ownColumns } from '../tables/keys.js';
import type { DuckdbDatabase } from './duckdb-client.js';
import { isOutOfMemory, within } from './duckdb-errors.js';
import type { DuckdbSettings } from './duckdb-options.js';
import { type ExistingTable, findTables } from './existing-table.js';
import { clearLists, deleteOrphans, type OwnedTable, readLists, referenceTypes, storeList } from './list-tables.js';
import { type Load, loadRows, memoryFor, refusedItem } from './load-rows.js';
import { storeMembers } from './member-columns.js';
import { markPublished } from './published-runs.js';
import { folded, literal, quoted } from './sql.js';
import type { StagedTable } from './staged-table.js';
import { mustFit, planTable } from './target-table.js';

/** How a table was made: for the summary. */
export type PublishedTable = Pick<SinkOutput, 'columns' | 'changed' | 'size'> & Partial<Pick<SinkOutput, 'items'>>;

export interface StagedFiles {
  readonly table: StagedTable;
  /** In order. */
  readonly paths: readonly string[];
  readonly items: number;
  /** What the run does not have is not there any more. */
  readonly isComplete: boolean;
}

interface Options {
  readonly settings: DuckdbSettings;
  readonly earlier: Earlier;
  readonly notify: Notify;
}

/** Publishes. Rejects with ERR_SINK, which names the table and the item that it refuses; then nothing has changed. */
export async function publish(
  database: DuckdbDatabase,
  staged: readonly StagedFiles[],
  options: Options,
): Promise<readonly PublishedTable[]> {
  return withinMemory(database, options.settings, async () => {
    const loads = await publishWithin(database, staged, options, bounds);
    for (const load of loads) sayColumns(load, options);
    await database.run('CHECKPOINT').catch(() => {}); // Another sink of the process may be at work.
    // The rows that are still in memory go: what follows would come on top of them.
    await database.run(`SET memory_limit = '${sizing}MiB'`).catch(() => {});
    return Promise.all(loads.map((load) => published(database, load)));
  });
}

/** Does work that sets bounds of memory, and removes them: others of the process may use the database. */
async function withinMemory<T>(
  database: DuckdbDatabase,
  { isTyped }: DuckdbSettings,
  work: () => Promise<T>,
): Promise<T> {
  // DuckDB before 1.5 has no such setting.
  await database.run('SET write_buffer_row_group_count = 1').catch(() => {});
  // Trying all kinds on texts as long as items needs 60 MB; this is the one that DuckDB chooses for them.
  if (!isTyped) await database.run("SET force_compression = 'fsst'").catch(() => {});
  try {
    return await work();
  } finally {
    // RESET of DuckDB 1.5 shows the default, and leaves the bound.
    await database.run(unbounded()).catch(() => {});
    await database.run('RESET write_buffer_row_group_count').catch(() => {});
    if (!isTyped) await database.run("SET force_compression = 'auto'").catch(() => {});
  }
}

/** The memory of a load without columns, in MiB. The last one has no bound: what DuckDB takes by itself. */
const bounds = [8, 16, 64, 192, Number.POSITIVE_INFINITY];

/** A load that needs more memory than the bound is done again with the next one. */
async function publishWithin(
  database: DuckdbDatabase,
  staged: readonly StagedFiles[],
  options: Options,
  [least = Number.POSITIVE_INFINITY, ...larger]: readonly number[],
): Promise<readonly Load[]> {
  try {
    return await publishWith(database, staged, options, least);
  } catch (thrown) {
    const cause = thrown instanceof ExtractError ? thrown.cause : undefined;
    if (larger.length === 0 || !isOutOfMemory(cause)) throw thrown;
    return publishWithin(database, staged, options, larger);
  }
}

/** The memory for the sizes of tables, in MiB. Thousands of columns may need more. */
const sizing = 4;

/** 80% of the memory of the machine, in MiB, as DuckDB takes by itself. */
const mostMemory = (): number => Math.floor((totalmem() * 0.8) / 1024 / 1024);

const unbounded = (): string => `SET memory_limit = '${mostMemory()}MiB'`;

async function publishWith(
  database: DuckdbDatabase,
  staged: readonly StagedFiles[],
  { settings, earlier }: Options,
  least: number,
): Promise<readonly Load[]> {
  const loads: Load[] = [];
  await within({ action: 'publish' }, () =>
    database.transaction(async () => {
      await database.run(`CREATE SCHEMA IF NOT EXISTS ${quoted(settings.schema, 'schema')}`);
      const existing = await findTables(database, settings.schema);
      const lists = await readLists(database, settings, existing);
      const isStaged = new Set(staged.map(({ table }) => folded(table.target.name)));
      for (const file of staged) {
        const owner = loads.find(({ table }) => table.name === file.table.list?.owner);
        const load = await loadOf(database, file, {
          found: existing.get(folded(file.table.target.name)),
          owner,
          settings,
        });
        loads.push(load);
        const bound = `SET memory_limit = '${Math.min(memoryFor(load, least), mostMemory())}MiB'`;
        await database.run(bound);
        await loadTable(database, load, {
          list: file.table.list,
          lists: (lists.get(folded(load.table.name)) ?? []).filter(({ name }) => !isStaged.has(name)),
          settings,
        });
        // To set it again gives memory that is free back to the system: that of the commit would come on top of it.
        await database.run(bound);
      }
      if (isMirroring(settings)) await removeOrphans(database, loads, settings);
      if (earlier.isStored) await markPublished(database, [earlier.run]);
    }),
  ).catch(async (thrown: unknown) => {
    const last = loads.at(-1);
    const cause = thrown instanceof ExtractError ? thrown.cause : thrown;
    if (last === undefined || isOutOfMemory(cause)) throw thrown;
    await database.run(unbounded()).catch(() => {});
    throw (await refusedItem(database, last, cause).catch(() => undefined)) ?? thrown;
  });
  return loads;
}

/** What is there before a table is loaded. */
interface Before {
  readonly found: ExistingTable | 'view' | undefined;
  /** The items that have the list. */
  readonly owner: Load | undefined;
  readonly settings: DuckdbSettings;
}

const noTypes: ReadonlyMap<string, string> = new Map();

async function loadOf(
  database: DuckdbDatabase,
  { table, paths, items, isComplete }: StagedFiles,
  { found, owner, settings }: Before,
): Promise<Load> {
  const { target, slots, list } = table;
  const own = table.settings;
  mustFit(target, found, own);
  const existing = found === 'view' ? undefined : found;
  const types = list === undefined ? noTypes : referenceTypes(owner, list, settings);
  const plan = await within({ action: 'plan the table', table: target.shown, job: target.job }, () =>
    planTable(database, target, existing, slots, { settings: own, types }),
  );
  const rows = { paths, items, slots };
  const isReplacing = list !== undefined && owner !== undefined && isUpdating(settings.mode);
  const replacing = isReplacing ? { list, owner, settings } : undefined;
  return { table: target, found: existing, rows, plan, isComplete, settings: own, replacing };
}

interface Lists {
  /** The table has the rows of a list. */
  readonly list: ListRows | undefined;
  /** Those of its own items that only earlier runs have. */
  readonly lists: readonly OwnedTable[];
  readonly settings: DuckdbSettings;
}

async function loadTable(database: DuckdbDatabase, load: Load, { list, lists, settings }: Lists): Promise<void> {
  const { table, found } = load;
  const { schema, isTyped } = settings;
  await within({ action: 'publish', table: table.shown, job: table.job }, async () => {
    await loadRows(database, load);
    if (isTyped) await storeMembers(database, { schema, name: table.name, found, filled: filledOf(load) });
    await clearLists(database, load, lists, settings);
    if (list !== undefined) await storeList(database, table, list, settings);
  });
}

/** Whether rows that a complete run does not have are deleted. */
const isMirroring = ({ mode, deleted }: DuckdbSettings): boolean => mode === 'mirror' && deleted === undefined;

/** Removes the rows of lists whose items the run has deleted. */
async function removeOrphans(
  database: DuckdbDatabase,
  loads: readonly Load[],
  settings: DuckdbSettings,
): Promise<void> {
  const lists = await readLists(database, settings, await findTables(database, settings.schema));
  for (const load of loads.filter(({ isComplete }) => isComplete)) {
    await deleteOrphans(database, load, lists.get(folded(load.table.name)) ?? [], settings);
  }
}

const filledOf = ({ plan }: Load) => plan.filled.map(({ name, form, leaf: { member } }) => ({ name, form, member }));

/** Notices on columns and rows that a user may not expect. */
function sayColumns(load: Load, { notify }: Pick<Options, 'notify'>): void {
  const { table, found = [] } = load;
  const { mode, deleted, isTyped } = load.settings;
  const filled = filledOf(load);
  if (isWatching(mode) && !load.isComplete) noticeOfIncomplete(table.name, notify);
  if (!isTyped) return;
  noticeOfSuffixes(table.name, filled, notify);
  if (!isUpdating(mode) || filled.length === 0 || found.some(({ member }) => member !== undefined)) return;
  const isFilled = new Set(filled.map(({ name }) => name));
  const own = ownColumns(mode, deleted);
  const kept = found.filter(({ name, hasDefault }) => !hasDefault && !isFilled.has(name) && !own.includes(name));
  noticeOfKept(
    table.name,
    kept.map(({ name }) => name),
    notify,
  );
}

async function published(database: DuckdbDatabase, { table, plan, inserted }: Load): Promise<PublishedTable> {
  const { columns, changed } = plan;
  const size = await sizeOf(database, table.target).catch(async () => {
    await database.run(unbounded());
    return sizeOf(database, table.target).catch(() => undefined);
  });
  const isChanged = changed.length > 0;
  return { columns, ...(isChanged && { changed }), ...defined({ size, items: inserted }) };
}

const blockBytes = 262_144;

/** The blocks that have values of the table, in bytes. */
async function sizeOf(database: DuckdbDatabase, target: string): Promise<number> {
  const [row] = await database.rows(
    `SELECT count(DISTINCT block_id) AS blocks FROM pragma_storage_info(${literal(target)}) WHERE block_id >= 0`,
  );
  return Number(row?.blocks ?? 0) * blockBytes;
}
