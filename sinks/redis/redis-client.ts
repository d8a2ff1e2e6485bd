/** The client library of Redis: the part that is used, connections, and what errors of the server mean. */
import { ExtractError } from '../../src/core/errors/errors.js';
import { describeSystemError, systemError } from '../../src/core/errors/system-error.js';
import { defined } from '../../src/core/util/defined.js';
import { type HostAndPort, hostText } from '../addresses/server-address.js';
import { loadClient } from '../servers/load-client.js';
import { loadTls, type TlsSettings, tlsReason } from '../servers/tls.js';

/** Arguments of a command: its name first. */
export type RedisCommand = readonly (string | Buffer)[];

/** A connection of `@redis/client` 6; its own types are not used, because the package is optional. */
export interface RedisConnection {
  connect(): Promise<unknown>;
  on(event: 'error', listener: (thrown: unknown) => void): unknown;
  sendCommand(command: RedisCommand): Promise<unknown>;
  watch(key: string): Promise<unknown>;
  multi(): RedisTransaction;
  destroy(): void;
  readonly isOpen: boolean;
}

export interface RedisTransaction {
  addCommand(command: RedisCommand): unknown;
  /** Rejects with WatchError if a watched key has changed, and with MultiErrorReply if a command failed. */
  exec(): Promise<readonly unknown[]>;
}

interface RedisLibrary {
  createClient(options: object): RedisConnection;
}

export interface RedisServer extends HostAndPort {
  readonly user?: string;
  readonly password?: string;
  readonly database: number;
  /** The connection uses TLS, with these files. Absent: it does not. */
  readonly tls?: TlsSettings;
}

/** The packages to install. */
export const redisPackages: readonly string[] = ['@redis/client'];

/**
 * Opens a connection that does not reconnect by itself. Rejects with ERR_SINK; `isBroken` says whether another attempt
 * may succeed.
 */
export async function connectRedis(server: RedisServer): Promise<RedisConnection> {
  const { createClient } = await loadClient<RedisLibrary>('@redis/client', 'redis:', redisPackages);
  const { host, port, user, password, database, tls } = server;
  const secure = tls === undefined ? { tls: false } : { tls: true, ...(await loadTls(tls, 'redis')) };
  const connection = createClient({
    socket: { host, port, ...secure, reconnectStrategy: false, connectTimeout: 10_000 },
    ...defined({ username: user, password }),
    database,
    RESP: 2,
    disableOfflineQueue: true,
    maintNotifications: 'disabled',
  });
  connection.on('error', () => {}); // The command in progress, or the next one, rejects.
  try {
    await connection.connect();
    return connection;
  } catch (thrown) {
    throw connectError(server, thrown);
  }
}

/** Whether the connection is at fault, and not the command: another attempt may succeed. */
export function isBroken(thrown: unknown): boolean {
  if (thrown instanceof ExtractError) return thrown.cause !== undefined && isBroken(thrown.cause);
  if (!(thrown instanceof Error)) return false;
  if (/^(?:LOADING|BUSY|TRYAGAIN|CLUSTERDOWN|MASTERDOWN)\b/.test(thrown.message)) return true;
  return systemError(thrown) !== undefined || connectionErrors.has(thrown.constructor.name);
}

/** Errors of the client for a connection that is gone. */
const connectionErrors = new Set([
  'ClientClosedError',
  'ClientOfflineError',
  'ConnectionTimeoutError',
  'DisconnectsClientError',
  'SocketClosedUnexpectedlyError',
  'SocketTimeoutError',
]);

/** Whether a watched key has changed, or the connection that watched it is another one. */
export const isWatchError = (thrown: unknown): boolean =>
  thrown instanceof Error && thrown.constructor.name === 'WatchError';

/** Describes an error of the server or of the connection. */
export function redisError(action: string, thrown: unknown): ExtractError {
  if (thrown instanceof ExtractError) return thrown;
  const cause = withoutArguments(thrown);
  return new ExtractError('ERR_SINK', `redis: cannot ${action}: ${reasonOf(cause)}`, { cause });
}

/** Of a command that is unknown, or renamed, the server repeats arguments: a password, perhaps a part of it. */
function withoutArguments(thrown: unknown): unknown {
  const [, known] = thrown instanceof Error ? (/^(.*), with args beginning with:/s.exec(thrown.message) ?? []) : [];
  return known === undefined ? thrown : new Error(known);
}

function connectError(server: RedisServer, thrown: unknown): ExtractError {
  const where = `${server.tls !== undefined ? 'rediss' : 'redis'}://${hostText(server)}`;
  const remedy = 'Check host, port, user and password of --to, and that the server runs.';
  const cause = withoutArguments(thrown);
  return new ExtractError('ERR_SINK', `redis: cannot connect to ${where}: ${reasonOf(cause)}`, { cause, remedy });
}

const reasons: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/^WRONGPASS/, 'the server rejects the user or the password'],
  [/^NOAUTH/, 'the server requires a password'],
  [/^NOPERM/, 'the user lacks a permission'],
  [/^WRONGTYPE/, 'the key is not a stream'],
  [/^OOM/, 'the server has reached its memory limit (maxmemory)'],
  [/^MISCONF/, 'the server cannot write to its disk'],
  [/^READONLY/, 'the server is a replica, which accepts no writes'],
];

function reasonOf(thrown: unknown): string {
  const text = tlsReason(thrown) ?? describeSystemError(thrown);
  const found = reasons.find(([pattern]) => pattern.test(text))?.[1];
  return found === undefined ? text : `${found} (${text})`;
}
