/**
 * The tables that a schema has for its runs. `rxtract_runs` has the epoch of each run: processes with a lower one are
 * refused, for some days after the end of the run too. `rxtract_lanes` has the position of each lane, until that end.
 * Of a shared run the row has the epoch 0, and each member has a row and lanes of its own, under `RUN MEMBER`.
 */
import { createHash } from 'node:crypto';
import type { Earlier } from '../contract.js';
import { absent } from '../errors.js';
import { fenced } from '../servers/acknowledged.js';
import { fenceDays } from '../servers/fences.js';
import { prepareFilled } from './filled-columns.js';
import { applicationName, type PostgresConnection, transaction } from './postgres-client.js';
import { isServerError } from './postgres-errors.js';
import { quoted } from './sql.js';

export interface RunTables {
  readonly schema: string;
  readonly mayCreate: boolean;
  /** Tables have a column for each leaf: there is `rxtract_columns` as well. */
  readonly isTyped: boolean;
  /** Quoted names. */
  readonly runs: string;
  readonly lanes: string;
}

/** A run of one sink. */
export interface RunKey {
  /** What the sink writes to, and how: sinks that differ in it do not share positions. */
  readonly sink: string;
  readonly run: string;
  /** Of a shared run. Absent: the process has the whole run. */
  readonly member?: string | undefined;
}

/** The name that a process has in both tables. The name of a run has no space. */
export const ownName = ({ run, member }: RunKey): string => (member === undefined ? run : `${run} ${member}`);

/** The names of all members of a run, as a condition on the column `run`. `run`: a parameter or a text, in SQL. */
const isOfMember = (run: string) => `starts_with(run, ${run} || ' ')`;

export function runTablesOf(options: Pick<RunTables, 'schema' | 'mayCreate' | 'isTyped'>): RunTables {
  const { schema, mayCreate, isTyped } = options;
  const inSchema = quoted(schema, 'schema');
  return { schema, mayCreate, isTyped, runs: `${inSchema}.rxtract_runs`, lanes: `${inSchema}.rxtract_lanes` };
}

/** The epoch of a run that its members share. */
export const sharedEpoch = 0;
/** The epoch of a run that was replaced: no process has a higher one. */
const replacedEpoch = '9223372036854775807';
/** Runs with a state are fenced for so long after their end. Those without that are older have ended. */
const keptFor = `interval '${fenceDays} days'`;
/** Tables that a suspended process has locked are removed by a later run. */
const removalPatience = '1s';

/** Creates what is missing. */
export async function createMissing(connection: PostgresConnection, tables: RunTables): Promise<void> {
  if (!(await areThere(connection, tables))) await transaction(connection, () => create(connection, tables));
  if (tables.isTyped) await transaction(connection, () => prepareFilled(connection, tables.schema));
}

async function areThere(connection: PostgresConnection, { runs, lanes }: RunTables): Promise<boolean> {
  const { rows } = await connection.query(
    `SELECT to_regclass($2) IS NOT NULL AND EXISTS (SELECT FROM pg_attribute
       WHERE attrelid = to_regclass($1) AND attname = 'ended' AND NOT attisdropped) AS found`,
    [runs, lanes],
  );
  return rows[0]?.found === true;
}

async function create(connection: PostgresConnection, { schema, mayCreate, runs, lanes }: RunTables): Promise<void> {
  const { rows } = await connection.query('SELECT FROM pg_namespace WHERE nspname = $1', [schema]);
  if (rows.length === 0) {
    if (!mayCreate) throw absent('postgres', `schema "${schema}"`);
    await connection.query(`CREATE SCHEMA ${quoted(schema, 'schema')}`);
  }
  await connection.query(`CREATE TABLE IF NOT EXISTS ${runs} (sink text, run text, epoch bigint NOT NULL,
    stored boolean NOT NULL, begun timestamptz NOT NULL DEFAULT now(), ended timestamptz, PRIMARY KEY (sink, run))`);
  await connection.query(`ALTER TABLE ${runs} ADD COLUMN IF NOT EXISTS ended timestamptz`);
  await connection.query(`CREATE TABLE IF NOT EXISTS ${lanes} (sink text, run text, lane text, position text NOT NULL,
    PRIMARY KEY (sink, run, lane))`);
  // For what each start looks for: runs that ended some days ago, and those that are to be removed.
  await connection.query(`CREATE INDEX ON ${runs} (ended) WHERE ended IS NOT NULL`);
  await connection.query(`CREATE INDEX ON ${runs} (begun) WHERE ended IS NULL AND NOT stored`);
  await connection.query(`CREATE INDEX ON ${runs} (run) WHERE ended IS NULL AND epoch = ${replacedEpoch}`);
}

