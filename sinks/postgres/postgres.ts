/** PostgreSQL: a table for each data type; the items of a page and the position after it are one transaction. */
import type { Batch } from '../../src/core/model/batch.js';
import type { Notify } from '../../src/core/model/notice.js';
import type { GivenOptions } from '../../src/core/options/kind.js';
import type { ListForms } from '../../src/core/tables/list-rules.js';
import { sinkInCode } from '../addresses/options.js';
import { hostText } from '../addresses/server-address.js';
import type { Closing, PageEnd, Sink } from '../contract.js';
import { createTally, nothing } from '../counts.js';
import type { SinkEntry } from '../entry.js';
import { hasEnded, orAborted, throwIfAborted } from '../errors.js';
import { createItemErrors, type ItemErrors } from '../item-errors.js';
import { listsRule } from '../related-tables/list-options.js';
import type { LanePosition } from '../servers/acknowledged.js';
import { fencedNote } from '../servers/fences.js';
import { repeated } from '../servers/reconnect.js';
import { noticeOfIncomplete } from '../tables/kept-columns.js';
import { historyRule, isUpdating, isWatching, mirrorRule } from '../tables/keys.js';
import { typesRule } from '../tables/text-forms.js';
import { copyRules } from './copy-rules.js';
import { itemTable } from './item-table.js';
import { makeReady } from './kept-tables.js';
import { accepted, firstRefused, placeItems, type RefusedPlaces } from './place-items.js';
import { isBroken, type PostgresConnection, postgresPackages } from './postgres-client.js';
import { isTooWide, postgresError, type Subject } from './postgres-errors.js';
import { type PostgresSettings, postgresOptions, postgresSettings } from './postgres-options.js';
import { createPostgresSession, type LargePage, type PageContent, type PostgresSession } from './postgres-session.js';
import { withListTables } from './staged-lists.js';
import { type CopiedItems, doesExist, type TableForm, type TargetTable, targetOf } from './table.js';
import { typedTable } from './typed-table.js';

/** The options of `postgres`. */
export interface PostgresOptions extends GivenOptions<typeof postgresOptions> {
  /** Receives notices, such as those on columns. */
  readonly notify?: Notify;
}

/**
 * Creates the sink of the address `postgres://...`: tables of PostgreSQL. Loads the client and connects when the run
 * begins. Throws ERR_USAGE for wrong options; see docs/reference/sinks/postgres.md.
 */
export const postgres = ({ notify, ...values }: PostgresOptions): Sink =>
  sinkInCode('postgres', postgresEntry, values, { notify });

