/**
 * A process of a run at a PostgreSQL server: its connection, its fence against older processes, and the positions that
 * are stored with the pages.
 */
import { ExtractError } from '../../src/core/errors/errors.js';
import type { Earlier } from '../contract.js';
import { type Acknowledged, createAcknowledged, fenced, type LanePosition } from '../servers/acknowledged.js';
import { type FencedSession, fencedSession, type StoredEpoch, type StoredRun } from '../servers/fenced-session.js';
import type { CopyStatement } from './copy-query.js';
import { makeReady } from './kept-tables.js';
import {
  connectPostgres,
  idleSeconds,
  type PostgresConnection,
  type PostgresServer,
  slowPageSeconds,
  transaction,
} from './postgres-client.js';
import { isServerError } from './postgres-errors.js';
import { keptConnections } from './postgres-line.js';
import {
  createMissing,
  endRun,
  endWriters,
  hashOf,
  isLocked,
  lockRun,
  ownName,
  type RunKey,
  type RunRow,
  type RunTables,
  removeEnded,
  runTablesOf,
  share,
  sharedEpoch,
  stagingName,
  takeOver,
  verifyRights,
} from './run-tables.js';
import { literal, quoted } from './sql.js';

export interface PostgresSession extends FencedSession<PostgresConnection, PageContent> {
  /** An earlier process has published all. Known after `begin`. */
  readonly isPublished: boolean;
  /** Does work before the first page, in a transaction, unless another process has the run. */
  prepare(work: PageWork): Promise<void>;
  /** Begins the transaction of a page before its commit, on a connection of its own. */
  beginLarge(): Promise<LargePage>;
  /** Does the work and forgets the run, in one transaction; once, whatever breaks. */
  finish(work: PageWork): Promise<void>;
  /** Verifies the rights that a run needs, without a change. */
  verify(): Promise<void>;
  /** Removes what the run has staged, unless a newer process has it: once, on a connection of its own, after `end`. */
  forget(): Promise<void>;
  /** The quoted name of the staging table of a data type. */
  stagingOf(dataType: string): string;
}

export type PageWork = (connection: PostgresConnection) => Promise<void>;

/** What a page stores. Each attempt calls `statement`, and then `copy` if it returned undefined. */
export interface PageContent {
  /** All of it, if that is one statement. */
  statement(): CopyStatement | undefined;
  copy(connection: PostgresConnection): Promise<void>;
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
  /** `SinkContext.span`. */
  readonly span?: AbortSignal | undefined;
}

/** What a process knows of its run. */
interface Progress extends RunTables, RunKey {
  readonly server: PostgresServer;
  run: string;
  member: string | undefined;
  epoch: number;
  /** It looks for runs that have ended: of the members of a run one does. */
  isCleaning: boolean;
  isPublished: boolean;
  readonly known: Acknowledged;
  /** Connections of transactions that are complete. */
  readonly idle: PostgresConnection[];
}

/** Longer than the server leaves a suspended process its transaction. */
const patience = (idleSeconds + 15) * 1000;
const remedy = 'Set `fsync = on` and `full_page_writes = on` in the server, so that it keeps what it acknowledges.';

/** Connects at the first use. */
export function createPostgresSession(options: SessionOptions): PostgresSession {
  const { server, schema, span, identity } = options;
  const progress: Progress = {
    server,
    ...runTablesOf(options),
    sink: hashOf(identity, 12),
    run: '',
    member: undefined,
    epoch: 0,
    isCleaning: true,
    isPublished: false,
    idle: [],
    known: createAcknowledged('postgres', remedy),
  };
  const session = pagesOf(progress, options);
  return {
    ...session,
    async begin(earlier) {
      const { run, member, epoch } = earlier;
      Object.assign(progress, { run, member, epoch, isCleaning: member === undefined });
      await session.once(async () => {}); // A server that cannot be reached is an error at once.
      await makeReady({ server, span }, progress.runs, () =>
        session.alone((connection) => createMissing(connection, progress)),
      );
      await session.begin(earlier);
    },
    beginLarge: () => beginLarge(progress, session),
    get isPublished() {
      return progress.isPublished;
    },
    prepare: (work) =>
      session.alone((connection) =>
        transaction(connection, async () => {
          mustBeMine(await lockRun(connection, progress, progress, 'SHARE'), progress);
          await work(connection);
        }),
      ),
    async finish(work) {
      let attempts = 0;
      await session.alone(async (connection) => {
        attempts += 1;
        await transaction(connection, () => finishOnce(connection, progress, work, attempts > 1));
      });
      progress.isPublished = true;
    },
    end() {
      session.end();
      for (const connection of progress.idle.splice(0)) connection.end();
    },
    verify: () => session.once((connection) => verifyRights(connection, progress, progress.sink)),
    forget: () => session.forget((work) => onOwnConnection(server, work)),
    stagingOf: (dataType) => `${quoted(schema, 'schema')}."${stagingName(progress, dataType)}"`,
  };
}

