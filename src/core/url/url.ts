/**
 * Resolves and splits addresses as RFC 3986 does, without changing valid characters, unlike the platform's URL class.
 */
import { domainToASCII } from 'node:url';
import { ExtractError } from '../errors/errors.js';
import { remember } from '../util/remember.js';
import { encodePath, encodeQueryText } from './percent.js';

/** The parts of an address that a connection needs. `target` is path and query, encoded, as in the request line. */
export interface UrlParts {
  /** `https://host:8443`: lower case, without a default port and without user information. */
  readonly origin: string;
  readonly target: string;
  /** `user:password` as written, if the address has one. */
  readonly userinfo?: string;
}

interface UrlReference {
  readonly scheme: string | undefined;
  readonly authority: string | undefined;
  readonly path: string;
  readonly query: string | undefined;
}

/**
 * Resolves an endpoint, a next link or a redirect against a base, as in RFC 3986 5.2. Removes the fragment,
 * percent-encodes illegal characters, keeps existing %XX. Throws ERR_REQUEST if the result is no http or https address.
 * docs/12-compatibility.md#addresses.
 */
export function resolveUrl(baseUrl: string, endpoint: string): string {
  const reference = parse(endpoint);
  if (reference.scheme !== undefined) return format(reference);
  const base = parse(baseUrl);
  if (reference.authority !== undefined) return format({ ...reference, scheme: base.scheme });
  if (reference.path === '') return format({ ...base, query: reference.query ?? base.query });
  const path = reference.path.startsWith('/') ? reference.path : mergePath(base.path, reference.path);
  return format({ ...base, path, query: reference.query });
}

/**
 * Returns `resolveUrl` for one base URL. It caches resolved addresses without their query, because pages of a walk
 * often differ in the query only.
 */
export function createResolver(baseUrl: string): (endpoint: string) => string {
  const resolve = remember((address: string) => resolveUrl(baseUrl, address));
  return (endpoint) => {
    const at = endpoint.indexOf('?');
    if (at === 0 || endpoint.includes('#')) return resolveUrl(baseUrl, endpoint);
    if (at < 0) return resolve(endpoint);
    return `${resolve(endpoint.slice(0, at))}?${encodeQueryText(endpoint.slice(at + 1))}`;
  };
}

/** Whether this text is an http or https address with a host. */
export function isHttpUrl(text: string): boolean {
  try {
    return originOf(text) !== '';
  } catch {
    return false;
  }
}

/** The normalised origin of an absolute address: two spellings of one origin are equal. Throws ERR_REQUEST. */
export const originOf = (url: string): string => authorityOf(url).origin;

/** Splits an absolute address. Throws ERR_REQUEST if it is no http or https address with a host. */
export function splitUrl(url: string): UrlParts {
  const { origin, userinfo, length } = authorityOf(url);
  const fragment = url.indexOf('#', length);
  const rest = fragment < 0 ? url.slice(length) : url.slice(length, fragment);
  const target = rest.startsWith('/') ? rest : `/${rest}`;
  return userinfo === undefined ? { origin, target } : { origin, target, userinfo };
}

/**
 * The absolute address without user information, query and fragment, against which relative links are resolved. Throws
 * ERR_REQUEST.
 */
export function bareAddress(url: string): string {
  const { origin, target } = splitUrl(url);
  const query = target.indexOf('?');
  return `${origin}${query < 0 ? target : target.slice(0, query)}`;
}

interface Authority {
  readonly origin: string;
  /** With its port, unless that is the default. */
  readonly host: string;
  readonly userinfo: string | undefined;
  /** Of the text before path, query and fragment. */
  readonly length: number;
}

/** Throws ERR_REQUEST if the address is no http or https address with a host. */
const authorityOf = (url: string): Authority => checkedAuthority(url.slice(0, authorityEnd(url)));

/** All pages of a walk share one. */
const checkedAuthority = remember((start): Authority => {
  const { scheme, authority } = parse(start);
  const { userinfo, host } = checkAuthority(scheme, authority);
  return { origin: `${scheme}://${host}`, host, userinfo, length: start.length };
});