export const postgresEntry: SinkEntry<typeof postgresOptions> = {
  summary: 'tables of PostgreSQL, one for each data type, published in one transaction',
  address: {
    form: 'postgres://[USER[:PASSWORD]@]HOST[:PORT]/DB',
    target: 'server',
    schemes: ['postgres', 'postgresql'],
    userIsName: true,
    parts: { hosts: 'server', path: 'database', user: 'user', password: 'password' },
  },
  options: postgresOptions,
  code: "postgres({ server: 'localhost:5432', database: 'db', schema: 'public' })",
  recovery: 'transaction',
  rules: [
    'The table of a data type has its name, at most 63 bytes, as it is: `users` is the table `users`, `Users` needs quotes in SQL. With `columns=item` it has one column, `item`, with the JSON of each item.',
    'With `columns=typed` it has a column for each text, number, boolean and list, also within objects: `address.city` is `address__city`; an item that is no object is in the column `value`. The types are `text`, `bigint`, `numeric`, `boolean`, and that of `type` for lists. A column is added when it first has a value, widened when a value does not fit (`bigint` to `numeric`, numbers beside texts to `text`, a list in a column of numbers to JSON; a column of texts holds lists as their JSON), and never narrowed or dropped. Names of more than 63 bytes are shortened, with a hash. Two members that would be one column, such as `a__b` and `a.b`, end the run.',
    typesRule('`date`, `timestamp`, `timestamptz` or `uuid`, with `columns=typed`'),
    'A table has no order: rows are mostly, not always, found in the order of the items. Sort by a member.',
    'Rows wait in a staging table `rxtract_...` of the same schema, so the user needs the right to create tables there. At the end of the run all tables are published in one transaction: readers see the rows of the earlier run, then all of this one. A run that fails publishes nothing.',
    '`mode=replace` deletes the rows of an existing table and inserts the new ones: its indexes, rights and views stay, readers do not wait. `mode=append` inserts. `mode=merge` and `mirror` need a unique index on the key, which a new table gets; of several items with one key the last one counts, and an item without the key is refused.',
    listsRule,
    mirrorRule,
    historyRule,
    'With `mode=merge` an item replaces the row. With `columns=typed` each column that an item of any run has filled is set, to NULL where the item has nothing; a required column that has a default gets it. `rxtract_columns` in the schema records these columns, in every mode. Other columns keep their values. In a table of which nothing is recorded, of an earlier version or your own, a column counts as one of items once an item has a value for it; the notice `columns-kept` names the others.',
    'With `mode=append&log=true` each page is a transaction in the table itself. A run that begins anew in the place of an unfinished one does not remove its pages.',
    '`jsonb` does not keep the order of members, keeps the last of several equal ones, and cannot hold `\\u0000` or half a surrogate pair: such an item is refused, with its place. `type=json` accepts all items as they are.',
    'An existing table is verified before the first request: its column `item`, other columns that need a value, and the rights of the user. Only `columns=typed` changes it: it adds and widens columns, in the transaction that publishes; with `create=false`, or if the user does not own the table, such an item is refused. Columns of other types stay as they are: values are converted as `COPY` does.',
    'A refused item ends the run, or is left out with `--on-item-error`: its page is tried in its transaction, up to a savepoint, before it counts. The staging table then has the `CHECK` constraints and unique indexes of the table. With `log=true` all constraints count at once; otherwise foreign keys, unique values of rows that were there before, and a `CHECK` on a column that no item of the run fills end the run when the tables are published.',
    `${fencedNote} That is a row of \`rxtract_runs\` for each run with a state; a later run removes it then. Staging of a run that was replaced is removed, without a state also when it is seven days old. A run that begins waits up to 30 s for an older process that stores or publishes; after 15 s the server ends the transaction of a suspended one.`,
    'A connection that breaks is opened again for one minute, and the stored position shows whether a page has arrived. Pages of more than 16 MiB are sent in parts within their transaction; if its connection breaks, a run with a state requests the page again.',
    'Without USER or PASSWORD the variables `PGUSER` and `PGPASSWORD` and the file `~/.pgpass` (or `PGPASSFILE`) are used. A pooler must keep a session for each connection (PgBouncer: `pool_mode=session`).',
  ],
  packages: postgresPackages,
  example: 'postgres://localhost:5432/db?mode=append',
  create: (options, destination) =>
    createPostgres(postgresSettings(options, destination, { ...process.env, ...destination.env }), destination.notify),
};

/** A page with more bytes is sent in parts, within its transaction; smaller ones can be sent again. */
const mostBytesInMemory = 16 * 1024 * 1024;

function createPostgres(settings: PostgresSettings, notify: Notify = () => {}): Sink {
  const run = createRun(settings, notify);
  const { session } = run;
  return {
    name: settings.shown,
    recovery: 'transaction',
    async check() {
      const own = createPostgresSession(settings);
      await within({ action: `use ${settings.shown}` }, () => own.verify()).finally(() => own.end());
    },
    async resume(earlier) {
      run.isStored = earlier.isStored;
      run.isShared = earlier.member !== undefined;
      await within({ action: 'begin', ...rights }, () => session.begin(earlier));
    },
    positions: async () => within({ action: 'read the last positions' }, () => session.positions()),
    async open(dataType, job, opening) {
      run.tally.open(dataType);
      run.errors.open(opening);
      run.form.choose?.(dataType, opening?.tables?.lists ?? noForms);
      await run.tableOf(dataType, job);
    },
    ...pages(run),
    ...(settings.mode === 'replace' || isWatching(settings.mode)
      ? {
          published: (dataType: string) => earlierOutput(run, dataType),
          replacesOutput: () => settings.mode === 'replace',
        }
      : {}),
    close: (closing) => close(run, closing),
    leave: () => leave(run),
    abort: () => abort(run),
    summary: () =>
      run.tally
        .summary((dataType) => nameOf(run, dataType))
        .map((output) => ({ ...output, ...run.form.columns(output.dataType) }))
        .concat((run.form.lists?.() ?? []).map((each) => ({ ...each, name: nameOf(run, each.dataType), bytes: 0 }))),
  };
}

const nameOf = ({ shownOf, settings: { server } }: Run, dataType: string): string =>
  `${shownOf(dataType)} at ${hostText(server)}/${server.database}`;

const noForms: ListForms = new Map();

const rights = {
  remedy:
    'Grant CREATE on the schema (on the database, if the schema is missing), and all rights on its tables `rxtract_runs`, `rxtract_lanes` and `rxtract_columns` if they are there, to the user of --to, or give another schema with `schema=NAME`.',
};

