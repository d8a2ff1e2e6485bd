/** The hosts of a server. */
import { usageError } from '../../src/core/util/check-value.js';

export interface HostAndPort {
  /** Without brackets. */
  readonly host: string;
  readonly port: number;
}

/** The hosts of `HOST:PORT,HOST:PORT`, or of a list. Throws ERR_USAGE. */
export const readHosts = (
  given: string | readonly string[],
  scheme: string,
  defaultPort: number,
): readonly HostAndPort[] =>
  [given]
    .flat()
    .flatMap((text) => text.split(','))
    .map((each) => hostOf(each, scheme, defaultPort));

/** The same for a server that is one host. */
export function readHost(given: string | readonly string[], scheme: string, defaultPort: number): HostAndPort {
  const [host, second] = readHosts(given, scheme, defaultPort);
  if (host === undefined || second !== undefined) throw usageError(`${scheme}: expected one host`);
  return host;
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

/** `host:4222`, with brackets around IPv6 addresses. */
export const hostText = ({ host, port }: HostAndPort): string => `${host.includes(':') ? `[${host}]` : host}:${port}`;
