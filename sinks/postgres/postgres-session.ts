/**
 * A process of a run at a PostgreSQL server: its connection, its fence against older processes, and the positions that
 * are stored with the pages. Two tables have them: `rxtract_runs` the epoch of each run, `rxtract_lanes` the position
 * of each lane. They have no rows of runs that are complete.
 */
import { createHash } from 'node:crypto';
import { ExtractError } from '../../src/core/errors/errors.js';
import type { Earlier } from '../contract.js';
import { absent } from '../errors.js';
import {
  type ConnectionLine,
  createAcknowledged,
  createLine,
  fenced,
  type LanePosition,
} from '../servers/server-session.js';
import { connectPostgres, isBroken, type PostgresConnection, type PostgresServer } from './postgres-client.js';
import { quoted } from './sql.js';

export interface PostgresSession extends ConnectionLine<PostgresConnection> {
  /** Takes over the run: processes with a lower epoch cannot write any more. ERR_RESUME for a lower epoch. */
  begin(earlier: Earlier): Promise<void>;
  /** An earlier process has published all. Known after `begin`. */
  readonly isPublished: boolean;
  /** The last position of each lane. */
  held(): Promise<ReadonlyMap<string, string>>;
  /** Does the work of a page and stores its position in one transaction; once, whatever breaks. */
  store(page: StoredPage, signal: AbortSignal): Promise<void>;
  /** Begins the transaction of a page before its commit, on a connection of its own. */
  beginLarge(): Promise<LargePage>;
  /** Does the work and forgets the run, in one transaction; once, whatever breaks. */
  finish(work: (connection: PostgresConnection) => Promise<void>): Promise<void>;
  /** Verifies the rights that a run needs, without a change. */
  verify(): Promise<void>;
  /** Removes what the run has staged, unless a newer process has it: once, on a connection of its own, after `end`. */
  forget(): Promise<void>;
  /** The quoted name of the staging table of a data type. */
  stagingOf(dataType: string): string;
}

export interface StoredPage extends LanePosition {
  readonly work: (connection: PostgresConnection) => Promise<void>;
}

/** A transaction that is not repeated: what breaks it ends the page. */
export interface LargePage {
  readonly connection: PostgresConnection;
  commit(position: LanePosition): Promise<void>;
  /** Ends the transaction, unless it is committed. */
  end(): void;
}

interface SessionOptions {
  readonly server: PostgresServer;
  /** Where the tables of positions and staging are. */
  readonly schema: string;
  readonly mayCreate: boolean;
  /** What the sink writes to, and how: sinks that differ in it do not share positions. */
  readonly identity: string;
}

/** What a process knows of its run. */
interface Progress {
  readonly server: PostgresServer;
  readonly schema: string;
  readonly mayCreate: boolean;
  readonly runs: string;
  readonly lanes: string;
  readonly sink: string;
  run: string;
  epoch: number;
  isPublished: boolean;
  readonly known: ReturnType<typeof createAcknowledged>;
  /** Connections of transactions that are complete. */
  readonly idle: PostgresConnection[];
  /** The connection on which the stored positions were compared with the known ones. */
  connection: PostgresConnection | undefined;
}

/** Runs without a state that are older have ended, and left staging tables. */
const abandonedAfter = "interval '7 days'";
const fencedForEver = '9223372036854775807';
const remedy = 'Set `fsync = on` and `full_page_writes = on` in the server, so that it keeps what it acknowledges.';

