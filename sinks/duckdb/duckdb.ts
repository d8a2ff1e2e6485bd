/**
 * DuckDB: a table for each data type. Rows wait in files beside the database, which are cut back to the last commit;
 * at the end of the run one transaction loads them.
 */
import { stat } from 'node:fs/promises';
import { ExtractError } from '../../src/core/errors/errors.js';
import { type Exact, ExactNumber, isObject } from '../../src/core/json/exact.js';
import { type Batch, sizeOf } from '../../src/core/model/batch.js';
import type { Notify } from '../../src/core/model/notice.js';
import type { GivenOptions } from '../../src/core/options/kind.js';
import type { ListRows } from '../../src/core/tables/list-rules.js';
import { sinkInCode } from '../addresses/options.js';
import { borrowing } from '../borrowing.js';
import type { Closing, Earlier, Sink, SinkOutput } from '../contract.js';
import { type Count, createTally, nothing } from '../counts.js';
import type { SinkEntry } from '../entry.js';
import { absent, hasEnded } from '../errors.js';
import { type BytePool, createBytePool } from '../growing-bytes.js';
import { createItemErrors, type ItemErrors } from '../item-errors.js';
import { listsRule } from '../related-tables/list-options.js';
import { type PagedSink, withLists } from '../related-tables/with-lists.js';
import { createTurns, type InTurn } from '../serialize.js';
import { historyRule, isUpdating, isWatching, mirrorRule } from '../tables/keys.js';
import { typesRule } from '../tables/text-forms.js';
import { type DuckdbDatabase, duckdbPackages, mustBeWritable, openDatabase } from './duckdb-client.js';
import { within } from './duckdb-errors.js';
import { type DuckdbSettings, duckdbOptions, duckdbSettings } from './duckdb-options.js';
import { type ExistingTable, findTables } from './existing-table.js';
import { createItemCheck, type ItemCheck, leaveRefusedOut } from './item-check.js';
import { settingsOfList } from './list-tables.js';
import { type PublishedTable, publish, type StagedFiles } from './publish.js';
import { isPublishedBefore } from './published-runs.js';
import { folded, literal, quoted } from './sql.js';
import { createStagedTable, type StagedTable } from './staged-table.js';
import { createRowStaging, type RowStaging, removeEnded } from './staging.js';
import { readRules } from './table-rules.js';
import { mustFit, targetOf } from './target-table.js';

/** The options of `duckdb`. */
export interface DuckdbOptions extends GivenOptions<typeof duckdbOptions> {
  /** Receives notices, such as those of lone surrogates. */
  readonly notify?: Notify;
}

/**
 * Creates the sink of the address `duckdb:FILE`: tables of a DuckDB database. Loads the client and opens the database
 * when the run begins. Throws ERR_USAGE for wrong options; see docs/reference/sinks/duckdb.md.
 */
export const duckdb = ({ notify, ...values }: DuckdbOptions): Sink =>
  sinkInCode('duckdb', duckdbEntry, values, { notify });