/** The run at the server. */
const pagesOf = (progress: Progress, { server, span, patienceMs = patience }: SessionOptions) =>
  fencedSession<PostgresConnection, PageContent, FoundRow>({
    kind: keptConnections(server, span),
    known: progress.known,
    lost: lostRun,
    exclusively: (connection, work) => inTime(connection, patienceMs, work),
    async readEpoch(connection, run) {
      const row = await lockOwn(connection, progress, run);
      return { row, epoch: row?.epoch, ended: row?.hasEnded === true ? row.epoch : undefined };
    },
    async writeEpoch(connection, run, { row }) {
      progress.isPublished = await takeOver(connection, progress, progress, run, row);
      return true;
    },
    async clean(connection) {
      if (progress.isCleaning) await removeEnded(connection, progress);
    },
    readPositions: (connection) => readRun(connection, progress),
    storeOnce: (connection, _, { content, ...page }) => storePage(connection, progress, content, page),
    async remove(connection) {
      await endRun(connection, progress, progress);
      return true;
    },
  });

/** Reads the row with the epoch of the process. Makes that of a shared run; its members do not wait for each other. */
async function lockOwn(
  connection: PostgresConnection,
  progress: Progress,
  { phase, replaces = [] }: Earlier,
): Promise<RunRow | undefined> {
  if (progress.member === undefined) return lockRun(connection, progress, progress);
  // A run that publishes has a row, or has ended long ago.
  const isFirst = phase === 'writing' && (await share(connection, progress, progress));
  progress.isCleaning = isFirst || replaces.length > 0;
  return lockRun(connection, progress, progress, 'SHARE', 'UPDATE');
}

interface FoundRow extends StoredEpoch {
  readonly row: RunRow | undefined;
}

/** Runs a transaction, which waits no longer for an older process: that one may take hours. */
async function inTime<T>(connection: PostgresConnection, ms: number, work: () => Promise<T>): Promise<T> {
  const taking = transaction(connection, async () => {
    await connection.query(`SET LOCAL lock_timeout = ${ms}`);
    return work();
  });
  return taking.catch((thrown: unknown) => {
    throw isLocked(thrown) ? inUse(ms) : thrown;
  });
}

async function beginLarge(
  progress: Progress,
  session: FencedSession<PostgresConnection, PageContent>,
): Promise<LargePage> {
  const { known, idle, server } = progress;
  known.mustNotBeLost();
  const connection = idle.pop() ?? (await connectPostgres(server));
  let isDone = false;
  // Until the position is stored, only a change of the staging table waits for this transaction.
  await connection.query(
    `BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL idle_in_transaction_session_timeout = '${slowPageSeconds}s'`,
  );
  return {
    connection,
    async commit(page) {
      await connection.query(`SET LOCAL idle_in_transaction_session_timeout = '${idleSeconds}s'`);
      try {
        await connection.query(positionText(progress, page));
      } catch (thrown) {
        if (!isNotStored(thrown)) throw thrown;
        await connection.query('ROLLBACK');
        await session.compare(connection, page);
        throw fenced('postgres');
      }
      await connection.query('COMMIT');
      known.set(page.lane, page.position);
      isDone = true;
    },
    end() {
      if (isDone && connection.isOpen) idle.push(connection);
      else connection.end();
      isDone = false;
    },
  };
}

