/** Where requests may go: `image_parameters.allowed_hosts` as pure rules. docs/01-configuration.md#allowed-hosts. */
import { encodePath } from './percent.js';
import { resolveUrl, splitUrl } from './url.js';

/** Each member narrows. */
export interface AllowedHost {
  /** In lower case, as an address has it. */
  readonly host: string;
  readonly scheme?: 'http' | 'https';
  readonly port?: number;
  /** The path that an address has, or that its path begins with, by whole segments. */
  readonly endpoint?: string;
}

/** Whether a request may go to this absolute address. An empty list lets everything through. Throws ERR_REQUEST. */
export function isAllowed(listed: readonly AllowedHost[], url: string): boolean {
  return listed.length === 0 || isListed(listed, url);
}

/**
 * Whether an endpoint may be requested, as far as a configuration tells: a listed port must be written in it, also
 * where it is that of the scheme; behind a placeholder nothing is known of a path, or of the address when that is where
 * its host would be.
 */
export function mayBeAllowed(listed: readonly AllowedHost[], baseUrl: string, endpoint: string): boolean {
  const [known = ''] = endpoint.split('{', 1);
  const isOpen = known.length < endpoint.length;
  const url = resolved(baseUrl, known);
  if (listed.length === 0 || url === undefined || (isOpen && /^([^:/?#]+:)?\/\/[^/?#]*$/.test(known))) return true;
  const authority = authorityOf(known) ?? authorityOf(baseUrl) ?? '';
  const fit = /:\d+$/.test(authority) ? listed : listed.filter(({ port }) => port === undefined);
  return isListed(isOpen ? fit.map(({ endpoint: _, ...host }) => host) : fit, url);
}

const authorityOf = (text: string): string | undefined => /^(?:[^:/?#]+:)?\/\/([^/?#]*)/.exec(text)?.[1];

/** `undefined`: it fails with its own message when it is requested. */
function resolved(baseUrl: string, endpoint: string): string | undefined {
  try {
    return resolveUrl(baseUrl, endpoint);
  } catch {
    return undefined;
  }
}

function isListed(listed: readonly AllowedHost[], url: string): boolean {
  const { origin, target } = splitUrl(url);
  const [, scheme, host, written] = /^(\w+):\/\/(.*?)(?::(\d+))?$/.exec(origin) ?? [];
  const port = Number(written ?? (scheme === 'https' ? 443 : 80));
  const segments = segmentsOf(target.replace(/\?.*$/s, ''));
  return listed.some(
    (each) =>
      each.host === host &&
      (each.scheme ?? scheme) === scheme &&
      (each.port ?? port) === port &&
      (each.endpoint === undefined || isBelow(segmentsOf(encodePath(each.endpoint)), segments)),
  );
}

const segmentsOf = (path: string): readonly string[] => path.replace(/^\/|\/$/g, '').split('/');

/** A server may take encoded dots for what they are, and so leave the path. */
function isBelow(prefix: readonly string[], segments: readonly string[]): boolean {
  const isEverything = prefix.length === 1 && prefix[0] === '';
  const leaves = segments.some((segment) => /^(\.|%2e){1,2}$/i.test(segment));
  return isEverything || (!leaves && prefix.every((segment, index) => segment === segments[index]));
}