export const duckdbEntry: SinkEntry<typeof duckdbOptions> = {
  summary: 'tables of a DuckDB database, one for each data type, published in one transaction',
  address: { form: 'duckdb:FILE', target: 'file', parts: { target: 'file' } },
  options: duckdbOptions,
  code: "duckdb({ file: 'out.db' })",
  recovery: 'cut',
  rules: [
    'The table of a data type has its name: `users` is the table `users`. DuckDB ignores the case of names, so `users` and `Users` would be one table, which is an error.',
    'A table has a column for each text, number, boolean and list, also within objects: `address.city` is `address__city`; an item that is no object is in the column `value`. Two members that would be one column, such as `a__b` and `a.b`, end the run.',
    'DuckDB ignores the case of names: with `id` and `ID` in one run, the second one is the column `ID_1`, with the notice `column-case`. Each keeps its column in later runs, also if only one of them comes; a member of the key has its own name.',
    'Types: `VARCHAR`, `BOOLEAN`, `BIGINT`, `JSON` for lists. Integers beyond 64 bits are `HUGEINT`. Numbers with a fraction are `DECIMAL(18,s)`, or `DECIMAL(38,s)` if they have more digits; `DOUBLE` if not even 38 digits are enough, or a number has more than nine digits after the point and fifteen in all, and no digit is lost; else `VARCHAR` with their text. So each digit is kept.',
    typesRule('`DATE`, `TIMESTAMP`, `TIMESTAMPTZ` or `UUID`'),
    'A column is added when it first has a value, widened when a value does not fit (numbers beside texts become `VARCHAR`, a list in a column of numbers makes it `JSON`; a column of texts holds lists as their JSON), and never narrowed or dropped.',
    'With `columns=item` a table has one column, `item`, with the JSON of each item: every character of it.',
    '`null`, an absent member and an empty object are no value. Half of a surrogate pair becomes U+FFFD, with the warning `lone-surrogate`.',
    'Rows wait in `FILE.rxtract/`, a folder beside the database. At the end of the run one transaction loads all tables. A run that fails publishes nothing. With a state the name of the run is stored in `rxtract.published` by the same transaction, so that no resume publishes twice, and no process that was suspended before it began; a run that begins seven days later removes it.',
    'The database is open during the run, and DuckDB lets one process open a file that is written: another process gets an error, as does a run into a file that another process has open, before its first request. So do two sinks of one run, also with other tables or schemas: give all data types of a database one address. A file of another kind, such as `data.csv`, is an error too.',
    '`mode=replace` deletes the rows of an existing table and inserts the new ones: its constraints, indexes and views stay. `mode=append` inserts. `mode=merge`, `mirror` and `history` need no index; of several items with one key the last one counts, and an item without the key is refused.',
    listsRule,
    mirrorRule,
    historyRule,
    'With `mode=merge` an item replaces the row: each column that an item of any run has filled is set, to NULL where the item has nothing. `rxtract.columns` in the database records these columns, their members and the form of their texts, in every mode with typed columns. Other columns keep their values. In a table of which nothing is recorded, of an earlier version or your own, a column counts as one of items once an item has a value for it; the notice `columns-kept` names the others.',
    'An existing table is verified before the first request. Columns of other types, such as `DATE` or `VARCHAR[]`, stay as they are, and so do columns with an index or a constraint: values are converted as `CAST` does, and one that does not fit is refused. A required column that has a default gets it where an item has no value.',
    'With `create=false` nothing is created or widened but `rxtract.columns`: an item that needs it is refused at its page.',
    'A refused item ends the run, and the error names the table, the column and the place of the item. With `--on-item-error` each page is tried before it is staged, and refused items are left out: values that do not fit, required columns, `CHECK`, and `UNIQUE` or `PRIMARY KEY` (with `mode=append` also the values of rows that are there), whose values are then kept in memory. Foreign keys, unique indexes, and with `mode=merge` other unique columns than the key count when the tables are published: there they end the run, as do rows that an earlier process has staged without `--on-item-error`.',
  ],
  packages: duckdbPackages,
  example: 'duckdb:out.db',
  create: (options, { notify }) => withChildTables(duckdbSettings(options), notify),
};

function withChildTables(settings: DuckdbSettings, notify?: Notify): Sink {
  const { mode, lists, isTyped } = settings;
  const sink = createDuckdb(settings, notify);
  if (!isTyped || mode === 'history') return sink;
  return withLists(sink, {
    ...lists,
    kind: 'duckdb',
    notify,
    isAppending: mode === 'append',
    isMarked: isUpdating(mode),
  });
}

function createDuckdb(settings: DuckdbSettings, notify: Notify = () => {}): PagedSink {
  const run = createRun(settings, notify);
  return {
    name: `duckdb:${settings.shown}`,
    recovery: 'cut',
    check: () => verify(settings),
    resume: (earlier) => begin(run, earlier),
    async open(dataType, job, opening) {
      run.errors.open(opening);
      run.tally.open(dataType);
      tableOf(run, dataType, job, opening?.list);
      if (!run.isPublished) await run.staging?.files.sink.open(dataType, job, opening);
    },
    ...pages(run),
    durable: async () => run.staging?.files.sink.durable?.(),
    ...(settings.mode === 'replace' || isWatching(settings.mode)
      ? {
          published: (dataType: string) => earlierOutput(run, dataType),
          replacesOutput: () => settings.mode === 'replace',
        }
      : {}),
    close: (closing) => close(run, closing),
    abort: (reason) => abort(run, reason),
    summary: () => summary(run),
  };
}