/** What the parts of the sink share. */
interface Run {
  readonly settings: PostgresSettings;
  readonly notify: Notify;
  readonly session: PostgresSession;
  readonly form: TableForm;
  readonly tally: ReturnType<typeof createTally>;
  readonly errors: ItemErrors;
  readonly pages: Map<string, Page>;
  readonly shownOf: (dataType: string) => string;
  /** The tables of this run, in the order of their first use. */
  readonly tables: Map<string, Promise<TargetTable>>;
  /** Verifies and creates the tables of a data type once. */
  readonly tableOf: (dataType: string, job: string) => Promise<TargetTable>;
  isStored: boolean;
  /** The process is one of several members of its run. */
  isShared: boolean;
  isOver: boolean;
}

/** The page of a data type that is not committed yet. */
interface Page {
  batches: Batch[];
  bytes: number;
  /** Its transaction, if it is too large for memory. */
  large: LargePage | undefined;
  /** The transaction broke: the page fails at its commit, so that the run can request it again. */
  failure: unknown;
  /** A part of it is in its transaction, and no longer in memory. */
  isInParts: boolean;
  /** All its items are in its transaction, but for the refused ones. */
  isPlaced: boolean;
  readonly refused: RefusedPlaces;
}

const emptyPage = (): Page => ({
  batches: [],
  bytes: 0,
  large: undefined,
  failure: undefined,
  isInParts: false,
  isPlaced: false,
  refused: new Map(),
});

function createRun(settings: PostgresSettings, notify: Notify): Run {
  const session = createPostgresSession(settings);
  const targetTable = (dataType: string, job: string) => tableIn(run, dataType, job);
  const form = settings.isTyped ? typedForm(settings, notify, targetTable) : itemTable(settings);
  const tables = new Map<string, Promise<TargetTable>>();
  const shownOf = (dataType: string) => `${settings.schema}.${dataType}`;
  const run: Run = {
    settings,
    notify,
    session,
    form,
    tally: createTally(),
    errors: createItemErrors('postgres'),
    pages: new Map(),
    shownOf,
    tables,
    tableOf(dataType, job) {
      const table = tables.get(dataType) ?? prepared(run, targetTable(dataType, job));
      tables.set(dataType, table);
      return table;
    },
    isStored: false,
    isShared: false,
    isOver: false,
  };
  return run;
}

/** The table of a data type, and where its rows wait. */
function tableIn(
  { settings: { schema, mode }, session, errors, isShared, shownOf }: Run,
  dataType: string,
  job: string,
): TargetTable {
  const target = targetOf(schema, dataType);
  const hasRules = errors.isHandled() && mode !== 'log';
  const addRules = (connection: PostgresConnection) => copyRules(connection, table, mode);
  const table: TargetTable = {
    schema,
    name: dataType,
    target,
    staging: mode === 'log' ? target : session.stagingOf(dataType),
    shown: shownOf(dataType),
    job,
    ...(hasRules ? { addRules } : {}),
    ...(isShared ? { isShared } : {}),
  };
  return table;
}

/** Verifies and creates what the table needs. */
async function prepared({ session, form, settings, isShared }: Run, table: TargetTable): Promise<TargetTable> {
  const { shown, job, staging } = table;
  if (session.isPublished) return table;
  // A form with columns reads them. Without members the staging table is that of this process alone.
  const span = isShared && !settings.isTyped ? settings.span : undefined;
  await makeReady({ ...settings, span }, `${staging} ${job}`, () =>
    within({ action: 'prepare a table', table: shown, job }, () =>
      session.prepare((connection) => form.prepare(connection, table)),
    ),
  );
  return table;
}

/** Tables with a column for each leaf. Lists may be tables too, if these have an end of the run. */
function typedForm(settings: PostgresSettings, notify: Notify, tableOf: (name: string, job: string) => TargetTable) {
  const { mode, lists, deleted, hasForeignKeys } = settings;
  const form = typedTable({ ...settings, notify });
  if (mode === 'history' || mode === 'log') return form;
  const isOrdered = isUpdating(mode);
  const ofRows = { ...settings, notify, keys: [], deleted: undefined, isOrdered };
  const rows = typedTable({ ...ofRows, mode: isOrdered ? 'append' : mode });
  const staysDeleted = deleted !== undefined;
  return withListTables(form, { ...lists, mode, staysDeleted, hasForeignKeys, notify, rows, tableOf });
}