/** Connects at the first use. */
export function createPostgresSession({ server, schema, mayCreate, identity }: SessionOptions): PostgresSession {
  const line = createLine<PostgresConnection>({
    connect: () => connectPostgres(server),
    isOpen: (connection) => connection.isOpen,
    close: (connection) => connection.end(),
    isBroken,
  });
  const inSchema = quoted(schema, 'schema');
  const progress: Progress = {
    ...{ server, schema, mayCreate, runs: `${inSchema}.rxtract_runs`, lanes: `${inSchema}.rxtract_lanes` },
    ...{ sink: hashOf(identity, 12), run: '', epoch: 0, isPublished: false, connection: undefined },
    ...{ idle: [], known: createAcknowledged('postgres', remedy) },
  };
  return {
    ...line,
    ...pageStore(progress, line),
    async begin(earlier) {
      Object.assign(progress, { run: earlier.run, epoch: earlier.epoch });
      progress.known.clear();
      await line.once(async () => {}); // A server that cannot be reached is an error at once.
      await line.alone((connection) => transaction(connection, () => takeOver(connection, progress, earlier)));
      await line.alone((connection) => transaction(connection, () => removeEnded(connection, progress)));
    },
    get isPublished() {
      return progress.isPublished;
    },
    async finish(work) {
      let attempts = 0;
      await line.alone(async (connection) => {
        attempts += 1;
        await transaction(connection, () => finishOnce(connection, progress, work, attempts > 1));
      });
      progress.isPublished = true;
    },
    end() {
      line.end();
      for (const connection of progress.idle.splice(0)) connection.end();
    },
    verify: () => line.once((connection) => verifyRights(connection, progress)),
    forget: () => forgetRun(progress),
    stagingOf: (dataType) => `${inSchema}."${prefixOf(progress.sink, progress.run)}${hashOf(dataType, 16)}"`,
  };
}

const hashOf = (text: string, length: number) => createHash('sha256').update(text).digest('hex').slice(0, length);

/** The beginning of the names of all staging tables of a run. */
const prefixOf = (sink: string, run: string) => `rxtract_${hashOf(`${sink} ${run}`, 16)}_`;

/** Does work in a transaction, which a failure rolls back. */
export async function transaction<T>(connection: PostgresConnection, work: () => Promise<T>): Promise<T> {
  await connection.query('BEGIN ISOLATION LEVEL READ COMMITTED');
  try {
    const result = await work();
    await connection.query('COMMIT');
    return result;
  } catch (thrown) {
    if (connection.isOpen) await connection.query('ROLLBACK').catch(() => {});
    throw thrown;
  }
}

type PageStore = Pick<PostgresSession, 'held' | 'store' | 'beginLarge'>;

function pageStore(progress: Progress, { alone }: ConnectionLine<PostgresConnection>): PageStore {
  const { known } = progress;
  return {
    held() {
      known.mustNotBeLost();
      return alone(async (connection) => {
        const stored = await readVerified(connection, progress);
        for (const [lane, position] of stored) known.set(lane, position);
        return stored;
      });
    },
    async store(page, signal) {
      known.mustNotBeLost();
      await alone((connection) => storePage(connection, progress, page), signal);
      known.set(page.lane, page.position);
    },
    async beginLarge() {
      known.mustNotBeLost();
      const connection = progress.idle.pop() ?? (await connectPostgres(progress.server));
      let isDone = false;
      // The API may be slow: until the position is stored, no other process waits for this transaction.
      await connection.query('BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL idle_in_transaction_session_timeout = 0');
      return {
        connection,
        async commit(page) {
          if (!(await storePosition(connection, progress, page))) throw await whyNotStored(connection, progress, page);
          await connection.query('COMMIT');
          known.set(page.lane, page.position);
          isDone = true;
        },
        end() {
          if (isDone && connection.isOpen) progress.idle.push(connection);
          else connection.end();
          isDone = false;
        },
      };
    },
  };
}

/** Stores a page once, also if an earlier connection broke. Throws ERR_RESUME if a newer process has begun. */
async function storePage(connection: PostgresConnection, progress: Progress, page: StoredPage): Promise<void> {
  if (progress.connection !== connection) {
    // The page may be there already: an earlier attempt ended without an answer.
    if ((await readVerified(connection, progress, page)).get(page.lane) === page.position) return;
    progress.connection = connection;
  }
  try {
    await transaction(connection, async () => {
      await page.work(connection);
      if (!(await storePosition(connection, progress, page))) throw notStored;
    });
    return;
  } catch (thrown) {
    if (thrown !== notStored) throw thrown;
  }
  // An earlier attempt was still under way at the server, or another process has the run.
  const stored = await readVerified(connection, progress, page);
  if (stored.get(page.lane) !== page.position) throw fenced('postgres');
}

