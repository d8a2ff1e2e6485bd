/** The tables of boards in PostgreSQL, in the schema `rxtract`. */
import { type PostgresConnection, transaction } from '../../../sinks/postgres/postgres-client.js';
import { createStateTables, stateTables } from '../store/postgres-state.js';
import { loginsTable } from './postgres-logins.js';
import { ratesTable } from './postgres-rates.js';
import { boardSchema } from './postgres-states.js';

/**
 * Times are those of the server. `until` is in no index, so that a beat touches no index. What an earlier connection of
 * a process sends after a `replace` has another `generation`, and no effect. `swept` has the highest epoch of all tasks
 * that were removed: a run with the name of one of them has higher ones. A table of an earlier version lacks columns.
 */
const statements: readonly string[] = [
  'CREATE SCHEMA IF NOT EXISTS rxtract',
  `CREATE TABLE IF NOT EXISTS rxtract.runs (name text PRIMARY KEY, build text NOT NULL, work text NOT NULL,
    begin text NOT NULL, jobs text NOT NULL, block bigint, cancelled boolean NOT NULL DEFAULT false,
    submitted timestamptz NOT NULL DEFAULT now(), ended timestamptz)`,
  'CREATE INDEX IF NOT EXISTS runs_open ON rxtract.runs (build) WHERE ended IS NULL AND NOT cancelled',
  `CREATE TABLE IF NOT EXISTS rxtract.tasks (run text, task text, number bigserial, depth integer NOT NULL,
    state text NOT NULL DEFAULT 'ready', epoch bigint NOT NULL DEFAULT 0, generation bigint NOT NULL DEFAULT 0,
    worker text, until timestamptz, not_before timestamptz, fails integer NOT NULL DEFAULT 0,
    deaths integer NOT NULL DEFAULT 0, error text, totals text, PRIMARY KEY (run, task))`,
  `CREATE INDEX IF NOT EXISTS tasks_ready ON rxtract.tasks (run, depth DESC, number)
    WHERE state = 'ready' AND not_before IS NULL`,
  `CREATE INDEX IF NOT EXISTS tasks_waiting ON rxtract.tasks (run, not_before)
    WHERE state = 'ready' AND not_before IS NOT NULL`,
  `CREATE INDEX IF NOT EXISTS tasks_leased ON rxtract.tasks (run, depth DESC, number) WHERE state = 'leased'`,
  `CREATE INDEX IF NOT EXISTS tasks_left ON rxtract.tasks (run, state) WHERE state <> 'done'`,
  `CREATE TABLE IF NOT EXISTS rxtract.needs (run text, task text, part text, PRIMARY KEY (run, task, part))`,
  'CREATE INDEX IF NOT EXISTS needs_part ON rxtract.needs (run, part)',
  `CREATE TABLE IF NOT EXISTS rxtract.records (run text, task text, number bigint, record text NOT NULL,
    PRIMARY KEY (run, task, number))`,
  `CREATE TABLE IF NOT EXISTS rxtract.parts (run text, part text, position bigint, task text NOT NULL,
    bytes bytea NOT NULL, PRIMARY KEY (run, part, position))`,
  `CREATE TABLE IF NOT EXISTS rxtract.swept (one boolean PRIMARY KEY DEFAULT true, epoch bigint NOT NULL)`,
  ratesTable('rxtract.rates'),
  loginsTable('rxtract.logins'),
  'CREATE INDEX IF NOT EXISTS parts_task ON rxtract.parts (run, task)',
  ...createStateTables(stateTables(boardSchema)),
  'ALTER TABLE rxtract.runs ADD COLUMN IF NOT EXISTS state text, ADD COLUMN IF NOT EXISTS state_generation bigint',
  `ALTER TABLE rxtract.tasks ADD COLUMN IF NOT EXISTS publishing boolean NOT NULL DEFAULT false,
    ADD COLUMN IF NOT EXISTS taken timestamptz`,
  'CREATE INDEX IF NOT EXISTS runs_state ON rxtract.runs (state) WHERE ended IS NULL',
];

/** What the last statement makes: it is there if all of this version is. */
const last = 'rxtract.runs_state';

/** Processes that start together wait for the one that creates them. */
export async function createTables(connection: PostgresConnection): Promise<void> {
  const { rows } = await connection.query('SELECT to_regclass($1) IS NOT NULL AS found', [last]);
  if (rows[0]?.found === true) return;
  await transaction(connection, async () => {
    await connection.query(`SELECT pg_advisory_xact_lock(hashtext('rxtract board'))`);
    for (const statement of statements) await connection.query(statement);
  });
}