/**
 * A page waits in memory until its commit, or is sent in parts if it is large. If refused items are left out, its
 * transaction begins before its commit, to find them.
 */
function pages(run: Run): Required<Pick<Sink, 'write' | 'prepare' | 'commit' | 'rollback'>> {
  const { tally, tableOf } = run;
  return {
    async write(batch, signal) {
      mayWrite(run, signal);
      const page = run.pages.get(batch.dataType) ?? emptyPage();
      run.pages.set(batch.dataType, page);
      if (page.failure !== undefined) return;
      page.batches.push(batch);
      page.bytes += batch.bytes.length;
      if (page.bytes < mostBytesInMemory) return;
      const table = await tableOf(batch.dataType, batch.job);
      await orAborted(sendPart(run, table, page), signal);
    },
    async prepare({ dataType, job }, signal) {
      const page = run.pages.get(dataType);
      if (page !== undefined) await orAborted(placePage(run, await tableOf(dataType, job), page, signal), signal);
    },
    async commit(end, signal) {
      const { dataType, job, keep, count, bytes } = end;
      const page = run.pages.get(dataType);
      run.pages.delete(dataType); // The page ends here, also if no answer comes.
      if (page === undefined && keep === undefined) return;
      const table = await tableOf(dataType, job);
      await orAborted(commitPage(run, table, page, end, signal), signal).catch((thrown: unknown) => {
        run.form.forget(table);
        throw thrown;
      });
      const left = [...(page?.refused.values() ?? [])];
      tally.increase(dataType, {
        items: count - left.length,
        bytes: bytes - left.reduce((sum, each) => sum + each, 0),
      });
    },
    async rollback(dataType) {
      const page = run.pages.get(dataType);
      run.pages.delete(dataType);
      if (page?.large === undefined) return;
      page.large.end();
      run.form.forget(await tableOf(dataType, ''));
    },
  };
}

function mayWrite({ isOver }: Run, signal: AbortSignal): void {
  if (isOver) throw hasEnded('postgres');
  throwIfAborted(signal);
}

/** Sends what is in memory within the transaction of the page. */
async function sendPart(run: Run, table: TargetTable, page: Page): Promise<void> {
  const { session, form, errors } = run;
  const { batches, refused } = page;
  Object.assign(page, { batches: [], bytes: 0, isInParts: true });
  try {
    await storing(run, table, batches, async () => {
      page.large ??= await session.beginLarge();
      const { connection } = page.large;
      if (errors.isHandled()) await placeItems(connection, batches, { form, errors, table, refused });
      else await form.copy(connection, table, itemsOf(batches));
    });
  } catch (thrown) {
    page.large?.end();
    form.forget(table);
    if (!isBroken(thrown)) throw thrown;
    page.failure = thrown;
  }
}

/** Finds the items that the table refuses, if the run leaves them out. The transaction stays open for the commit. */
async function placePage(run: Run, table: TargetTable, page: Page, signal: AbortSignal): Promise<void> {
  const { session, form, errors } = run;
  const { batches, refused } = page;
  if (!errors.isHandled() || page.isPlaced || page.failure !== undefined || batches.length === 0) return;
  if (page.isInParts) return sendPart(run, table, page);
  const place = async () => {
    page.large?.end();
    form.forget(table);
    page.large = await session.beginLarge();
    await placeItems(page.large.connection, batches, { form, errors, table, refused });
  };
  await within(subjectOf(table, batches), () => repeated(place, { isTemporary: isBroken, signal }));
  page.isPlaced = true;
}

/** Commits the transaction of a page; if that breaks, and the page is in memory, it is stored in another one. */
async function commitLarge(
  { session, form }: Run,
  table: TargetTable,
  { large, batches, refused, isPlaced }: Page,
  position: LanePosition,
  signal: AbortSignal,
): Promise<void> {
  try {
    await large?.commit(position);
    return;
  } catch (thrown) {
    if (!isPlaced || !isBroken(thrown)) throw thrown;
  } finally {
    large?.end();
  }
  form.forget(table);
  const work = copying(form, table, itemsOf(batches.flatMap((batch) => accepted(batch, refused))));
  await session.store(work, position.lane, position.position, signal);
}

/** The content of a page that waits in memory. What an attempt before did to the table was rolled back. */
function copying(form: TableForm, table: TargetTable, items: CopiedItems): PageContent {
  let isRepeated = false;
  return {
    statement() {
      if (isRepeated) form.forget(table);
      isRepeated = true;
      return items.chunks.length === 0 ? undefined : form.statement(table, items);
    },
    async copy(connection) {
      if (items.chunks.length > 0) await form.copy(connection, table, items);
    },
  };
}

