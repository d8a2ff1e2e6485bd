/** A connection to PostgreSQL for one statement after the other. */
import { type ConnectionKind, type ConnectionLine, createLine } from '../servers/connection-line.js';
import { createConnectionPool } from '../servers/connection-pool.js';
import { keptFor } from '../servers/kept.js';
import { connectPostgres, isBroken, type PostgresConnection, type PostgresServer } from './postgres-client.js';

export const postgresConnections = (server: PostgresServer): ConnectionKind<PostgresConnection> => ({
  connect: () => connectPostgres(server),
  isOpen: (connection) => connection.isOpen,
  close: (connection) => connection.end(),
  isBroken,
});

/** Connects at the first statement, and again after the connection has broken. */
export const postgresLine = (server: PostgresServer): ConnectionLine<PostgresConnection> =>
  createLine(postgresConnections(server));

const pools = keptFor(
  (server: PostgresServer) => createConnectionPool(postgresConnections(server)),
  (pool) => pool.end(),
);

/** Connections that stay open for the next sink with the same span. */
export const keptConnections = (server: PostgresServer, span: AbortSignal | undefined) =>
  span === undefined ? postgresConnections(server) : pools(span, server).kind;
