/**
 * Exactly-once at a server: the fence of a run against its older processes, and pages that are stored once. What each
 * server does for it is in the session of its folder.
 */
import type { ExtractError } from '../../src/core/errors/errors.js';
import type { Earlier } from '../contract.js';
import { type Acknowledged, fenced, hasEndedBefore, type LanePosition } from './acknowledged.js';
import { type ConnectionKind, type ConnectionLine, createLine } from './connection-line.js';

/** A process of a run at a server. */
export interface PageSession<Content> {
  /** Takes over the run: processes with a lower epoch cannot write any more. ERR_RESUME for a lower epoch. */
  begin(earlier: Earlier): Promise<void>;
  /** The last position of each lane. */
  positions(): Promise<Positions>;
  /** Stores the content of a page and the position of its lane, or neither; once, whatever breaks. */
  store(content: Content, lane: string, position: string, signal: AbortSignal): Promise<void>;
  /** Ends the run: removes its positions. With a state its epoch stays for some days, and fences older processes. */
  forget(): Promise<void>;
}

export interface FencedSession<Connection, Content> extends PageSession<Content>, ConnectionLine<Connection> {
  /** Reads the stored positions. Throws if another process has the run, or if acknowledged ones are missing. */
  compare(connection: Connection, page?: LanePosition): Promise<Positions>;
  /** `runOn`: runs the work on another connection than that of the session. */
  forget(runOn?: (work: (connection: Connection) => Promise<void>) => Promise<void>): Promise<void>;
}

/** The last position of each lane. */
export type Positions = ReadonlyMap<string, string>;

/** Which processes of a run a server has seen. */
export interface StoredEpoch {
  /** Of the last process that has begun. Absent: there is none, or its run has ended. */
  readonly epoch?: number | undefined;
  /** Of the process that ended the run; `Infinity`: another run replaced it. Absent: the run has not ended. */
  readonly ended?: number | undefined;
}

/** What a server has stored of a run. */
export interface StoredRun extends StoredEpoch {
  readonly positions: Positions;
}

export interface StoredPage<Content> extends LanePosition {
  readonly content: Content;
}

/** How one kind of server stores a run. Each function may be called again if its connection breaks. */
export interface FencedServer<Connection, Content, Found extends StoredEpoch> {
  readonly kind: ConnectionKind<Connection>;
  readonly known: Acknowledged;
  /** The error of a server that has nothing of the run any more. */
  lost(run: string): ExtractError;
  readEpoch(connection: Connection, run: Earlier): Promise<Found>;
  /** Stores the epoch of the run. False: another process has stored one since `found` was read. */
  writeEpoch(connection: Connection, run: Earlier, found: Found): Promise<boolean>;
  /** Runs the reading of an epoch and the change after it in one transaction. Absent: the change compares instead. */
  exclusively?<T>(connection: Connection, work: () => Promise<T>): Promise<T>;
  /** Fences the runs that this one replaces, and removes old fences. Absent: there is nothing to do. */
  clean?(connection: Connection, run: Earlier): Promise<void>;
  /** What an earlier connection of this process has sent is stored when this reads, or never. */
  readPositions(connection: Connection, run: Earlier): Promise<StoredRun>;
  /** Stores a page with its position, or neither. False: the run has changed since its positions were read. */
  storeOnce(connection: Connection, run: Earlier, page: StoredPage<Content>): Promise<boolean>;
  /** Removes the run, with a state all but a fence. False: the run has changed since `found` was read. */
  remove(connection: Connection, run: Earlier, found: Found): Promise<boolean>;
}