/** Stores a page with its position. False: an earlier attempt did at the same time, or another process has the run. */
async function storePage(
  connection: PostgresConnection,
  progress: Progress,
  content: PageContent,
  page: LanePosition,
): Promise<boolean> {
  const position = positionText(progress, page);
  const statement = content.statement();
  try {
    if (statement !== undefined) {
      await connection.copy({ ...statement, text: `${statement.text}; ${position}` });
    } else {
      await transaction(connection, async () => {
        await content.copy(connection);
        await connection.query(position);
      });
    }
    return true;
  } catch (thrown) {
    if (isNotStored(thrown) || (await isRemoved(connection, progress, thrown))) return false;
    throw thrown;
  }
}

/** Whether a newer process has ended the run: its staging tables are not there any more. */
async function isRemoved(connection: PostgresConnection, progress: Progress, thrown: unknown): Promise<boolean> {
  if (!isServerError(thrown) || thrown.code !== '42P01') return false;
  return (await readRun(connection, progress)).epoch !== progress.epoch;
}

/**
 * Replaces the last position of the lane, if the epoch is the one of this process and the position the acknowledged
 * one; else it would be NULL, so that the statement fails, and with it the transaction. Waits for an earlier attempt
 * that is still under way.
 */
function positionText(progress: Progress, page: LanePosition): string {
  const { runs, lanes, sink, run, member, epoch, known } = progress;
  const [mySink, myRun, lane, position] = [sink, ownName(progress), page.lane, page.position].map(literal);
  const isShared = `whole.sink = ${mySink} AND whole.run = ${literal(run)} AND whole.epoch = ${sharedEpoch} AND whole.ended IS NULL`;
  const whole = member === undefined ? '' : `JOIN ${runs} AS whole ON ${isShared}`;
  const before = known.get(page.lane);
  const isNext = before === undefined ? 'false' : `before.position = ${literal(before)}`;
  return `WITH mine AS MATERIALIZED (SELECT 1 FROM ${runs} AS own ${whole}
       WHERE own.sink = ${mySink} AND own.run = ${myRun} AND own.epoch = ${epoch} AND own.ended IS NULL FOR SHARE)
     INSERT INTO ${lanes} AS before (sink, run, lane, position)
     VALUES (${mySink}, ${myRun}, ${lane}, CASE WHEN EXISTS (SELECT FROM mine) THEN ${position} END)
     ON CONFLICT (sink, run, lane) DO UPDATE SET position = CASE WHEN ${isNext} THEN excluded.position END`;
}

/** Whether a position was not stored, and so nothing of its page. */
const isNotStored = (thrown: unknown): boolean =>
  isServerError(thrown) && thrown.code === '23502' && thrown.table === 'rxtract_lanes';

async function readRun(connection: PostgresConnection, progress: Progress): Promise<StoredRun> {
  const { runs, lanes, sink, run, member } = progress;
  const { rows } = await connection.query(
    `SELECT epoch::text, lane, position FROM ${runs} LEFT JOIN ${lanes} USING (sink, run) WHERE sink = $1 AND run = $2`,
    [sink, ownName(progress)],
  );
  if (rows.length === 0 && member !== undefined) {
    // Its row is removed at the end of the run, which keeps one.
    const found = await connection.query(`SELECT FROM ${runs} WHERE sink = $1 AND run = $2`, [sink, run]);
    return { ended: found.rows.length === 0 ? undefined : Number.POSITIVE_INFINITY, positions: new Map() };
  }
  const positions = rows.flatMap(({ lane, position }) =>
    lane === null ? [] : [[String(lane), String(position)] as const],
  );
  return { epoch: rows.length === 0 ? undefined : Number(rows[0]?.epoch), positions: new Map(positions) };
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
  await endWriters(connection, progress, progress);
  await connection.query('SET LOCAL synchronize_seqscans = off'); // Rows keep their order.
  await work(connection);
  await endRun(connection, progress, progress);
}

const isMine = ({ epoch }: RunRow, progress: Progress): boolean => epoch === progress.epoch;

function mustBeMine(found: RunRow | undefined, progress: Progress): void {
  if (found === undefined) throw lostRun(progress.run);
  if (found.hasEnded || !isMine(found, progress)) throw fenced('postgres');
}

async function onOwnConnection(server: PostgresServer, work: PageWork): Promise<void> {
  const connection = await connectPostgres(server);
  try {
    await work(connection);
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
