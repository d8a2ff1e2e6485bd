/** The server in the address of a sink, and the values of its options. */
import { usageError } from '../../src/core/util/check-value.js';
import { didYouMean } from '../../src/core/util/suggest.js';
import { decodeText, type SinkAddress } from './address.js';

export interface HostAndPort {
  /** Without brackets. */
  readonly host: string;
  readonly port: number;
}

/** The server of an address such as `nats://user:password@host:4222/path`. */
export interface ServerAddress {
  /** At least one. */
  readonly hosts: readonly HostAndPort[];
  /** Decoded; absent: none. */
  readonly user?: string;
  readonly password?: string;
  /** After the first slash, percent-encoded. */
  readonly path: string;
}

/**
 * Reads the server of an address; several hosts are separated by commas. Throws ERR_USAGE without the user information
 * in its message.
 */
export function readServer({ scheme, target, shown }: SinkAddress, defaultPort: number): ServerAddress {
  const [, userinfo, hosts = '', path = ''] = /^\/\/(?:([^/?#@\s]*)@)?([^/@\s]+)(?:\/(.*))?$/s.exec(target) ?? [];
  if (hosts === '') throw usageError(`${scheme}: expected ${scheme}://HOST:PORT/..., found "${shown}"`);
  return { hosts: hosts.split(',').map((each) => hostOf(each, scheme, defaultPort)), ...credentialsOf(userinfo), path };
}

function hostOf(text: string, scheme: string, defaultPort: number): HostAndPort {
  const [, bracketed, plain, port] = /^(?:\[([\da-f:.]+)\]|([\w.-]+))(?::(\d{1,5}))?$/i.exec(text) ?? [];
  const host = bracketed ?? plain;
  const number = port === undefined ? defaultPort : Number(port);
  if (host === undefined || number < 1 || number > 65_535) {
    throw usageError(`${scheme}: "${text}" is not a host with its port, such as localhost:${defaultPort}`);
  }
  return { host, port: number };
}

function credentialsOf(userinfo: string | undefined): Pick<ServerAddress, 'user' | 'password'> {
  if (userinfo === undefined || userinfo === '') return {};
  const colon = userinfo.indexOf(':');
  if (colon < 0) return { user: decodeText(userinfo) };
  const user = decodeText(userinfo.slice(0, colon));
  return { ...(user === '' ? {} : { user }), password: decodeText(userinfo.slice(colon + 1)) };
}

/** `host:4222`, with brackets around IPv6 addresses. */
export const hostText = ({ host, port }: HostAndPort): string => `${host.includes(':') ? `[${host}]` : host}:${port}`;

/** The decoded value of an option; undefined: it is not given. */
export function textOption({ options }: SinkAddress, name: string): string | undefined {
  const value = options.get(name);
  return value === undefined ? undefined : decodeText(value);
}

/** The value of an option that is one of a few words. Throws ERR_USAGE with the nearest. */
export function wordOption<const Word extends string>(
  address: SinkAddress,
  name: string,
  words: readonly Word[],
): Word | undefined {
  const text = textOption(address, name);
  const word = words.find((each) => each === text);
  if (text === undefined || word !== undefined) return word;
  throw usageError(
    `${address.scheme}: ${name}: expected ${alternatives(words)}, found "${text}"${didYouMean(text, words)}`,
  );
}

/** The value of an option that is `true` or `false`. */
export function flagOption(address: SinkAddress, name: string, otherwise: boolean): boolean {
  const word = wordOption(address, name, ['true', 'false']);
  return word === undefined ? otherwise : word === 'true';
}

/** The value of an option that is a whole number from 1. Throws ERR_USAGE. */
export function countOption(address: SinkAddress, name: string, most = 999_999_999): number | undefined {
  const text = textOption(address, name);
  if (text === undefined) return undefined;
  const value = /^\d{1,12}$/.test(text) ? Number(text) : 0;
  if (value >= 1 && value <= most) return value;
  throw usageError(`${address.scheme}: ${name}: expected a whole number from 1 to ${most}, found "${text}"`);
}

/** `a, b or c`. */
const alternatives = (words: readonly string[]): string => words.join(', ').replace(/, (?=[^,]*$)/, ' or ');