/** Connects at the first use. */
export function fencedSession<Connection, Content, Found extends StoredEpoch>(
  server: FencedServer<Connection, Content, Found>,
): FencedSession<Connection, Content> {
  const { known, kind, exclusively = (_, work) => work() } = server;
  const line = createLine(kind);
  const process: Process<Connection, Content, Found> = { server, begun: undefined, compared: undefined };
  return {
    ...line,
    compare: (connection, page) => compare(process, connection, page),
    async begin(run) {
      Object.assign(process, { begun: run, compared: undefined });
      known.clear();
      await line.alone(async (connection) => {
        while (!(await exclusively(connection, () => takeOver(process, connection, run))));
      });
      await line.alone(async (connection) => server.clean?.(connection, run));
    },
    positions() {
      known.mustNotBeLost();
      return line.alone(async (connection) => {
        const positions = await compare(process, connection);
        for (const [lane, position] of positions) known.set(lane, position);
        return positions;
      });
    },
    async store(content, lane, position, signal) {
      known.mustNotBeLost();
      const page = { content, lane, position };
      await line.alone((connection) => storePage(process, connection, page), signal);
      known.set(lane, position);
    },
    async forget(runOn = line.alone) {
      const { begun } = process;
      if (begun === undefined) return;
      await runOn(async (connection) => {
        while (!(await exclusively(connection, () => remove(process, connection, begun))));
      });
    },
  };
}

interface Process<Connection, Content, Found extends StoredEpoch> {
  readonly server: FencedServer<Connection, Content, Found>;
  begun: Earlier | undefined;
  /** The connection on which the stored positions were compared with the known ones. */
  compared: Connection | undefined;
}

/** Stores the epoch, if it is the highest. False: another process stored one at the same time. */
async function takeOver<Connection, Found extends StoredEpoch>(
  { server }: Process<Connection, never, Found>,
  connection: Connection,
  run: Earlier,
): Promise<boolean> {
  const found = await server.readEpoch(connection, run);
  const isNewer = (epoch = 0) => epoch > run.epoch;
  if (isNewer(found.epoch) || isNewer(found.ended)) throw fenced(server.known.server);
  if (found.ended !== undefined && run.phase === 'writing') throw hasEndedBefore(server.known.server, run.run);
  return server.writeEpoch(connection, run, found);
}

/** The stored positions must be the acknowledged ones, but for a page that is in question. */
async function compare<Connection, Found extends StoredEpoch>(
  process: Process<Connection, never, Found>,
  connection: Connection,
  page?: LanePosition,
): Promise<Positions> {
  const { server } = process;
  const run = runOf(process);
  process.compared = undefined; // Reading may begin anew at the server: what fails here stores nothing after it.
  const { epoch, ended, positions } = await server.readPositions(connection, run);
  if (epoch === undefined && ended === undefined) server.known.lose(server.lost(run.run));
  if (epoch !== run.epoch) throw fenced(server.known.server);
  server.known.verify(positions, page);
  process.compared = connection;
  return positions;
}

/** So many times in a row a run may change while a page is stored. */
const mostChanges = 3;

/** Stores a page once, also if an earlier connection broke meanwhile. */
async function storePage<Connection, Content, Found extends StoredEpoch>(
  process: Process<Connection, Content, Found>,
  connection: Connection,
  page: StoredPage<Content>,
): Promise<void> {
  const { server } = process;
  for (let changes = 0; changes < mostChanges; changes += 1) {
    if (process.compared !== connection) {
      // The page may be there already: an earlier attempt ended without an answer.
      if ((await compare(process, connection, page)).get(page.lane) === page.position) return;
    }
    process.compared = undefined; // Until the server says what has become of the page.
    if (await server.storeOnce(connection, runOf(process), page)) {
      process.compared = connection;
      return;
    }
  }
  throw fenced(server.known.server);
}

/** Ends the run. False: it has changed meanwhile. */
async function remove<Connection, Found extends StoredEpoch>(
  process: Process<Connection, never, Found>,
  connection: Connection,
  run: Earlier,
): Promise<boolean> {
  const { server } = process;
  process.compared = undefined;
  const found = await server.readEpoch(connection, run);
  const last = found.epoch ?? found.ended;
  if (last !== undefined && last !== run.epoch) throw fenced(server.known.server);
  return server.remove(connection, run, found);
}

function runOf({ begun }: { readonly begun: Earlier | undefined }): Earlier {
  if (begun === undefined) throw new Error('the session has not begun');
  return begun;
}
