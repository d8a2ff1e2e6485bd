/** SOCKS5 connections over undici: translates its errors, and ends every wait. */
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type buildConnector, Socks5ProxyAgent } from 'undici';
import type { ProxyServer } from './proxy.js';
import { late, unauthenticated, unreachable } from './proxy-failures.js';
import { connectorError, type Failure } from './transport-error.js';

/** The destination of a connection. */
export interface Target {
  /** Without brackets. */
  readonly host: string;
  readonly port: number;
}

/** A method of undici's SOCKS5 dispatcher that its types omit. */
interface SocksConnecting {
  createSocks5Connection(host: string, port: number): Promise<Socket>;
}

/** Connects by SOCKS5; the proxy resolves the name. RFC 1928, RFC 1929. */
export async function bySocks(
  proxy: ProxyServer,
  connect: buildConnector.connector,
  { host, port }: Target,
): Promise<Duplex> {
  let socket: Socket | undefined;
  const [hostname, user, password] = [proxy.host.replace(/^\[|\]$/g, ''), proxy.user, proxy.password];
  // undici waits for a reply even after the connection has ended; an error ends that wait.
  const end = () => socket?.emit('error', Object.assign(new Error('closed'), { code: 'UND_ERR_SOCKET' }));
  const agent: unknown = withoutWarning(
    () =>
      new Socks5ProxyAgent(`socks5://${proxy.host}:${proxy.port}`, {
        ...(user === '' ? {} : { username: user, password }),
        connect: (_, callback) => {
          const target = { hostname, host: hostname, protocol: 'http:', port: String(proxy.port) };
          connect(target, (...[error, made]) => {
            socket = made?.once('close', end);
            if (error !== null) callback(error, null);
            else callback(null, made);
          });
        },
      }),
  );
  try {
    const made = await (agent as SocksConnecting).createSocks5Connection(host, port);
    made.off('close', end);
    return made;
  } catch (thrown) {
    socket?.off('close', end).on('error', () => undefined);
    socket?.destroy();
    throw socksError(proxy, thrown);
  }
}

/** Suppresses undici's warning that SOCKS5 is new: the user can do nothing about it. Chapter 5 documents it. */
function withoutWarning<T>(work: () => T): T {
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    return work();
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** Translates an undici code; REPLY_n is the reply of RFC 1928 6. */
function socksError(proxy: ProxyServer, thrown: unknown): Error {
  const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '';
  const [, kind = '', reply] = /^UND_ERR_SOCKS5_([A-Z_]+?)(?:_(\d+))?$/.exec(code) ?? [];
  if (kind === 'AUTH_REJECTED' || kind === 'AUTH_FAILED' || kind === 'AUTH_METHOD') return unauthenticated(proxy, '');
  const { address } = proxy;
  const noConnection: Failure = {
    transport: 7,
    reason: `the proxy ${address} could not connect to the host`,
    unsent: true,
  };
  if (kind === 'REPLY' && ['1', '3', '4', '5', '6'].includes(reply ?? '')) return connectorError(noConnection, thrown);
  if (kind === 'REPLY') {
    return connectorError({ error: 'ERR_PROXY', reason: `the proxy ${address} does not connect to this host` }, thrown);
  }
  if (kind !== '') {
    return connectorError(
      { error: 'ERR_PROXY', reason: `the proxy ${address} does not respond according to SOCKS5` },
      thrown,
    );
  }
  const isLate = thrown instanceof Error && /^SOCKS5 \w+ timeout$/.test(thrown.message);
  return isLate ? late(proxy, thrown, ': undici allows 5 s') : unreachable(proxy, thrown);
}
