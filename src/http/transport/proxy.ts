/** Selects the proxy for requests: reads the option `proxy` and the environment variables, without a connection. */
import { isIPv6 } from 'node:net';
import type { EnvironmentVariables } from '../../config/env.js';
import { ExtractError } from '../../core/errors/errors.js';
import { decode, rawEncode } from '../../core/url/percent.js';
import { splitUrl } from '../../core/url/url.js';
import { missingVariable } from '../../core/util/missing-variable.js';

export interface ProxyServer {
  readonly scheme: 'http' | 'https' | 'socks5';
  /** In brackets if it is an IPv6 address. */
  readonly host: string;
  readonly port: number;
  /** `http://proxy.example.com:3128`: without user information, safe to show. */
  readonly address: string;
  /** Decoded; both empty: no credentials. */
  readonly user: string;
  readonly password: string;
}

/** Returns the proxy for an origin (`https://host:8443`); undefined: direct connections. */
export type ProxyOf = (origin: string) => ProxyServer | undefined;

export interface ProxyChoice {
  readonly proxyOf: ProxyOf;
  /** At least one origin has a proxy. */
  readonly isUsed: boolean;
  /** Values to mask. */
  readonly secrets: readonly string[];
}

/** The option value that selects the environment variables. */
export const fromEnvironment = 'env';

/**
 * Reads the option `proxy`: an address, whose user information may contain `${NAME}` from `env`, or `env` for
 * HTTP_PROXY, HTTPS_PROXY and NO_PROXY. Throws ERR_USAGE, without any part of the address in the message.
 */
export function readProxyOption(option: unknown, env: EnvironmentVariables | undefined): ProxyChoice {
  if (typeof option !== 'string') throw usage('proxy', `expected ${whatIsExpected}, or "${fromEnvironment}"`);
  if (option === fromEnvironment) return proxyOfEnvironment(env);
  const read = parseProxy(option, { name: 'proxy', env: env ?? {} });
  return { proxyOf: () => read.proxy, isUsed: true, secrets: read.secrets };
}

/** Whether the address contains a literal password, or a part of one. */
export function hasLiteralPassword(address: string): boolean {
  const { userinfo = '' } = split(address) ?? {};
  const colon = userinfo.indexOf(':');
  return colon >= 0 && userinfo.slice(colon + 1).replace(variable, '') !== '';
}

const variable = /\$\{([^}]*)\}/g;
const whatIsExpected = 'the URL of a proxy, such as http://proxy.example.com:3128 (http, https or socks5)';
const hints = 'percent-encode "/", "?", "#" and "@" in its user information, and write nothing after its port';
const defaultPorts = { http: 80, https: 443, socks5: 1080 } as const;
/** With both SOCKS schemes the proxy resolves names. */
const schemes = new Map<string, ProxyServer['scheme']>([
  ['http', 'http'],
  ['https', 'https'],
  ['socks5', 'socks5'],
  ['socks5h', 'socks5'],
]);

interface Reading {
  /** The source of the address, for the message. */
  readonly name: string;
  /** Values for `${NAME}` in the user information; absent: no references. */
  readonly env?: EnvironmentVariables;
}

/** Parses an address. The default scheme is http, as in curl. */
function parseProxy(text: string, { name, env }: Reading) {
  const { scheme: written = 'http', userinfo: raw, host, port } = split(text) ?? {};
  const scheme = schemes.get(written.toLowerCase());
  if (scheme === undefined) {
    throw usage(name, `"${written}" is not a supported proxy type: expected http, https or socks5`);
  }
  if (host === undefined || Number(port) > 65_535) throw usage(name, `expected ${whatIsExpected}; ${hints}`);
  if (host.includes('${')) throw usage(name, 'a variable is allowed only in its user information, before the "@"');
  const userinfo =
    env === undefined ? raw : raw?.replace(variable, (_, key: string) => rawEncode(variableOf(key, name, env)));
  const { user, password } = credentialsOf(userinfo ?? '');
  if (scheme === 'socks5' && (user === '') !== (password === '')) {
    throw usage(name, 'socks5 needs both a user and a password, or neither');
  }
  const at = Number(port ?? defaultPorts[scheme]);
  const address = `${scheme}://${host.toLowerCase()}:${at}`;
  const proxy: ProxyServer = { scheme, host: host.toLowerCase(), port: at, address, user, password };
  return { proxy, secrets: secretsOf(proxy, [raw ?? '', userinfo ?? '']) };
}

