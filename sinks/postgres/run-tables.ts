/**
 * The tables that a schema has for its runs. `rxtract_runs` has the epoch of each run: processes with a lower one are
 * refused, for some days after the end of the run too. `rxtract_lanes` has the position of each lane, until that end.
 */
import { createHash } from 'node:crypto';
import type { Earlier } from '../contract.js';
import { absent } from '../errors.js';
import { fenced } from '../servers/acknowledged.js';
import { fenceDays } from '../servers/fences.js';
import { prepareFilled } from './filled-columns.js';
import { type PostgresConnection, transaction } from './postgres-client.js';
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
}

export function runTablesOf(options: Pick<RunTables, 'schema' | 'mayCreate' | 'isTyped'>): RunTables {
  const { schema, mayCreate, isTyped } = options;
  const inSchema = quoted(schema, 'schema');
  return { schema, mayCreate, isTyped, runs: `${inSchema}.rxtract_runs`, lanes: `${inSchema}.rxtract_lanes` };
}

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

/** Reads the row of a run, and locks it until the end of the transaction. Undefined: there is none. */
export async function lockRun(
  connection: PostgresConnection,
  { runs }: RunTables,
  { sink, run }: RunKey,
  lock: 'UPDATE' | 'SHARE' = 'UPDATE',
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
  await connection.query(
    `UPDATE ${runs} SET epoch = ${replacedEpoch}
     WHERE ended IS NULL AND (run = ANY($1) OR (NOT stored AND begun < now() - ${keptFor}))`,
    [replaces],
  );
  await connection.query(
    `INSERT INTO ${runs} (sink, run, epoch, stored) SELECT $1, unnest($2::text[]), ${replacedEpoch}, true
     ON CONFLICT (sink, run) DO UPDATE SET epoch = excluded.epoch`,
    [key.sink, replaces],
  );
  if (phase === 'writing' && epoch === 1) await removeStaged(connection, tables, key);
  if (isPublished && found === undefined) return true;
  const { rowCount } = await connection.query(
    `INSERT INTO ${runs} AS before (sink, run, epoch, stored) VALUES ($1, $2, $3, $4)
     ON CONFLICT (sink, run) DO UPDATE SET epoch = excluded.epoch WHERE before.epoch <= excluded.epoch`,
    [key.sink, key.run, epoch, isStored],
  );
  if (rowCount !== 1) throw fenced('postgres'); // A newer process has begun since.
  return isPublished;
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

/** Removes staging tables and positions. The row of a run with a state stays as its fence. */
export async function endRun(connection: PostgresConnection, tables: RunTables, key: RunKey): Promise<void> {
  const { runs } = tables;
  await removeStaged(connection, tables, key);
  await connection.query(`DELETE FROM ${runs} WHERE sink = $1 AND run = $2 AND NOT stored`, [key.sink, key.run]);
  await connection.query(`UPDATE ${runs} SET ended = now() WHERE sink = $1 AND run = $2`, [key.sink, key.run]);
}

async function removeStaged(connection: PostgresConnection, { schema, lanes }: RunTables, key: RunKey): Promise<void> {
  const { rows } = await connection.query(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname = $1 AND starts_with(tablename, $2)`,
    [schema, stagingPrefix(key)],
  );
  for (const { name } of rows) await connection.query(`DROP TABLE IF EXISTS ${String(name)}`);
  await connection.query(`DELETE FROM ${lanes} WHERE sink = $1 AND run = $2`, [key.sink, key.run]);
}

/** The name of the staging table of a data type. */
export const stagingName = (key: RunKey, dataType: string): string => `${stagingPrefix(key)}${hashOf(dataType, 16)}`;

/** The beginning of the names of all staging tables of a run. */
const stagingPrefix = ({ sink, run }: RunKey) => `rxtract_${hashOf(`${sink} ${run}`, 16)}_`;

/** The first hexadecimal digits of the SHA-256 of a text. */
export const hashOf = (text: string, length: number): string =>
  createHash('sha256').update(text).digest('hex').slice(0, length);
