/** What sinks with transactions on a server have in common: one connection, and the positions that it acknowledged. */
import { ExtractError } from '../../src/core/errors/errors.js';
import type { Earlier } from '../contract.js';
import { repeated } from './reconnect.js';

/** A process of a run at a server. */
export interface ServerSession<Connection, Message> extends ConnectionLine<Connection> {
  /** Takes over the run: processes with a lower epoch cannot write any more. ERR_RESUME for a lower epoch. */
  begin(earlier: Earlier): Promise<void>;
  /** The last position of each lane. */
  held(): Promise<ReadonlyMap<string, string>>;
  /** Stores the messages and the position of the lane, or neither; once, whatever breaks. */
  store(messages: readonly Message[], lane: string, position: string, signal: AbortSignal): Promise<void>;
  /** Ends the run: removes its positions. With a state its epoch stays for some days, and fences older processes. */
  forget(): Promise<void>;
}

/** Work on one connection, one after the other. Connects at the first use, and replaces a broken connection. */
export interface ConnectionLine<Connection> {
  /** Runs work alone on a connection, and again on a new one if it breaks, for a minute at most. */
  alone<T>(work: (connection: Connection) => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** Runs work on a connection, without another attempt. */
  once<T>(work: (connection: Connection) => Promise<T>): Promise<T>;
  end(): void;
}

export interface ConnectionKind<Connection> {
  readonly connect: () => Promise<Connection>;
  readonly isOpen: (connection: Connection) => boolean;
  /** Called for open connections only. */
  readonly close: (connection: Connection) => void;
  /** Whether work failed because of its connection. */
  readonly isBroken: (thrown: unknown) => boolean;
}

export function createLine<Connection>(kind: ConnectionKind<Connection>): ConnectionLine<Connection> {
  const { connect, isOpen, isBroken } = kind;
  let connection: Connection | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let hasEnded = false;
  const close = () => {
    if (connection !== undefined && isOpen(connection)) kind.close(connection);
  };
  const open = async () => {
    if (connection === undefined || !isOpen(connection)) connection = await connect();
    if (hasEnded) close();
    return connection;
  };
  const once: ConnectionLine<Connection>['once'] = async (work) => {
    try {
      return await work(await open());
    } catch (thrown) {
      if (isBroken(thrown)) {
        close();
        connection = undefined;
      }
      throw thrown;
    }
  };
  return {
    once,
    alone(work, signal) {
      const isTemporary = (thrown: unknown) => !hasEnded && isBroken(thrown);
      const options = { isTemporary, ...(signal === undefined ? {} : { signal }) };
      const result = last.then(() => repeated(() => once(work), options));
      last = result.catch(() => {});
      return result;
    },
    end() {
      hasEnded = true;
      close();
    },
  };
}

/** The position of a lane after a page. */
export interface LanePosition {
  readonly lane: string;
  readonly position: string;
}

/** The positions that a server has acknowledged to this process. */
export interface Acknowledged {
  /** Throws the error of `lose`, if it was called: no call succeeds after it. */
  mustNotBeLost(): void;
  clear(): void;
  get(lane: string): string | undefined;
  set(lane: string, position: string): void;
  /**
   * The stored positions must be the acknowledged ones, but for a page that is in question. Throws ERR_SINK, then and
   * from then on: a server may restart without its last writes.
   */
  verify(stored: ReadonlyMap<string, string>, page?: LanePosition): void;
  lose(error: ExtractError): never;
}

/** `server`: its name in messages. `remedy`: how the server keeps what it acknowledges. */
export function createAcknowledged(server: string, remedy: string): Acknowledged {
  const known = new Map<string, string>();
  let lost: ExtractError | undefined;
  const lose = (error: ExtractError): never => {
    lost = error;
    throw error;
  };
  return {
    mustNotBeLost() {
      if (lost !== undefined) throw lost;
    },
    clear: () => known.clear(),
    get: (lane) => known.get(lane),
    set: (lane, position) => void known.set(lane, position),
    verify(stored, page) {
      for (const [lane, position] of known) {
        const found = stored.get(lane);
        const isNext = page?.lane === lane && found === page.position;
        if (found !== position && !isNext) lose(lostPages(server, remedy));
      }
    },
    lose,
  };
}

/** The error of a process whose run was resumed by another one. */
export const fenced = (server: string): ExtractError =>
  new ExtractError('ERR_RESUME', `${server}: another process has resumed this run: only the last one may write`);

/** The error of a process that begins to write for a run that has ended. */
export const hasEndedBefore = (server: string, run: string): ExtractError =>
  new ExtractError('ERR_RESUME', `${server}: the run "${run}" has ended: all its items are stored already`);

const lostPages = (server: string, remedy: string) =>
  new ExtractError(
    'ERR_SINK',
    `${server}: the server has lost pages that it had acknowledged: run again with --resume, which sends them again`,
    { remedy },
  );
