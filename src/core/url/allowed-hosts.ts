/**
 * Decides where requests may go: `image_parameters.allowed_hosts` as pure rules.
 * docs/01-configuration.md#allowed-hosts.
 */
import { encodePath } from './percent.js';
import { resolveUrl, splitUrl } from './url.js';

/** Every member that is present must match. */
export interface AllowedHost {
  /** In lower case. */
  readonly host: string;
  readonly scheme?: 'http' | 'https';
  readonly port?: number;
  /** A path, or its first segments. */
  readonly endpoint?: string;
}

/** Whether a request may go to this absolute address. An empty list allows all. Throws ERR_REQUEST. */
export function isAllowed(listed: readonly AllowedHost[], url: string): boolean {
  return listed.length === 0 || isListed(listed, url);
}

/** Reads `HOST`, `HOST:PORT` or an origin such as `https://HOST`. Undefined: it is something else. */
export function readHostName(text: string): AllowedHost | undefined {
  const form = /^(?:(https?):\/\/)?(\[[\da-f:.]+\]|[^\s:/?#@[\]]+)(?::(\d{1,5}))?\/?$/i;
  const [, scheme, host = '', port] = form.exec(text) ?? [];
  if (host === '') return undefined;
  return {
    host: host.toLowerCase(),
    ...(scheme === undefined ? {} : { scheme: scheme.toLowerCase() === 'https' ? 'https' : 'http' }),
    ...(port === undefined ? {} : { port: Number(port) }),
  };
}

/**
 * Whether an endpoint can be allowed, as far as the configuration shows. A listed port must be written in it, even the
 * default port of the scheme. After a placeholder the path is unknown, and so is the address if the placeholder is in
 * the host.
 */
export function mayBeAllowed(listed: readonly AllowedHost[], baseUrl: string, endpoint: string): boolean {
  const [known = ''] = endpoint.split('{', 1);
  const isOpen = known.length < endpoint.length;
  const url = tryResolve(baseUrl, known);
  if (listed.length === 0 || url === undefined || (isOpen && /^([^:/?#]+:)?\/\/[^/?#]*$/.test(known))) return true;
  const authority = authorityOf(known) ?? authorityOf(baseUrl) ?? '';
  const candidates = /:\d+$/.test(authority) ? listed : listed.filter(({ port }) => port === undefined);
  return isListed(isOpen ? candidates.map(({ endpoint: _, ...host }) => host) : candidates, url);
}

const authorityOf = (text: string): string | undefined => /^(?:[^:/?#]+:)?\/\/([^/?#]*)/.exec(text)?.[1];

/** `undefined`: the request will fail with its own message. */
function tryResolve(baseUrl: string, endpoint: string): string | undefined {
  try {
    return resolveUrl(baseUrl, endpoint);
  } catch {
    return undefined;
  }
}

/** Whether one of these hosts has this absolute address. Throws ERR_REQUEST. */
export function isListed(listed: readonly AllowedHost[], url: string): boolean {
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

/** A server may decode encoded dots, and so leave the path. */
function isBelow(prefix: readonly string[], segments: readonly string[]): boolean {
  const isEverything = prefix.length === 1 && prefix[0] === '';
  const leaves = segments.some((segment) => /^(\.|%2e){1,2}$/i.test(segment));
  return isEverything || (!leaves && prefix.every((segment, index) => segment === segments[index]));
}
