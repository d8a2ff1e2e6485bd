/**
 * A state in tables of PostgreSQL. The row of a state has its epoch: each write needs the one of its process, and locks
 * the row, so that no write of an older process follows a newer epoch.
 */
import { absent } from '../../../sinks/errors.js';
import { type PostgresConnection, type PostgresServer, transaction } from '../../../sinks/postgres/postgres-client.js';
import { postgresLine } from '../../../sinks/postgres/postgres-line.js';
import { quoted } from '../../../sinks/postgres/sql.js';
import type { ConnectionLine } from '../../../sinks/servers/connection-line.js';
import { defined } from '../../core/util/defined.js';
import { lostState, type StateServer, type Tenure } from './state-server.js';

export interface PostgresStateOptions {
  readonly server: PostgresServer;
  readonly schema: string;
  /** Schema and tables that are missing are created. */
  readonly mayCreate: boolean;
  /** Of the state. */
  readonly state: string;
  /** The address without secrets. */
  readonly shown: string;
  readonly secrets: readonly string[];
}

interface Place {
  readonly options: PostgresStateOptions;
  readonly line: ConnectionLine<PostgresConnection>;
  /** Quoted names. */
  readonly states: string;
  readonly records: string;
  readonly parts: string;
  /** Of this process. */
  epoch: number;
  /** Of the last `replace`: what an earlier connection sends after it has no effect. */
  generation: number;
  /** The number of the next record. */
  next: number;
}

/** Connects at the first use. */
export function postgresState(options: PostgresStateOptions): StateServer {
  const place = placeOf(options);
  const { line, parts } = place;
  const { shown: name, secrets, state } = options;
  return {
    name,
    secrets,
    async read() {
      await line.once(async () => {}); // A server that cannot be reached is an error at once.
      return line.alone((connection) => readTenure(connection, place));
    },
    async take(holder, found) {
      await line.alone((connection) => createMissing(connection, place));
      return line.alone((connection) => take(connection, place, holder, found));
    },
    touch: () => line.alone((connection) => mine(connection, place, 'SELECT FROM mine')),
    load: () => line.alone((connection) => load(connection, place)),
    replace: (texts) => line.alone((connection) => replace(connection, place, texts)),
    append: (texts) => line.alone((connection) => append(connection, place, texts)),
    async partNames() {
      const text = `SELECT DISTINCT part FROM ${parts} WHERE state = $1`;
      const { rows } = await line.alone((connection) => connection.query(text, [state]));
      return rows.map(({ part }) => String(part));
    },
    async writePart(part, position, bytes) {
      const insert = `INSERT INTO ${parts} (state, part, position, bytes) SELECT $1, $4, $5, $6 FROM mine
        ON CONFLICT (state, part, position) DO UPDATE SET bytes = excluded.bytes RETURNING 1`;
      await line.alone((connection) => mine(connection, place, insert, [part, position, bytes]));
    },
    async readPart(part, { position }) {
      const text = `SELECT bytes FROM ${parts} WHERE state = $1 AND part = $2 AND position = $3`;
      const { rows } = await line.alone((connection) => connection.query(text, [state, part, position]));
      return rows[0]?.bytes instanceof Uint8Array ? rows[0].bytes : undefined;
    },
    async removePart(part) {
      const remove = `, gone AS (DELETE FROM ${parts} USING mine WHERE state = $1 AND part = $4) SELECT FROM mine`;
      await line.alone((connection) => mine(connection, place, remove, [part]));
    },
    release: () => line.alone((connection) => mine(connection, place, 'SELECT FROM mine', [], 'holder = NULL')),
    end: line.end,
  };
}

/** The names of the tables of states. `schema`: quoted. */
export const stateTables = (schema: string): Pick<Place, 'states' | 'records' | 'parts'> => ({
  states: `${schema}.rxtract_states`,
  records: `${schema}.rxtract_state_records`,
  parts: `${schema}.rxtract_state_parts`,
});

/** Makes the tables that are missing. */
export const createStateTables = ({ states, records, parts }: ReturnType<typeof stateTables>): readonly string[] => [
  `CREATE TABLE IF NOT EXISTS ${states} (name text PRIMARY KEY, epoch bigint NOT NULL, beats bigint NOT NULL,
    generation bigint NOT NULL, holder text)`,
  `CREATE TABLE IF NOT EXISTS ${records} (state text, number bigint, record text NOT NULL,
    PRIMARY KEY (state, number))`,
  `CREATE TABLE IF NOT EXISTS ${parts} (state text, part text, position bigint, bytes bytea NOT NULL,
    PRIMARY KEY (state, part, position))`,
];

function placeOf(options: PostgresStateOptions): Place {
  const { server, schema } = options;
  const tables = stateTables(quoted(schema, 'schema'));
  return { options, line: postgresLine(server), ...tables, epoch: 0, generation: 0, next: 0 };
}

