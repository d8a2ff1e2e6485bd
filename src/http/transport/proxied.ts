/**
 * Requests through proxies, over undici's own CONNECT and SOCKS5. It does not use undici's ProxyAgent as a whole:
 * docs/decisions/019-proxies-by-connection.md.
 */

import type { Duplex } from 'node:stream';
import { buildConnector, type Dispatcher, Pool } from 'undici';
import { elementAt } from '../../core/util/element-at.js';
import { createConnector, type Through } from './connect.js';
import { forwardingProxy, type ProxyOf, type ProxyServer, proxyAuthorization } from './proxy.js';
import { unauthenticated, unreachable } from './proxy-failures.js';
import { bySocks, type Target } from './socks.js';
import { connectorError } from './transport-error.js';

export interface Proxied {
  /**
   * The route for connections to the origin; undefined: direct. Not called for an origin whose requests the proxy
   * forwards.
   */
  through(origin: string): Through | undefined;
  /** Sends forwarded requests to the proxy, and all others to `dispatch`. */
  forwarding(dispatch: Dispatcher.Dispatch): Dispatcher.Dispatch;
  /** Closes the connections. */
  close(): Promise<void>;
}

export interface ProxiedOptions {
  readonly proxyOf: ProxyOf;
  /**
   * Time limit in ms to connect to a proxy, and for its response to CONNECT. undici always allows 5 s for each SOCKS5
   * reply.
   */
  readonly timeout: number;
}

/**
 * Creates the routes through proxies; opens nothing yet. Verifies certificates of HTTPS proxies against Node's
 * authorities.
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

/** Creates one connection pool per proxy. */
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

/** Marks a connection error as a failure of the proxy. */
function blaming(proxy: ProxyServer, connect: buildConnector.connector): buildConnector.connector {
  return (target, callback) => {
    connect(target, (...[error, socket]) => {
      if (socket === null) callback(unreachable(proxy, error), null);
      else callback(null, socket);
    });
  };
}

/** Opens a tunnel with CONNECT. RFC 9110 9.3.6. */
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

/** The error of a refusal: some statuses are temporary, others are final. */
function refused({ address }: ProxyServer, status: number): Error {
  if (status >= 500 || status === 408 || status === 429) {
    const reason = `the proxy ${address} could not connect to the host (${status})`;
    return connectorError({ transport: 7, reason, unsent: true });
  }
  return connectorError({
    error: 'ERR_PROXY',
    reason: `the proxy ${address} does not connect to this host (${status})`,
  });
}

/**
 * The request in proxy form: an absolute address in the request line, and the proxy's credentials instead of configured
 * ones.
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

/** Pairs up flat headers, name then value, as `to-undici.ts` creates them. */
function pairsOf({ headers }: Dispatcher.DispatchOptions): readonly (readonly [string, string])[] {
  const flat = Array.isArray(headers) ? headers.map(String) : [];
  return flat.flatMap((name, index) => (index % 2 === 0 ? [[name, elementAt(flat, index + 1)] as const] : []));
}
