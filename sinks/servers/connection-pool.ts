/** Open connections that wait for their next use, such as that by the next task of a run. */
import type { ConnectionKind } from './connection-line.js';

export interface ConnectionPool<Connection> {
  /** Connects with a connection that waits, if there is one. Those that are left without work in progress wait. */
  readonly kind: ConnectionKind<Connection>;
  /** Closes those that wait, and later each one that is left. */
  end(): void;
}

export function createConnectionPool<Connection>(kind: ConnectionKind<Connection>): ConnectionPool<Connection> {
  const waiting: Connection[] = [];
  let hasEnded = false;
  const next = (): Connection | undefined => {
    const connection = waiting.pop();
    return connection === undefined || kind.isOpen(connection) ? connection : next();
  };
  return {
    kind: {
      ...kind,
      connect: async () => next() ?? kind.connect(),
      leave(connection) {
        if (hasEnded) kind.close(connection);
        else waiting.push(connection);
      },
    },
    end() {
      hasEnded = true;
      for (const connection of waiting.splice(0)) if (kind.isOpen(connection)) kind.close(connection);
    },
  };
}
