/**
 * Resolves the names of hosts, without the private addresses that a host may not have. A connection gets addresses from
 * here only, so no name can change between check and connection.
 */
import dns, { type LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import type { PrivateHosts } from '../../core/url/private-hosts.js';
import { connectorError } from './transport-error.js';

/** Creates the look-up of connections. It fails with ERR_PRIVATE_HOST if no other address is left. */
export function createLookup(privateHosts: Pick<PrivateHosts, 'allowsAddress'>): LookupFunction {
  return (host, options, callback) => {
    dns.lookup(host, { ...options, all: true }, (error, found) => {
      const allowed = error === null ? found.filter(({ address }) => privateHosts.allowsAddress(host, address)) : [];
      const [first] = allowed;
      const failed = error ?? (first === undefined ? refused(found) : null);
      if (failed !== null || first === undefined || options.all === true) callback(failed, allowed);
      else callback(null, first.address, first.family);
    });
  };
}

function refused(found: readonly LookupAddress[]): Error {
  const addresses = found.map(({ address }) => address).join(', ');
  const reason = `the host has a private address (${addresses}), and the configuration does not name it`;
  return connectorError({ error: 'ERR_PRIVATE_HOST', reason });
}