async function createMissing(connection: PostgresConnection, place: Place): Promise<void> {
  const { schema, mayCreate } = place.options;
  if (await isThere(connection, place.parts)) return;
  if (!mayCreate) throw absent('postgres', `table ${place.parts}`);
  await transaction(connection, async () => {
    const found = await connection.query('SELECT FROM pg_namespace WHERE nspname = $1', [schema]);
    if (found.rows.length === 0) await connection.query(`CREATE SCHEMA ${quoted(schema, 'schema')}`);
    for (const statement of createStateTables(place)) await connection.query(statement);
  });
}

async function isThere(connection: PostgresConnection, table: string): Promise<boolean> {
  const { rows } = await connection.query('SELECT to_regclass($1) IS NOT NULL AS found', [table]);
  return rows[0]?.found === true;
}

async function readTenure(connection: PostgresConnection, { options, states, parts }: Place): Promise<Tenure> {
  if (!(await isThere(connection, parts))) return { epoch: 0, beat: '' };
  const text = `SELECT epoch::text, beats::text, holder FROM ${states} WHERE name = $1`;
  const [row] = (await connection.query(text, [options.state])).rows;
  if (row === undefined) return { epoch: 0, beat: '' };
  const holder = row.holder === null ? undefined : String(row.holder);
  return { epoch: Number(row.epoch), beat: String(row.beats), ...defined({ holder }) };
}

/** An attempt whose answer was lost is found by its holder. */
async function take(connection: PostgresConnection, place: Place, holder: string, found: Tenure): Promise<boolean> {
  const { states, options } = place;
  const epoch = found.epoch + 1;
  const taken =
    found.epoch === 0
      ? await connection.query(
          `INSERT INTO ${states} AS before (name, epoch, beats, generation, holder) VALUES ($1, $2, 0, 0, $3)
           ON CONFLICT (name) DO UPDATE SET epoch = excluded.epoch
           WHERE before.epoch = excluded.epoch AND before.holder = excluded.holder`,
          [options.state, epoch, holder],
        )
      : await connection.query(
          `UPDATE ${states} SET epoch = $2, beats = 0, holder = $3
           WHERE name = $1 AND ((epoch = $2::bigint - 1 AND beats = $4) OR (epoch = $2 AND holder = $3))`,
          [options.state, epoch, holder, found.beat],
        );
  place.epoch = epoch;
  return taken.rowCount === 1;
}

/** Does a write of this process, which returns a row at least, and shows that it is alive. `change`: of its row. */
async function mine(
  connection: PostgresConnection,
  { states, options, epoch, generation }: Place,
  text: string,
  values: readonly unknown[] = [],
  change = 'beats = beats + 1',
): Promise<void> {
  const { rowCount } = await connection.query(
    `WITH mine AS (UPDATE ${states} SET ${change}
       WHERE name = $1 AND epoch = $2 AND generation = $3 RETURNING 1) ${text}`,
    [options.state, epoch, generation, ...values],
  );
  if (rowCount === 0) throw lostState(options.shown);
}

async function load(connection: PostgresConnection, place: Place): Promise<readonly string[]> {
  const { states, records, options } = place;
  const generations = await connection.query(`SELECT generation::text FROM ${states} WHERE name = $1`, [options.state]);
  place.generation = Number(generations.rows[0]?.generation ?? 0);
  const text = `SELECT number::text AS last, record FROM ${records} WHERE state = $1 ORDER BY number`;
  const { rows } = await connection.query(text, [options.state]);
  place.next = Number(rows.at(-1)?.last ?? 0) + 1;
  return rows.map(({ record }) => String(record));
}

/** Numbers go on, so that no record of an older generation has the number of a new one. */
async function replace(connection: PostgresConnection, place: Place, texts: readonly string[]): Promise<void> {
  const { states, records, options, epoch, generation, next } = place;
  await transaction(connection, async () => {
    const { rowCount } = await connection.query(
      `UPDATE ${states} SET generation = $3::bigint + 1, beats = beats + 1
       WHERE name = $1 AND epoch = $2 AND generation IN ($3::bigint, $3::bigint + 1)`,
      [options.state, epoch, generation],
    );
    if (rowCount === 0) throw lostState(options.shown);
    await connection.query(`DELETE FROM ${records} WHERE state = $1`, [options.state]);
    await connection.query(
      `INSERT INTO ${records} SELECT $1, $2::bigint + place - 1, record FROM unnest($3::text[]) WITH ORDINALITY AS t (record, place)`,
      [options.state, next, texts],
    );
  });
  place.generation = generation + 1;
  place.next = next + texts.length;
}

/** An attempt whose answer was lost has written the same. */
async function append(connection: PostgresConnection, place: Place, texts: readonly string[]): Promise<void> {
  const { records, next } = place;
  const insert = `INSERT INTO ${records} (state, number, record)
    SELECT $1, $4::bigint + place - 1, record FROM mine, unnest($5::text[]) WITH ORDINALITY AS t (record, place)
    ON CONFLICT (state, number) DO UPDATE SET record = excluded.record`;
  await mine(connection, place, insert, [next, texts]);
  place.next = next + texts.length;
}
