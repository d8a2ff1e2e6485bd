/**
 * What becomes of a request that a proxy stands in the way of: each message names the proxy, without its user and
 * password.
 */

import { type ProxyServer, proxyAuthorization } from './proxy.js';
import { proxyError, transportFailure } from './transport-error.js';

/** It took too long; `bound` says by whose word. */
export function late({ address }: ProxyServer, thrown: unknown, bound: string): Error {
  const reason = `the proxy ${address} did not connect in time${bound}`;
  return proxyError({ error: 'ERR_PROXY', transport: 28, reason, unsent: true }, thrown);
}

/** The proxy itself failed. */
export function unreachable(proxy: ProxyServer, thrown: unknown): Error {
  const isLate = thrown instanceof Error && 'code' in thrown && thrown.code === 'UND_ERR_HEADERS_TIMEOUT';
  if (isLate) return late(proxy, thrown, ' (`api.http.connectTimeout`)');
  const { transport, reason, unsent } = transportFailure(thrown);
  const what = unsent === true ? `the proxy ${proxy.address} cannot be reached` : `the proxy ${proxy.address}`;
  const number = transport === undefined ? {} : { transport };
  return proxyError({ error: 'ERR_PROXY', ...number, reason: `${what}: ${reason}`, unsent: true }, thrown);
}

/** What becomes of a proxy that wants other credentials: to ask again would not help. */
export function unauthenticated(proxy: ProxyServer, suffix: string): Error {
  const isGiven = proxyAuthorization(proxy) !== undefined;
  const reason = isGiven
    ? `the proxy ${proxy.address} rejects the user and password${suffix}`
    : `the proxy ${proxy.address} requires a user and a password${suffix}`;
  return proxyError({ error: 'ERR_PROXY', reason });
}