function split(text: string) {
  const [, scheme, userinfo, host, port] =
    /^(?:([a-z][a-z\d+.-]*):\/\/)?(?:([^/?#\s]*)@)?(\[[\da-f:.]+\]|(?:\$\{[^}]*\}|[^\s:@/?#[\]\\<>^|%{}"`])+)(?::(\d{1,5}))?\/?$/i.exec(
      text,
    ) ?? [];
  return host === undefined ? undefined : { scheme, userinfo, host, port };
}

function variableOf(key: string, name: string, env: EnvironmentVariables): string {
  const value = Object.hasOwn(env, key) ? env[key] : undefined;
  if (value !== undefined) return value;
  throw usage(name, missingVariable(key, env));
}

function credentialsOf(userinfo: string): Pick<ProxyServer, 'user' | 'password'> {
  const text = (part: string) => decode(part.replaceAll('+', '%2B'));
  const colon = userinfo.indexOf(':');
  if (colon < 0) return { user: text(userinfo), password: '' };
  return { user: text(userinfo.slice(0, colon)), password: text(userinfo.slice(colon + 1)) };
}

/** A user with a password is a name and not secret; a user alone is a key. */
function secretsOf({ user, password }: ProxyServer, written: readonly string[]): readonly string[] {
  const pair = `${user}:${password}`;
  if (pair === ':') return [];
  return [...written, pair, Buffer.from(pair).toString('base64'), password === '' ? user : password].filter(
    (each) => each !== '',
  );
}

/** The `Proxy-Authorization` header value; undefined: no credentials. RFC 9110 11.7.1. */
export const proxyAuthorization = ({ user, password }: ProxyServer): string | undefined =>
  user === '' && password === '' ? undefined : `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

/**
 * The proxy that forwards whole requests for this origin instead of tunnelling: unencrypted ones only. RFC 9112 3.2.2.
 */
export function forwardingProxy(proxyOf: ProxyOf | undefined, origin: string): ProxyServer | undefined {
  const proxy = origin.startsWith('http:') ? proxyOf?.(origin) : undefined;
  return proxy?.scheme === 'socks5' ? undefined : proxy;
}

/** Follows undici's EnvHttpProxyAgent: lower case first; HTTPS_PROXY defaults to HTTP_PROXY. */
function proxyOfEnvironment(env: EnvironmentVariables | undefined): ProxyChoice {
  if (env === undefined) throw usage('proxy', '"env" needs the option env, such as process.env');
  const [http, https = http] = ['HTTP_PROXY', 'HTTPS_PROXY'].map((name) => readVariable(env, name));
  const excepted = exceptions(env.no_proxy ?? env.NO_PROXY ?? '');
  const proxyOf: ProxyOf = (origin) => {
    const found = origin.startsWith('https:') ? https : http;
    return found === undefined || excepted(origin) ? undefined : found.proxy;
  };
  const read = [http, https].filter((each) => each !== undefined);
  return { proxyOf, isUsed: read.length > 0, secrets: read.flatMap(({ secrets }) => secrets) };
}

function readVariable(env: EnvironmentVariables, name: string) {
  const [found] = [name.toLowerCase(), name].filter((each) => env[each] !== undefined);
  const text = found === undefined ? '' : (env[found] ?? '').trim();
  return text === '' ? undefined : parseProxy(text, { name: `proxy: the variable ${found}` });
}

/** Parses NO_PROXY: names with their subdomains and addresses, each with an optional port; `*` alone matches all. */
function exceptions(text: string): (origin: string) => boolean {
  const entries = text
    .split(/[,\s]+/)
    .filter((entry) => entry !== '')
    .map((entry) => {
      if (isIPv6(entry)) return { name: `[${entry.toLowerCase()}]`, port: undefined };
      const [, name = entry, port] = /^(.+):(\d+)$/.exec(entry) ?? [];
      return { name: name.replace(/^\*?\./, '').toLowerCase(), port };
    });
  if (entries.some(({ name }) => name === '*')) return () => true;
  return (origin) => {
    const { scheme, name, port } = hostOf(origin);
    const at = port ?? (scheme === 'https' ? '443' : '80');
    return entries.some(
      (each) =>
        (each.port === undefined || Number(each.port) === Number(at)) &&
        (name === each.name || name.endsWith(`.${each.name}`)),
    );
  };
}

function hostOf(origin: string) {
  const [, scheme = '', name = '', port] = /^(\w+):\/\/(.*?)(?::(\d+))?$/.exec(splitUrl(origin).origin) ?? [];
  return { scheme, name, port };
}

const usage = (name: string, message: string): ExtractError => new ExtractError('ERR_USAGE', `${name}: ${message}`);