/** What the parts of the sink share. */
interface Run {
  readonly settings: DuckdbSettings;
  readonly notify: Notify;
  /** Has the memory of encoded rows. */
  readonly pool: BytePool;
  readonly tally: ReturnType<typeof createTally>;
  /** By data type. */
  readonly tables: Map<string, StagedTable>;
  /** By data type, how its table was made. */
  readonly made: Map<string, PublishedTable>;
  /** Data types whose earlier rows stay. */
  kept: ReadonlySet<string>;
  /** The tables of the schema before this run. */
  existing: ReadonlyMap<string, ExistingTable | 'view'>;
  database: DuckdbDatabase | undefined;
  staging: RowStaging | undefined;
  earlier: Earlier | undefined;
  /** By data type: finds refused items, if the run leaves them out. */
  readonly checks: Map<string, Promise<ItemCheck | undefined>>;
  readonly errors: ItemErrors;
  /** Statements of checks, one after the other. */
  readonly inTurn: InTurn;
  isPublished: boolean;
  isOver: boolean;
}

const createRun = (settings: DuckdbSettings, notify: Notify): Run => ({
  settings,
  notify,
  pool: createBytePool(),
  tally: createTally(),
  tables: new Map(),
  made: new Map(),
  kept: new Set(),
  checks: new Map(),
  errors: createItemErrors('duckdb'),
  inTurn: createTurns(),
  existing: new Map(),
  database: undefined,
  staging: undefined,
  earlier: undefined,
  isPublished: false,
  isOver: false,
});

/** Opens the database, and what this run has staged. */
async function begin(run: Run, earlier: Earlier): Promise<void> {
  const { settings } = run;
  await mustBeThere(settings);
  run.database ??= await openDatabase(settings.file);
  const { database } = run;
  run.earlier = earlier;
  await within({ action: `read the database "${settings.shown}"` }, async () => {
    run.existing = await findTables(database, settings.schema);
    await mustHaveSchema(database, settings);
  });
  const others = await removeEnded(settings.file, earlier);
  run.isPublished = await within({ action: 'read the published runs' }, () =>
    isPublishedBefore(database, earlier, others),
  );
  run.staging = createRowStaging(settings.file, earlier);
  run.tables.clear();
  run.checks.clear();
  for (const [dataType, checkpoint] of earlier.checkpoints) resetTally(run, dataType, checkpoint);
  if (run.isPublished) return;
  await run.staging.files.sink.resume({ ...earlier, checkpoints: filesOf(earlier.checkpoints, formOf(settings)) });
}

/** Rows of another form cannot be continued. */
const formOf = ({ isTyped, keys, mode }: DuckdbSettings): string =>
  JSON.stringify([isTyped, keys, ...(isWatching(mode) ? [mode] : [])]);

function filesOf(checkpoints: ReadonlyMap<string, Exact>, form: string): ReadonlyMap<string, Exact> {
  const files = new Map<string, Exact>();
  for (const [dataType, checkpoint] of checkpoints) {
    if (!isObject(checkpoint) || checkpoint.get('form') !== form) {
      throw new ExtractError('ERR_RESUME', 'the run staged rows with other options: resume with the same address');
    }
    files.set(dataType, checkpoint.get('file') ?? null);
  }
  return files;
}

function resetTally({ tally }: Run, dataType: string, checkpoint: Exact): void {
  const count = (name: string) => Number(isObject(checkpoint) ? String(checkpoint.get(name)) : 0);
  tally.reset(dataType, { items: count('items'), bytes: count('bytes') });
}

async function mustBeThere({ file, shown, mayCreate }: DuckdbSettings): Promise<void> {
  if (mayCreate || (await stat(file).catch(() => undefined)) !== undefined) return;
  throw absent('duckdb', `database "${shown}"`);
}

async function mustHaveSchema(database: DuckdbDatabase, { schema, mayCreate }: DuckdbSettings): Promise<void> {
  if (mayCreate || schema === 'main') return;
  const where = `lower(schema_name) = lower(${literal(schema)}) AND database_name = current_database()`;
  if ((await database.rows(`SELECT 1 FROM duckdb_schemas() WHERE ${where}`)).length > 0) return;
  throw absent('duckdb', `schema "${schema}"`);
}

