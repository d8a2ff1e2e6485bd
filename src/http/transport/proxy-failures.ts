/** Errors of requests that fail because of a proxy: each message names the proxy, without user and password. */

import { type ProxyServer, proxyAuthorization } from './proxy.js';
import { connectorError, transportFailure } from './transport-error.js';

/** A timeout; `bound` names the option that sets it. */
export function late({ address }: ProxyServer, thrown: unknown, bound: string): Error {
  const reason = `the proxy ${address} did not connect in time${bound}`;
  return connectorError({ error: 'ERR_PROXY', transport: 28, reason, unsent: true }, thrown);
}

/** The proxy itself failed. */
export function unreachable(proxy: ProxyServer, thrown: unknown): Error {
  const isLate = thrown instanceof Error && 'code' in thrown && thrown.code === 'UND_ERR_HEADERS_TIMEOUT';
  if (isLate) return late(proxy, thrown, ' (`api.http.connectTimeout`)');
  const { transport, reason, unsent } = transportFailure(thrown);
  const what = unsent === true ? `the proxy ${proxy.address} cannot be reached` : `the proxy ${proxy.address}`;
  const number = transport === undefined ? {} : { transport };
  return connectorError({ error: 'ERR_PROXY', ...number, reason: `${what}: ${reason}`, unsent: true }, thrown);
}

/** The proxy requires other credentials: a retry would not help. */
export function unauthenticated(proxy: ProxyServer, suffix: string): Error {
  const isGiven = proxyAuthorization(proxy) !== undefined;
  const reason = isGiven
    ? `the proxy ${proxy.address} rejects the user and password${suffix}`
    : `the proxy ${proxy.address} requires a user and a password${suffix}`;
  return connectorError({ error: 'ERR_PROXY', reason });
}
