/** One connection to a server: work on it one after the other, and a new one when it breaks. */
import { defined } from '../../src/core/util/defined.js';
import { createTurns } from '../serialize.js';
import { repeated } from './reconnect.js';

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
  /** Called instead at the end, for an open connection without work in progress. Absent: it is closed too. */
  readonly leave?: (connection: Connection) => void;
  /** Whether work failed because of its connection. */
  readonly isBroken: (thrown: unknown) => boolean;
}

export function createLine<Connection>(kind: ConnectionKind<Connection>): ConnectionLine<Connection> {
  const { connect, isOpen, isBroken, leave = kind.close } = kind;
  let connection: Connection | undefined;
  let inProgress = 0;
  const inTurn = createTurns();
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
    inProgress += 1;
    try {
      return await work(await open());
    } catch (thrown) {
      if (isBroken(thrown)) {
        close();
        connection = undefined;
      }
      throw thrown;
    } finally {
      inProgress -= 1;
    }
  };
  return {
    once,
    async alone(work, signal) {
      const isTemporary = (thrown: unknown) => !hasEnded && isBroken(thrown);
      return inTurn(() => repeated(() => once(work), { isTemporary, ...defined({ signal }) }));
    },
    end() {
      hasEnded = true;
      if (inProgress > 0) return close(); // The server may do that work all the same.
      if (connection !== undefined && isOpen(connection)) leave(connection);
      connection = undefined;
    },
  };
}