/** Rolls back a transaction whose position was not stored. */
const notStored = new Error('the position was not stored');

/**
 * Replaces the last position of the lane, if the epoch is the one of this process and the position the acknowledged
 * one. Waits for an earlier attempt that is still under way. False: nothing was stored.
 */
async function storePosition(connection: PostgresConnection, progress: Progress, page: LanePosition): Promise<boolean> {
  const { runs, lanes, sink, run, epoch, known } = progress;
  const { rowCount } = await connection.query(
    `WITH mine AS MATERIALIZED (SELECT 1 FROM ${runs} WHERE sink = $1 AND run = $2 AND epoch = $3 FOR SHARE)
     INSERT INTO ${lanes} AS before (sink, run, lane, position) SELECT $1, $2, $4::text, $5::text FROM mine
     ON CONFLICT (sink, run, lane) DO UPDATE SET position = excluded.position WHERE before.position = $6`,
    [sink, run, epoch, page.lane, page.position, known.get(page.lane) ?? null],
  );
  return rowCount === 1;
}

async function whyNotStored(connection: PostgresConnection, progress: Progress, page: LanePosition): Promise<unknown> {
  await connection.query('ROLLBACK');
  await readVerified(connection, progress, page);
  return fenced('postgres');
}

/** The stored positions. They must be the acknowledged ones, but for a page that is in question. */
async function readVerified(
  connection: PostgresConnection,
  progress: Progress,
  page?: LanePosition,
): Promise<ReadonlyMap<string, string>> {
  const { runs, lanes, sink, run, epoch, known } = progress;
  const { rows } = await connection.query(
    `SELECT epoch::text, lane, position FROM ${runs} LEFT JOIN ${lanes} USING (sink, run) WHERE sink = $1 AND run = $2`,
    [sink, run],
  );
  if (rows.length === 0) known.lose(lostRun(run));
  if (String(rows[0]?.epoch) !== String(epoch)) throw fenced('postgres');
  const stored = new Map(
    rows.flatMap(({ lane, position }) => (lane === null ? [] : [[String(lane), String(position)] as const])),
  );
  known.verify(stored, page);
  return stored;
}

/** Creates what is missing, and writes the epoch if it is the highest. */
async function takeOver(connection: PostgresConnection, progress: Progress, earlier: Earlier): Promise<void> {
  const { runs, sink } = progress;
  const { run, epoch, isStored, phase, replaces = [] } = earlier;
  await connection.query(`SELECT pg_advisory_xact_lock(hashtext('rxtract'))`);
  await createMissing(connection, progress);
  const { rows } = await connection.query(`SELECT epoch::text FROM ${runs} WHERE sink = $1 AND run = $2 FOR UPDATE`, [
    sink,
    run,
  ]);
  const [found] = rows;
  if (found !== undefined && BigInt(String(found.epoch)) > BigInt(epoch)) throw fenced('postgres');
  progress.isPublished = phase === 'publishing' && found === undefined;
  // Runs of which nothing is needed any more are fenced first. Their tables are removed by `removeEnded`.
  const isAbandoned = `NOT stored AND begun < now() - ${abandonedAfter}`;
  const ended = `run = ANY($1) OR (${isAbandoned})`;
  await connection.query(`UPDATE ${runs} SET epoch = ${fencedForEver} WHERE ${ended}`, [replaces]);
  if (phase === 'writing' && epoch === 1) await removeRun(connection, progress, sink, run);
  if (progress.isPublished) return;
  await connection.query(
    `INSERT INTO ${runs} (sink, run, epoch, stored) VALUES ($1, $2, $3, $4)
     ON CONFLICT (sink, run) DO UPDATE SET epoch = excluded.epoch`,
    [sink, run, epoch, isStored],
  );
}

