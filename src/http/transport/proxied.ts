/**
 * Requests by way of proxies, over undici's own CONNECT and SOCKS5. Its ProxyAgent is not used as a whole:
 * docs/decisions/019-proxies-by-connection.md.
 */
import type { Duplex } from 'node:stream';
import { buildConnector, type Dispatcher, Pool } from 'undici';
import { createConnector, type Through } from './connect.js';
import { forwardingProxy, type ProxyOf, type ProxyServer, proxyAuthorization } from './proxy.js';
import { unauthenticated, unreachable } from './proxy-failures.js';
import { bySocks, type Target } from './socks.js';
import { proxyError } from './transport-error.js';

export interface Proxied {
  /**
   * What connections to the origin go through; undefined: they are direct. For an origin whose requests are forwarded,
   * nothing asks.
   */
  through(origin: string): Through | undefined;
  /** Hands the proxy those requests that it is to forward; all others go to `dispatch`. */
  forwarding(dispatch: Dispatcher.Dispatch): Dispatcher.Dispatch;
  /** Ends connections. */
  close(): Promise<void>;
}

export interface ProxiedOptions {
  readonly proxyOf: ProxyOf;
  /**
   * To connect to a proxy, and for its answer to CONNECT, in ms. For the answers of SOCKS5 undici allows 5 s each,
   * whatever this says.
   */
  readonly timeout: number;
}

/**
 * Makes the ways through proxies. Certificates of HTTPS proxies are verified by the authorities of Node. Nothing is
 * opened yet.
 */
export function createProxied({ proxyOf, timeout }: ProxiedOptions): Proxied {
  const options = { timeout, rejectUnauthorized: true };
  const connect = buildConnector(options);
  const tunnels = createPools(() => ({ connect, headersTimeout: timeout }));
  const forwards = createPools((proxy) => ({ connect: blaming(proxy, createConnector(options)) }));

  return {
    through(origin) {
      const proxy = proxyOf(origin);
      if (proxy === undefined) return undefined;
      if (proxy.scheme === 'socks5') return { connect: (host, port) => bySocks(proxy, connect, { host, port }) };
      return { connect: (host, port) => byConnect(proxy, tunnels.of(proxy), { host, port }) };
    },
    forwarding: (dispatch) => (request, handler) => {
      const origin = String(request.origin);
      const proxy = forwardingProxy(proxyOf, origin);
      if (proxy === undefined) return dispatch(request, handler);
      return forwards.of(proxy).dispatch(forwarded(request, origin, proxy), handler);
    },
    async close() {
      await Promise.all([tunnels.close(), forwards.close()]);
    },
  };
}

/** A pool of connections for each proxy. */
function createPools(optionsOf: (proxy: ProxyServer) => Pool.Options) {
  const pools = new Map<string, Pool>();
  return {
    of(proxy: ProxyServer): Pool {
      const pool = pools.get(proxy.address) ?? new Pool(proxy.address, optionsOf(proxy));
      pools.set(proxy.address, pool);
      return pool;
    },
    async close(): Promise<void> {
      await Promise.all([...pools.values()].map((pool) => pool.destroy()));
      pools.clear();
    },
  };
}

/** Says of a connection that it is the one to the proxy that failed. */
function blaming(proxy: ProxyServer, connect: buildConnector.connector): buildConnector.connector {
  return (target, callback) => {
    connect(target, (...[error, socket]) => {
      if (socket === null) callback(unreachable(proxy, error), null);
      else callback(null, socket);
    });
  };
}

/** A tunnel by CONNECT. RFC 9110 9.3.6. */
async function byConnect(proxy: ProxyServer, pool: Pool, { host, port }: Target): Promise<Duplex> {
  const path = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const authorization = proxyAuthorization(proxy);
  const headers = { host: path, ...(authorization === undefined ? {} : { 'proxy-authorization': authorization }) };
  const { statusCode, socket } = await pool.connect({ path, headers }).catch((thrown: unknown) => {
    throw unreachable(proxy, thrown);
  });
  if (statusCode >= 200 && statusCode < 300) return socket;
  socket.on('error', () => undefined).destroy();
  throw statusCode === 407 ? unauthenticated(proxy, ' (407)') : refused(proxy, statusCode);
}

/** A proxy that may do better later, and one that says no. */
function refused({ address }: ProxyServer, status: number): Error {
  if (status >= 500 || status === 408 || status === 429) {
    const reason = `the proxy ${address} could not connect to the host (${status})`;
    return proxyError({ transport: 7, reason, unsent: true });
  }
  return proxyError({ error: 'ERR_PROXY', reason: `the proxy ${address} does not connect to this host (${status})` });
}

/**
 * The request as a proxy takes it: the whole address in the request line, and its own credentials in the place of any
 * that were configured.
 */
function forwarded(
  request: Dispatcher.DispatchOptions,
  origin: string,
  proxy: ProxyServer,
): Dispatcher.DispatchOptions {
  const authorization = proxyAuthorization(proxy);
  const given = pairsOf(request);
  const isNamed = given.some(([name]) => name.toLowerCase() === 'host');
  const kept = authorization === undefined ? given : given.filter(([name]) => !/^proxy-authorization$/i.test(name));
  const headers = [
    ...(isNamed ? [] : ['host', new URL(origin).host]),
    ...kept.flat(),
    ...(authorization === undefined ? [] : ['proxy-authorization', authorization]),
  ];
  return { ...request, origin: proxy.address, path: `${origin}${request.path}`, headers };
}

/** Headers come flat, value after name: as `toWire` makes them. */
function pairsOf({ headers }: Dispatcher.DispatchOptions): readonly (readonly [string, string])[] {
  const flat = Array.isArray(headers) ? headers.map(String) : [];
  return flat.flatMap((name, index) => (index % 2 === 0 ? [[name, flat[index + 1] ?? ''] as const] : []));
}