/** The staged table of a data type. Verifies once that its target fits. Throws ERR_SINK. */
function tableOf(run: Run, dataType: string, job: string, list?: ListRows): StagedTable {
  const known = run.tables.get(dataType);
  if (known !== undefined) return known;
  const { existing, notify, pool } = run;
  const settings = list === undefined ? run.settings : settingsOfList(run.settings);
  const target = targetOf(settings, dataType, job);
  const other = [...run.tables.keys()].find((name) => folded(name) === folded(dataType));
  if (other !== undefined) throw sameTable(other, dataType);
  const found = run.isPublished ? undefined : existing.get(folded(dataType));
  mustFit(target, found, settings);
  const table = createStagedTable({
    target,
    found: found === 'view' ? undefined : found,
    settings,
    list,
    notify,
    pool,
  });
  run.tables.set(dataType, table);
  return table;
}

const sameTable = (one: string, other: string) =>
  new ExtractError('ERR_SINK', `duckdb: "${one}" and "${other}" would be one table: DuckDB ignores the case of names`, {
    remedy: 'Set dataType of one of the jobs to another name.',
  });

/** Each batch is written to the file of its data type as rows. */
function pages(run: Run): Required<Pick<Sink, 'write' | 'commit' | 'rollback'>> {
  const { tally, pool } = run;
  return {
    write: borrowing(async (batch, signal) => {
      const { staging } = run;
      if (run.isOver || staging === undefined) throw hasEnded('duckdb');
      const table = await readyTable(run, staging, batch.dataType, batch.job);
      const before = table.count();
      try {
        const { bytes, count } = await acceptedRows(run, staging, table, batch);
        const end = pool.lend(bytes);
        try {
          if (count.items > 0) await staging.files.sink.write({ ...batch, bytes, count: count.items }, signal);
        } finally {
          end();
        }
        table.taken(count);
      } catch (thrown) {
        table.cut(before);
        throw thrown;
      }
    }),
    async commit(page, signal) {
      const { staging } = run;
      if (staging === undefined) throw hasEnded('duckdb');
      const table = await readyTable(run, staging, page.dataType, page.job);
      const file = await staging.files.sink.commit(page, signal);
      tally.increase(page.dataType, table.commit());
      (await run.checks.get(page.dataType))?.commit();
      if (file === undefined) return undefined; // The run stores no state.
      const { items, bytes } = tally.at(page.dataType);
      return new Map<string, Exact>([
        ...([
          ['file', file],
          ['form', formOf(run.settings)],
        ] as const),
        ...([
          ['items', new ExactNumber(String(items))],
          ['bytes', new ExactNumber(String(bytes))],
        ] as const),
      ]);
    },
    async rollback(dataType) {
      await run.staging?.files.sink.rollback(dataType);
      run.tables.get(dataType)?.rollback();
      const check = await run.checks.get(dataType)?.catch(() => undefined);
      await run.inTurn(async () => check?.rollback());
    },
  };
}

/** The rows of a batch. In a run that leaves refused items out, those that the table accepts. */
async function acceptedRows(run: Run, staging: RowStaging, table: StagedTable, batch: Batch) {
  const { errors } = run;
  const all = { items: batch.count, bytes: batch.bytes.length };
  if (!errors.isHandled()) return { bytes: table.encode(batch), count: all };
  const check = await checkOf(run, staging, table);
  const { bytes, refused } = await leaveRefusedOut(table, batch, async (rows) =>
    check === undefined ? new Map() : run.inTurn(() => check.refusedIn(rows, table.slots)),
  );
  let count: Count = all;
  for (const [index, { reason, cause }] of [...refused].sort(([one], [other]) => one - other)) {
    await errors.refuse({ batch, index, reason, ...(cause === undefined ? {} : { cause }) });
    count = { items: count.items - 1, bytes: count.bytes - sizeOf(batch, index) };
  }
  return { bytes, count };
}

/** What finds the items that an existing table refuses; undefined: it refuses none by rules of its own. */
function checkOf(run: Run, staging: RowStaging, table: StagedTable): Promise<ItemCheck | undefined> {
  const { name, shown, job } = table.target;
  const known = run.checks.get(name);
  if (known !== undefined) return known;
  // Of rows that replace those of their items some are not published.
  if (table.list !== undefined && isUpdating(run.settings.mode)) return Promise.resolve(undefined);
  const made = within({ action: 'read the rules of the table', table: shown, job }, async () =>
    run.inTurn(() => beginCheck(run, staging, table)),
  );
  run.checks.set(name, made);
  return made;
}