async function createMissing(connection: PostgresConnection, progress: Progress): Promise<void> {
  const { schema, mayCreate, runs, lanes } = progress;
  const { rows } = await connection.query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [schema]);
  if (rows.length === 0) {
    if (!mayCreate) throw absent('postgres', `schema "${schema}"`);
    await connection.query(`CREATE SCHEMA ${quoted(schema, 'schema')}`);
  }
  if (!(await doesExist(connection, runs))) {
    await connection.query(`CREATE TABLE ${runs} (sink text, run text, epoch bigint NOT NULL, stored boolean NOT NULL,
      begun timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (sink, run))`);
  }
  if (!(await doesExist(connection, lanes))) {
    await connection.query(`CREATE TABLE ${lanes} (sink text, run text, lane text, position text NOT NULL,
      PRIMARY KEY (sink, run, lane))`);
  }
}

/** Does what a run begins with, and rolls it back. */
async function verifyRights(connection: PostgresConnection, progress: Progress): Promise<void> {
  const done = new Error('verified');
  try {
    await transaction(connection, async () => {
      await createMissing(connection, progress);
      await connection.query(
        `CREATE TABLE ${quoted(progress.schema, 'schema')}."${prefixOf(progress.sink, 'check')}" ()`,
      );
      throw done;
    });
  } catch (thrown) {
    if (thrown !== done) throw thrown;
  }
}

/** Whether there is a table of this quoted name. */
export async function doesExist(connection: PostgresConnection, table: string): Promise<boolean> {
  const { rows } = await connection.query('SELECT to_regclass($1) IS NOT NULL AS found', [table]);
  return rows[0]?.found === true;
}

/** Removes what runs that are fenced for ever have left. */
async function removeEnded(connection: PostgresConnection, progress: Progress): Promise<void> {
  const { rows } = await connection.query(`SELECT sink, run FROM ${progress.runs} WHERE epoch = ${fencedForEver}`);
  for (const { sink, run } of rows) await removeRun(connection, progress, String(sink), String(run));
}

/** Removes the staging tables and the positions of a run. */
async function removeRun(
  connection: PostgresConnection,
  { schema, runs, lanes }: Progress,
  sink: string,
  run: string,
): Promise<void> {
  const { rows } = await connection.query(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname = $1 AND starts_with(tablename, $2)`,
    [schema, prefixOf(sink, run)],
  );
  for (const { name } of rows) await connection.query(`DROP TABLE IF EXISTS ${String(name)}`);
  for (const table of [lanes, runs]) {
    await connection.query(`DELETE FROM ${table} WHERE sink = $1 AND run = $2`, [sink, run]);
  }
}

/** Does the last work of a run. If the run is gone after an attempt without an answer, that one was applied. */
async function finishOnce(
  connection: PostgresConnection,
  progress: Progress,
  work: (connection: PostgresConnection) => Promise<void>,
  isRepeated: boolean,
): Promise<void> {
  const { runs, sink, run, epoch } = progress;
  const { rows } = await connection.query(`SELECT epoch::text FROM ${runs} WHERE sink = $1 AND run = $2 FOR UPDATE`, [
    sink,
    run,
  ]);
  const [found] = rows;
  if (found === undefined && isRepeated) return;
  if (found === undefined) throw lostRun(run);
  if (String(found.epoch) !== String(epoch)) throw fenced('postgres');
  await connection.query('SET LOCAL synchronize_seqscans = off'); // Rows keep their order.
  await work(connection);
  await removeRun(connection, progress, sink, run);
}

async function forgetRun(progress: Progress): Promise<void> {
  const { server, runs, sink, run, epoch } = progress;
  if (run === '') return;
  const connection = await connectPostgres(server);
  try {
    await transaction(connection, async () => {
      const mine = `SELECT 1 FROM ${runs} WHERE sink = $1 AND run = $2 AND epoch = $3 FOR UPDATE`;
      const { rows } = await connection.query(mine, [sink, run, epoch]);
      if (rows.length > 0) await removeRun(connection, progress, sink, run);
    });
  } finally {
    connection.end();
  }
}

const lostRun = (run: string) =>
  new ExtractError(
    'ERR_SINK',
    `postgres: the server has lost the run "${run}": it was restored from an older copy, or another run has replaced this one`,
  );
