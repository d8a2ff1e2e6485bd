/** A connection to PostgreSQL for one statement after the other. */
import { type ConnectionLine, createLine } from '../servers/connection-line.js';
import { connectPostgres, isBroken, type PostgresConnection, type PostgresServer } from './postgres-client.js';

/** Connects at the first statement, and again after the connection has broken. */
export const postgresLine = (server: PostgresServer): ConnectionLine<PostgresConnection> =>
  createLine<PostgresConnection>({
    connect: () => connectPostgres(server),
    isOpen: (connection) => connection.isOpen,
    close: (connection) => connection.end(),
    isBroken,
  });