/** Does what a run begins with, and rolls it back. */
export async function verifyRights(connection: PostgresConnection, tables: RunTables, sink: string): Promise<void> {
  const done = new Error('verified');
  try {
    await transaction(connection, async () => {
      if (!(await areThere(connection, tables))) await create(connection, tables);
      if (tables.isTyped) await prepareFilled(connection, tables.schema);
      const prefix = stagingPrefix({ sink, run: 'check' });
      await connection.query(`CREATE TABLE ${quoted(tables.schema, 'schema')}."${prefix}" ()`);
      throw done;
    });
  } catch (thrown) {
    if (thrown !== done) throw thrown;
  }
}

/** What is known of a run that has begun. */
export interface RunRow {
  readonly epoch: number;
  readonly hasEnded: boolean;
}

type RowLock = 'UPDATE' | 'SHARE';

/**
 * Reads what is known of the process's run or member, and locks it until the end of the transaction. Undefined: the
 * run has not begun. `lock` is for the row of the run, `ownLock` for that of the member.
 */
export async function lockRun(
  connection: PostgresConnection,
  tables: RunTables,
  key: RunKey,
  lock: RowLock = 'UPDATE',
  ownLock: RowLock = lock,
): Promise<RunRow | undefined> {
  const { sink, run, member } = key;
  const whole = await lockRow(connection, tables, { sink, run }, lock);
  if (member === undefined || whole === undefined) return whole;
  const own = await lockRow(connection, tables, { sink, run: ownName(key) }, ownLock);
  if (whole.hasEnded) return { epoch: own?.epoch ?? sharedEpoch, hasEnded: true };
  // A process has the whole run, or another run has replaced it.
  return whole.epoch === sharedEpoch ? (own ?? whole) : { ...whole, epoch: Number.POSITIVE_INFINITY };
}

async function lockRow(
  connection: PostgresConnection,
  { runs }: RunTables,
  { sink, run }: RunKey,
  lock: RowLock,
): Promise<RunRow | undefined> {
  const { rows } = await connection.query(
    `SELECT epoch::text, ended IS NOT NULL AS ended FROM ${runs} WHERE sink = $1 AND run = $2 FOR ${lock}`,
    [sink, run],
  );
  const [row] = rows;
  return row === undefined ? undefined : { epoch: Number(row.epoch), hasEnded: row.ended === true };
}

/**
 * Writes the epoch over `found`, and fences the runs that this one replaces: also those of which no process has been
 * here. True: an earlier process has published all. Throws ERR_RESUME if a newer process has begun since.
 */
export async function takeOver(
  connection: PostgresConnection,
  tables: RunTables,
  key: RunKey,
  { epoch, isStored, phase, replaces = [] }: Earlier,
  found: RunRow | undefined,
): Promise<boolean> {
  const { runs } = tables;
  const isPublished = phase === 'publishing' && (found === undefined || found.hasEnded);
  if (key.member === undefined) await fenceAbandoned(connection, tables);
  if (replaces.length > 0) await fenceReplaced(connection, tables, key.sink, replaces);
  if (phase === 'writing' && epoch === 1 && key.member === undefined) await removeStaged(connection, tables, key);
  if (isPublished && found === undefined) return true;
  const { rowCount } = await connection.query(
    `INSERT INTO ${runs} AS before (sink, run, epoch, stored) VALUES ($1, $2, $3, $4)
     ON CONFLICT (sink, run) DO UPDATE SET epoch = excluded.epoch WHERE before.epoch <= excluded.epoch`,
    [key.sink, ownName(key), epoch, isStored],
  );
  if (rowCount !== 1) throw fenced('postgres'); // A newer process has begun since.
  return isPublished;
}

/** Reads all runs of the schema: a run does it once, not each of its members. */
async function fenceAbandoned(connection: PostgresConnection, { runs }: RunTables): Promise<void> {
  await connection.query(
    `UPDATE ${runs} SET epoch = ${replacedEpoch} WHERE ended IS NULL AND NOT stored AND begun < now() - ${keptFor}`,
  );
}

async function fenceReplaced(
  connection: PostgresConnection,
  { runs }: RunTables,
  sink: string,
  replaces: readonly string[],
): Promise<void> {
  await connection.query(`UPDATE ${runs} SET epoch = ${replacedEpoch} WHERE ended IS NULL AND run = ANY($1)`, [
    replaces,
  ]);
  await connection.query(
    `INSERT INTO ${runs} (sink, run, epoch, stored) SELECT $1, unnest($2::text[]), ${replacedEpoch}, true
     ON CONFLICT (sink, run) DO UPDATE SET epoch = excluded.epoch`,
    [sink, replaces],
  );
}