/** The index at which path, query or fragment start. */
function authorityEnd(url: string): number {
  const slashes = url.indexOf('//');
  if (slashes < 0) return url.length;
  for (let at = slashes + 2; at < url.length; at++) {
    const code = url.charCodeAt(at);
    if (code === 0x2f || code === 0x3f || code === 0x23) return at;
  }
  return url.length;
}

/** Splits off the query, without its `?`. Removes the fragment. */
export function splitQuery(url: string): { readonly address: string; readonly query: string | undefined } {
  const fragment = url.indexOf('#');
  const whole = fragment < 0 ? url : url.slice(0, fragment);
  const at = whole.indexOf('?');
  if (at < 0) return { address: whole, query: undefined };
  return { address: whole.slice(0, at), query: whole.slice(at + 1) };
}

/** Appends a query to an address; an empty one adds no `?`. */
export const withQuery = (address: string, query: string): string => (query === '' ? address : `${address}?${query}`);

function parse(text: string): UrlReference {
  const match = /^(?:([^:/?#]+):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?/.exec(text);
  const [, scheme, authority, path = '', query] = match ?? [];
  return { scheme: scheme?.toLowerCase(), authority, path, query };
}

function format({ scheme, authority, path, query }: UrlReference): string {
  if (scheme === undefined || authority === undefined) throw noHost(scheme);
  const { userinfo, host } = checkedAuthority(`${scheme}://${authority}`);
  const user = userinfo === undefined ? '' : `${userinfo}@`;
  const encoded = encodePath(removeDotSegments(path.startsWith('/') ? path : `/${path}`));
  return `${scheme}://${user}${host}${encoded}${query === undefined ? '' : `?${encodeQueryText(query)}`}`;
}

const mergePath = (base: string, path: string): string => `${base.slice(0, base.lastIndexOf('/') + 1)}${path}`;

function removeDotSegments(path: string): string {
  const segments = path.split('/').slice(1);
  const resolved: string[] = [];
  for (const segment of segments) {
    if (segment === '..') resolved.pop();
    else if (segment !== '.') resolved.push(segment);
  }
  const last = segments.at(-1);
  const trailing = (last === '.' || last === '..') && resolved.length > 0 ? '/' : '';
  return `/${resolved.join('/')}${trailing}`;
}

const defaultPorts = new Map([
  ['http', '80'],
  ['https', '443'],
]);

/** RFC 1035 2.3.4. No longer name can be resolved, and messages show the whole origin. */
const longestHost = 255;

function checkAuthority(scheme: string | undefined, authority: string | undefined) {
  const defaultPort = defaultPorts.get(scheme ?? '');
  if (defaultPort === undefined || authority === undefined) throw noHost(scheme);
  const found = /^(?:([^\s\\]*)@)?(\[[\da-f:.]+\]|[^\s:@[\]\\<>^|%{}"`]+)(?::(\d{0,5}))?$/i.exec(authority);
  const [, userinfo, name = '', port = ''] = found ?? [];
  // Letters outside ASCII become Punycode, as the DNS resolver would make them.
  const host = /^[\x21-\x7e]*$/.test(name) ? name.toLowerCase() : domainToASCII(name);
  const isHost = host !== '' && host.length <= longestHost && Number(port) <= 65535;
  if (!isHost) throw new ExtractError('ERR_REQUEST', 'the URL has no valid host');
  return { userinfo, host: port === '' || Number(port) === Number(defaultPort) ? host : `${host}:${Number(port)}` };
}

const noHost = (scheme: string | undefined) => new ExtractError('ERR_REQUEST', noAddress(scheme));

function noAddress(scheme: string | undefined): string {
  if (scheme === undefined) return 'expected an http or https URL with a host';
  if (defaultPorts.has(scheme)) return `expected a host after "${scheme}:"`;
  return 'the text before the first ":" is read as a URL scheme, and it is not http or https; write a path as "./name:rest" or "/name:rest"';
}
