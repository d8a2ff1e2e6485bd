/** The client library of PostgreSQL: the part that is used, and connections. */
import { ExtractError } from '../../src/core/errors/errors.js';
import { systemError } from '../../src/core/errors/system-error.js';
import { type HostAndPort, hostText } from '../addresses/server-address.js';
import { loadClient } from '../servers/load-client.js';
import { loadTls, type TlsSettings } from '../servers/tls.js';
import { CopyQuery, type CopyStatement } from './copy-query.js';
import { isCreatedMeanwhile, isServerError, postgresReason } from './postgres-errors.js';

export type SslMode = 'disable' | 'prefer' | 'require' | 'verify-ca' | 'verify-full';

export interface PostgresServer extends HostAndPort {
  /** Absent: the user of the process. */
  readonly user?: string;
  /** A function is called with the user if the server asks for a password. */
  readonly password: string | ((user: string) => Promise<string>);
  readonly database: string;
  readonly sslMode: SslMode;
  readonly tls?: TlsSettings;
}

/** Rows by the names of their columns. Booleans are booleans, numbers of 8 bytes are texts. */
export interface PostgresResult {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  /** Rows that a statement has changed or returned. */
  readonly rowCount: number | null;
}

export interface PostgresConnection {
  query(text: string, values?: readonly unknown[]): Promise<PostgresResult>;
  /** Runs statements in one round trip; the first one is `COPY ... FROM STDIN`. Outside a transaction they are one. */
  copy(statement: CopyStatement): Promise<void>;
  readonly isOpen: boolean;
  /** Ends it at once. */
  end(): void;
}

/** A client of `pg` 8; its own types are another package, and this one is optional. */
interface PostgresClient {
  connect(): Promise<unknown>;
  on(event: 'error' | 'end', listener: (thrown: unknown) => void): unknown;
  query(text: string, values?: readonly unknown[]): Promise<PostgresResult>;
  query(copy: CopyQuery): CopyQuery;
  end(): Promise<unknown>;
}

/** What a function for the password gets. */
interface PostgresUser {
  readonly user: string;
}

interface PostgresLibrary {
  readonly default: { readonly Client: new (options: object) => PostgresClient };
}

/** The packages to install. */
export const postgresPackages: readonly string[] = ['pg'];

/** The name of all connections at the server. */
export const applicationName = 'rxtract';

/** After so long the server ends a transaction whose process does nothing: a suspended process stops no other one. */
export const idleSeconds = 15;

/** As `idleSeconds`, for a page that is sent in parts: the API may be slow. */
export const slowPageSeconds = 600;

/**
 * Settings of each session. A commit is on the disk when it is acknowledged, unless the server itself does without
 * (`fsync=off`).
 */
const sessionSettings = `SET client_encoding = 'UTF8'; SET standard_conforming_strings = on;
  SET default_transaction_isolation = 'read committed'; SET idle_in_transaction_session_timeout = '${idleSeconds}s'; SET statement_timeout = 0; SET tcp_keepalives_idle = 30;
  SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'`;

/** Rejects with ERR_SINK and the command that installs the package if it is missing. */
export const loadPostgres = (): Promise<PostgresLibrary> =>
  loadClient<PostgresLibrary>('pg', 'postgres:', postgresPackages);

/**
 * Opens a connection that does not reconnect by itself. Rejects with ERR_SINK; `isBroken` says whether another attempt
 * may succeed.
 */
export async function connectPostgres(server: PostgresServer): Promise<PostgresConnection> {
  const library = await loadPostgres();
  const client = await opened(server, library.default.Client);
  let isOpen = true;
  const close = () => {
    isOpen = false;
  };
  client.on('error', close);
  client.on('end', close);
  await client.query(sessionSettings);
  return {
    query: (text, values) => client.query(text, values),
    copy: (statement) => client.query(new CopyQuery(statement)).done,
    get isOpen() {
      return isOpen;
    },
    end() {
      close();
      client.end().catch(() => {});
    },
  };
}

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

/** `prefer` connects without TLS if the server has none, as libpq does. */
async function opened(server: PostgresServer, Client: PostgresLibrary['default']['Client']): Promise<PostgresClient> {
  const connect = async (ssl: object | false) => {
    const { host, port, user, password, database } = server;
    const client = new Client({
      host,
      port,
      database,
      ssl,
      connectionTimeoutMillis: 10_000,
      keepAlive: true,
      application_name: applicationName,
      ...(user === undefined ? {} : { user }),
      password: typeof password === 'string' ? password : ({ user: as }: PostgresUser) => password(as),
    });
    client.on('error', () => {}); // The statement in progress, or the next one, rejects.
    await client.connect();
    return client;
  };
  const tls = await tlsOf(server);
  try {
    return await connect(tls).catch((thrown: unknown) => {
      if (server.sslMode !== 'prefer' || !hasNoTls(thrown)) throw thrown;
      return connect(false);
    });
  } catch (thrown) {
    throw connectError(server, thrown);
  }
}

async function tlsOf({ sslMode, tls = {}, host }: PostgresServer): Promise<object | false> {
  if (sslMode === 'disable') return false;
  const files = await loadTls(tls, 'postgres');
  if (sslMode === 'verify-full') return { ...files, host }; // Without it a certificate of localhost would do.
  if (sslMode === 'verify-ca') return { ...files, checkServerIdentity: () => undefined };
  return { ...files, rejectUnauthorized: false };
}

const hasNoTls = (thrown: unknown): boolean =>
  thrown instanceof Error && thrown.message.includes('does not support SSL connections');

/** Whether the connection is at fault, or another transaction: another attempt may succeed. */
export function isBroken(thrown: unknown): boolean {
  if (thrown instanceof ExtractError) return thrown.cause !== undefined && isBroken(thrown.cause);
  if (!(thrown instanceof Error)) return false;
  if (isServerError(thrown)) return temporary.test(thrown.code) || isCreatedMeanwhile(thrown);
  if (/^Connection terminated|not queryable|^timeout e|^Premature close/.test(thrown.message)) return true;
  return networkErrors.has(systemError(thrown)?.code ?? '');
}

/** Lost connections, deadlocks, a server that starts, stops, or has no free connection. */
const temporary = /^(?:08...|25P03|40001|40P01|53300|57P0[1-3])$/;

const networkErrors = new Set(
  'ECONNREFUSED ECONNRESET ECONNABORTED EPIPE ETIMEDOUT EHOSTUNREACH ENETUNREACH EAI_AGAIN ERR_STREAM_PREMATURE_CLOSE'
    .split(' ')
    .concat('ERR_STREAM_DESTROYED'),
);

function connectError(server: PostgresServer, thrown: unknown): ExtractError {
  if (thrown instanceof ExtractError) return thrown;
  const where = `postgres://${hostText(server)}/${server.database}`;
  const remedy = 'Check host, port, database, user and password of the address, and that the server runs.';
  return new ExtractError('ERR_SINK', `postgres: cannot connect to ${where}: ${postgresReason(thrown)}`, {
    cause: thrown,
    remedy,
  });
}