async function commitPage(
  run: Run,
  table: TargetTable,
  page: Page | undefined,
  { lane, walk, page: number, keep }: PageEnd,
  signal: AbortSignal,
): Promise<void> {
  const { session, form } = run;
  const position = { lane, position: keep ?? `${walk} ${number}` };
  if (page !== undefined) await placePage(run, table, page, signal);
  const batches = page?.batches ?? [];
  if (page?.isInParts === true && batches.length > 0) await sendPart(run, table, page);
  if (page?.failure !== undefined) throw page.failure;
  await storing(run, table, batches, async () => {
    if (page?.large !== undefined) return commitLarge(run, table, page, position, signal);
    return session.store(copying(form, table, itemsOf(batches)), position.lane, position.position, signal);
  });
}

/** Stores items. The error of a row that is too wide has the place of the item, which is searched then. */
async function storing(
  run: Run,
  table: TargetTable,
  batches: readonly Batch[],
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (thrown) {
    const item = isTooWide(thrown) ? await searchRefused(run, table, batches).catch(() => undefined) : undefined;
    throw postgresError({ ...subjectOf(table, batches), ...(item === undefined ? {} : { item }) }, thrown);
  }
}

/** Tries the items again, in a transaction that is rolled back. */
async function searchRefused(
  { session, form }: Run,
  table: TargetTable,
  batches: readonly Batch[],
): Promise<number | undefined> {
  form.forget(table);
  return session.alone(async (connection) => {
    await connection.query('BEGIN');
    try {
      return await firstRefused(connection, batches, { form, table });
    } finally {
      await connection.query('ROLLBACK');
      form.forget(table);
    }
  });
}

const itemsOf = (batches: readonly Batch[]): CopiedItems => ({
  chunks: batches.map(({ bytes }) => bytes),
  batches,
  offset: batches[0]?.offset ?? 0,
});

function subjectOf({ shown, job }: TargetTable, [first]: readonly Batch[]): Subject {
  const place = first === undefined ? { job } : { job: first.job, page: first.page, offset: first.offset };
  return { action: 'store a page', table: shown, ...place };
}

async function earlierOutput({ session, settings, shownOf }: Run, dataType: string): Promise<readonly string[]> {
  if (session.isPublished) return [];
  const target = targetOf(settings.schema, dataType);
  const hasItems = await within({ action: 'read a table', table: shownOf(dataType) }, () =>
    session.alone(async (connection) => {
      if (!(await doesExist(connection, target))) return false;
      const { rows } = await connection.query(`SELECT EXISTS (SELECT 1 FROM ${target}) AS found`);
      return rows[0]?.found === true;
    }),
  );
  return hasItems ? [shownOf(dataType)] : [];
}

/** Publishes all tables in one transaction. */
async function close(run: Run, { keep, complete = new Set() }: Closing = { keep: new Set() }): Promise<void> {
  const { session, form, tables, settings, notify } = run;
  endLargePages(run);
  if (!run.isOver && !session.isPublished) {
    const all = await Promise.all([...tables].filter(([dataType]) => !keep.has(dataType)).map(([, table]) => table));
    await within({ action: 'end the run' }, () =>
      session.finish(async (connection) => {
        if (settings.mode === 'log') return;
        for (const table of all) {
          const isComplete = complete.has(table.name);
          if (!isComplete && isWatching(settings.mode)) noticeOfIncomplete(table.name, notify);
          await within({ action: 'publish', table: table.shown, job: table.job }, () =>
            form.publish(connection, table, isComplete),
          );
        }
      }),
    );
  }
  run.isOver = true;
  session.end();
}

/** Ends transactions of pages that have no commit: what they have locked would stop all else. */
function endLargePages({ pages }: Run): void {
  for (const { large } of pages.values()) large?.end();
  pages.clear();
}

/** What is stored stays for the last process of the run. */
function leave(run: Run): void {
  if (run.isOver) return;
  run.isOver = true;
  endLargePages(run);
  run.session.end();
}

/** Without a state no later process needs what is staged. */
async function abort(run: Run): Promise<void> {
  const { session, settings, tally } = run;
  if (run.isOver) return;
  leave(run);
  if (!run.isStored && !run.isShared) {
    await session.forget().catch(() => {});
    if (settings.mode !== 'log') for (const { dataType } of tally.summary()) tally.reset(dataType, nothing);
  }
}

async function within<T>(subject: Subject, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw postgresError(subject, thrown);
  }
}
