/**
 * Decides which private hosts may be requested: those that the configuration names.
 * docs/decisions/042-private-hosts-are-named.md.
 */
import { remember } from '../util/remember.js';
import { canonicalHost, isLoopback, isPrivateAddress, isPrivateHost } from './private-addresses.js';
import { originOf } from './url.js';

export interface PrivateHosts {
  /** Whether this absolute URL may be requested, as far as its host shows. Throws ERR_REQUEST. */
  allows(url: string): boolean;
  /** Whether a connection to the host may use this address, which its name was resolved to. */
  allowsAddress(host: string, address: string): boolean;
  /** Records the address that a host was reached at: a name that was public does not become private. */
  reached(host: string, address: string): void;
}

/** `origins`: those that the configuration names; `hosts`: more hosts, IPv6 addresses in brackets. */
export function createPrivateHosts(origins: Iterable<string>, hosts: Iterable<string> = []): PrivateHosts {
  const named = new Set([...[...origins].map(hostOf), ...hosts].map(keyOf));
  const reachedInPublic = new Set<string>();
  const isAllowed = remember((origin: string) => named.has(keyOf(hostOf(origin))) || !isPrivateHost(hostOf(origin)));
  return {
    allows: (url) => isAllowed(originOf(url)),
    allowsAddress(host, address) {
      const key = keyOf(host);
      if (named.has(key) && !reachedInPublic.has(key)) return true;
      return !isPrivateAddress(address) || named.has(keyOf(address));
    },
    reached(host, address) {
      const key = keyOf(host);
      if (named.has(key) && !isPrivateAddress(address)) reachedInPublic.add(key);
    },
  };
}

const hostOf = (origin: string): string => origin.replace(/^\w+:\/\/|:\d+$/g, '');

/** Hosts with the same key are one host: this machine has many names and addresses. */
const keyOf = (host: string): string => (isLoopback(host) ? 'localhost' : canonicalHost(host));