/** Makes the row of a shared run, if no member has. True: this one has. */
export async function share(connection: PostgresConnection, { runs }: RunTables, key: RunKey): Promise<boolean> {
  const { rowCount } = await connection.query(
    `INSERT INTO ${runs} (sink, run, epoch, stored) VALUES ($1, $2, ${sharedEpoch}, true) ON CONFLICT DO NOTHING`,
    [key.sink, key.run],
  );
  return rowCount === 1;
}

/** Removes what replaced and abandoned runs have left, and the rows of runs that ended some days ago. */
export async function removeEnded(connection: PostgresConnection, tables: RunTables): Promise<void> {
  const { rows } = await connection.query(
    `SELECT sink, run FROM ${tables.runs} WHERE epoch = ${replacedEpoch} AND ended IS NULL`,
  );
  for (const { sink, run } of rows) {
    const removing = transaction(connection, async () => {
      await connection.query(`SET LOCAL lock_timeout = '${removalPatience}'`);
      await endRun(connection, tables, { sink: String(sink), run: String(run) });
    });
    await removing.catch((thrown: unknown) => {
      if (!isLocked(thrown)) throw thrown;
    });
  }
  await connection.query(`DELETE FROM ${tables.runs} WHERE ended < now() - ${keptFor}`);
}

/** Whether a statement has waited too long for another transaction. */
export const isLocked = (thrown: unknown): boolean => isServerError(thrown) && thrown.code === '55P03';

/**
 * Removes staging tables and positions. The row of a run with a state stays as its fence, also for all its members; so
 * does that of the member which ends the run.
 */
export async function endRun(connection: PostgresConnection, tables: RunTables, key: RunKey): Promise<void> {
  const { runs } = tables;
  const { sink, run } = key;
  await removeStaged(connection, tables, key);
  await connection.query(`DELETE FROM ${runs} WHERE sink = $1 AND run = $2 AND NOT stored`, [sink, run]);
  await connection.query(`DELETE FROM ${runs} WHERE sink = $1 AND ${isOfMember('$2')} AND run <> $3`, [
    sink,
    run,
    ownName(key),
  ]);
  await connection.query(`UPDATE ${runs} SET ended = now() WHERE sink = $1 AND run IN ($2, $3)`, [
    sink,
    run,
    ownName(key),
  ]);
}

/**
 * Ends the connections of suspended processes that have rows of the run's staging tables in an open transaction. While
 * the row of the run is locked, none of them can be committed.
 */
export async function endWriters(connection: PostgresConnection, { schema }: RunTables, key: RunKey): Promise<void> {
  await connection.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity AS each
     WHERE usename = current_user AND application_name = $3 AND pid <> pg_backend_pid() AND EXISTS (
       SELECT FROM pg_locks AS held JOIN pg_class ON pg_class.oid = relation
       JOIN pg_namespace ON pg_namespace.oid = relnamespace
       WHERE held.pid = each.pid AND nspname = $1 AND starts_with(relname, $2)
       AND held.granted AND mode IN ('RowExclusiveLock', 'AccessExclusiveLock')
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))`,
    [schema, stagingPrefix(key), applicationName],
  );
}

async function removeStaged(connection: PostgresConnection, { schema, lanes }: RunTables, key: RunKey): Promise<void> {
  const { rows } = await connection.query(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname = $1 AND starts_with(tablename, $2)`,
    [schema, stagingPrefix(key)],
  );
  for (const { name } of rows) await connection.query(`DROP TABLE IF EXISTS ${String(name)}`);
  await connection.query(`DELETE FROM ${lanes} WHERE sink = $1 AND (run = $2 OR ${isOfMember('$2')})`, [
    key.sink,
    key.run,
  ]);
}

/** The name of the staging table of a data type. */
export const stagingName = (key: RunKey, dataType: string): string => `${stagingPrefix(key)}${hashOf(dataType, 16)}`;

/** The beginning of the names of all staging tables of a run. */
const stagingPrefix = ({ sink, run }: RunKey) => `rxtract_${hashOf(`${sink} ${run}`, 16)}_`;

/** The first hexadecimal digits of the SHA-256 of a text. */
export const hashOf = (text: string, length: number): string =>
  createHash('sha256').update(text).digest('hex').slice(0, length);