async function beginCheck(run: Run, staging: RowStaging, { target, found, slots, settings }: StagedTable) {
  const { database, earlier } = run;
  const rules =
    database === undefined || found === undefined ? undefined : await readRules(database, target, found, settings);
  if (database === undefined || rules === undefined) return undefined;
  const isContinued = earlier?.checkpoints.has(target.name) === true;
  const paths = isContinued ? await staging.files.partsOf(target.name) : [];
  return createItemCheck({ database, rules, draft: staging.draftOf(target.name) }, { paths, slots });
}

/** The table with what an earlier process has staged. */
async function readyTable(run: Run, staging: RowStaging, dataType: string, job: string): Promise<StagedTable> {
  const table = tableOf(run, dataType, job);
  if (!table.isReady()) table.restore(run.earlier?.checkpoints.has(dataType) ? await staging.notesOf(dataType) : []);
  return table;
}

async function earlierOutput({ database, existing, settings }: Run, dataType: string): Promise<readonly string[]> {
  if (database === undefined || !existing.has(folded(dataType))) return [];
  const { target, shown } = targetOf(settings, dataType, '');
  const rows = await within({ action: 'read the table', table: shown }, () =>
    database.rows(`SELECT 1 FROM ${target} LIMIT 1`),
  );
  return rows.length > 0 ? [`${shown} in ${settings.shown}`] : [];
}

/** Publishes all tables in one transaction. */
async function close(run: Run, { keep, complete = new Set() }: Closing = { keep: new Set() }): Promise<void> {
  const { database, staging, earlier, settings, tally } = run;
  if (run.isOver || database === undefined || staging === undefined || earlier === undefined) return release(run);
  run.kept = keep;
  if (!run.isPublished) {
    for (const { dataType } of tally.summary()) await readyTable(run, staging, dataType, '');
    await staging.files.sink.close({ keep });
    const tables = [...run.tables].filter(([dataType]) => !keep.has(dataType));
    const staged: StagedFiles[] = [];
    for (const [dataType, table] of tables) {
      const paths = await staging.files.partsOf(dataType);
      staged.push({ table, paths, items: tally.at(dataType).items, isComplete: complete.has(dataType) });
    }
    const made = await publish(database, staged, { settings, earlier, notify: run.notify });
    for (const [index, each] of made.entries()) run.made.set(tables[index]?.[0] ?? '', each);
    run.isPublished = true;
  }
  await staging.remove();
  release(run);
}

function release(run: Run): void {
  run.isOver = true;
  run.database?.close();
}

/** Without a state no later process needs what is staged. */
async function abort(run: Run, reason: unknown): Promise<void> {
  const { staging, earlier, tally } = run;
  if (run.isOver) return;
  release(run);
  await staging?.files.sink.abort(reason);
  if (earlier?.isStored !== false || run.isPublished) return;
  await staging?.remove().catch(() => {});
  for (const { dataType } of tally.summary()) tally.reset(dataType, nothing);
}

function summary({ tally, settings, made, kept }: Run): readonly SinkOutput[] {
  const nameOf = (dataType: string) => `${targetOf(settings, dataType, '').shown} in ${settings.shown}`;
  return tally.summary(nameOf).map((output) => ({
    ...output,
    ...made.get(output.dataType),
    ...(kept.has(output.dataType) ? { kept: true as const } : {}),
  }));
}

/** Opens the database, and verifies that tables can be made there, without a change. */
async function verify(settings: DuckdbSettings): Promise<void> {
  const { file, shown, schema } = settings;
  await mustBeThere(settings);
  if ((await stat(file).catch(() => undefined)) === undefined) return mustBeWritable(file);
  const database = await openDatabase(file);
  const done = new Error('verified');
  try {
    await within({ action: `use the database "${shown}"` }, () =>
      database.transaction(async () => {
        await mustHaveSchema(database, settings);
        await database.run(`CREATE SCHEMA IF NOT EXISTS ${quoted(schema, 'schema')}`);
        throw done;
      }),
    );
  } catch (thrown) {
    if (!(thrown instanceof ExtractError && thrown.cause === done)) throw thrown;
  } finally {
    database.close();
  }
}
