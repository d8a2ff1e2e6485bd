/**
 * A process of a run at a PostgreSQL server: its connection, its fence against older processes, and the positions that
 * are stored with the pages.
 */
import { ExtractError } from '../../src/core/errors/errors.js';
import type { Earlier } from '../contract.js';
import {
  type ConnectionLine,
  createAcknowledged,
  createLine,
  fenced,
  type LanePosition,
} from '../servers/server-session.js';
import {
  connectPostgres,
  idleSeconds,
  isBroken,
  type PostgresConnection,
  type PostgresServer,
  transaction,
} from './postgres-client.js';
import {
  createMissing,
  endRun,
  hashOf,
  isLocked,
  lockRun,
  type RunKey,
  type RunRow,
  type RunTables,
  removeEnded,
  runTablesOf,
  stagingName,
  takeOver,
  verifyRights,
} from './run-tables.js';
import { quoted } from './sql.js';

export interface PostgresSession extends ConnectionLine<PostgresConnection> {
  /** Takes over the run: processes with a lower epoch cannot write any more. ERR_RESUME for a lower epoch. */
  begin(earlier: Earlier): Promise<void>;
  /** An earlier process has published all. Known after `begin`. */
  readonly isPublished: boolean;
  /** The last position of each lane. */
  held(): Promise<ReadonlyMap<string, string>>;
  /** Does work before the first page, in a transaction, unless another process has the run. */
  prepare(work: (connection: PostgresConnection) => Promise<void>): Promise<void>;
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
  /** Tables have a column for each leaf. */
  readonly isTyped: boolean;
  /** What the sink writes to, and how: sinks that differ in it do not share positions. */
  readonly identity: string;
  /** How long a run waits, when it begins, for an older process that stores or publishes, in ms. */
  readonly patienceMs?: number;
}

/** What a process knows of its run. */
interface Progress extends RunTables, RunKey {
  readonly server: PostgresServer;
  run: string;
  epoch: number;
  isPublished: boolean;
  readonly known: ReturnType<typeof createAcknowledged>;
  /** Connections of transactions that are complete. */
  readonly idle: PostgresConnection[];
  /** The connection on which the stored positions were compared with the known ones. */
  connection: PostgresConnection | undefined;
}

/** Longer than the server leaves a suspended process its transaction. */
const patience = (idleSeconds + 15) * 1000;
const remedy = 'Set `fsync = on` and `full_page_writes = on` in the server, so that it keeps what it acknowledges.';

/** Connects at the first use. */
export function createPostgresSession(options: SessionOptions): PostgresSession {
  const { server, schema, identity, patienceMs = patience } = options;
  const line = lineTo(server);
  const progress: Progress = {
    server,
    ...runTablesOf(options),
    sink: hashOf(identity, 12),
    run: '',
    epoch: 0,
    isPublished: false,
    connection: undefined,
    idle: [],
    known: createAcknowledged('postgres', remedy),
  };
  return {
    ...line,
    ...pageStore(progress, line),
    async begin(earlier) {
      Object.assign(progress, { run: earlier.run, epoch: earlier.epoch });
      progress.known.clear();
      await line.once(async () => {}); // A server that cannot be reached is an error at once.
      await line.alone((connection) => createMissing(connection, progress));
      progress.isPublished = await line.alone((connection) =>
        takeOverInTime(connection, progress, earlier, patienceMs),
      );
      await line.alone((connection) => removeEnded(connection, progress));
    },
    get isPublished() {
      return progress.isPublished;
    },
    prepare: (work) =>
      line.alone((connection) =>
        transaction(connection, async () => {
          mustBeMine(await lockRun(connection, progress, progress, 'SHARE'), progress);
          await work(connection);
        }),
      ),
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
    verify: () => line.once((connection) => verifyRights(connection, progress, progress.sink)),
    forget: () => forgetRun(progress),
    stagingOf: (dataType) => `${quoted(schema, 'schema')}."${stagingName(progress, dataType)}"`,
  };
}

const lineTo = (server: PostgresServer) =>
  createLine<PostgresConnection>({
    connect: () => connectPostgres(server),
    isOpen: (connection) => connection.isOpen,
    close: (connection) => connection.end(),
    isBroken,
  });

/** Waits no longer for an older process: its transaction may take hours. */
async function takeOverInTime(
  connection: PostgresConnection,
  progress: Progress,
  earlier: Earlier,
  patienceMs: number,
): Promise<boolean> {
  const taking = transaction(connection, async () => {
    await connection.query(`SET LOCAL lock_timeout = ${patienceMs}`);
    return takeOver(connection, progress, progress, earlier);
  });
  return taking.catch((thrown: unknown) => {
    throw isLocked(thrown) ? inUse(patienceMs) : thrown;
  });
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
          await connection.query(`SET LOCAL idle_in_transaction_session_timeout = '${idleSeconds}s'`);
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
    `WITH mine AS MATERIALIZED (SELECT 1 FROM ${runs}
       WHERE sink = $1 AND run = $2 AND epoch = $3 AND ended IS NULL FOR SHARE)
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

/** Does the last work of a run. If the run has ended after an attempt without an answer, that one was applied. */
async function finishOnce(
  connection: PostgresConnection,
  progress: Progress,
  work: (connection: PostgresConnection) => Promise<void>,
  isRepeated: boolean,
): Promise<void> {
  const found = await lockRun(connection, progress, progress);
  if (isRepeated && (found === undefined || (found.hasEnded && isMine(found, progress)))) return;
  mustBeMine(found, progress);
  await connection.query('SET LOCAL synchronize_seqscans = off'); // Rows keep their order.
  await work(connection);
  await endRun(connection, progress, progress);
}

const isMine = ({ epoch }: RunRow, progress: Progress): boolean => epoch === BigInt(progress.epoch);

function mustBeMine(found: RunRow | undefined, progress: Progress): void {
  if (found === undefined) throw lostRun(progress.run);
  if (found.hasEnded || !isMine(found, progress)) throw fenced('postgres');
}

async function forgetRun(progress: Progress): Promise<void> {
  if (progress.run === '') return;
  const connection = await connectPostgres(progress.server);
  try {
    await transaction(connection, async () => {
      const found = await lockRun(connection, progress, progress);
      if (found !== undefined && isMine(found, progress)) await endRun(connection, progress, progress);
    });
  } finally {
    connection.end();
  }
}

const lostRun = (run: string) =>
  new ExtractError('ERR_SINK', `postgres: the server has lost the run "${run}": it was restored from an older copy`);

const inUse = (ms: number) =>
  new ExtractError(
    'ERR_SINK',
    `postgres: an older process of this run, or of one that it replaces, has been storing a page or publishing for ${ms / 1000} s`,
    { remedy: 'Wait until that process has ended, or end it; then run again with `--resume`.' },
  );
