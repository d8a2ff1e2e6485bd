/** Connections without a request, for checks: to a port, and through the handshake of TLS. */
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls, type PeerCertificate, type TLSSocket } from 'node:tls';
import { systemError } from '../../core/errors/system-error.js';
import { createProxied } from './proxied.js';
import type { ProxyOf } from './proxy.js';

/** A host that is probed. */
export interface ProbedHost {
  readonly isSecure: boolean;
  /** A name or an IP address, without brackets. */
  readonly name: string;
  readonly port: number;
}

/** What the handshake of TLS has shown. */
export interface TlsFacts {
  /** Such as `TLSv1.3`. */
  readonly protocol: string;
  readonly certificate: PeerCertificate;
  /** Why the certificate is not trusted, as the code of Node; undefined: it is. */
  readonly refusal: string | undefined;
}

/** Certificates as PEM. */
export interface ProbePem {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

export const isAddress = ({ name }: Pick<ProbedHost, 'name'>): boolean => isIP(name) > 0;

/** Opens a connection, and closes it. Resolves with the address. Rejects with a system's error, or as aborted. */
export async function probePort({ name, port }: ProbedHost, signal: AbortSignal): Promise<string> {
  const socket = await opened(connect({ host: name, port }), 'connect', signal);
  const { remoteAddress = name } = socket;
  socket.destroy();
  return remoteAddress;
}

/**
 * Makes the handshake, verifies the certificate as a request does, and closes the connection. A certificate that is not
 * trusted does not reject, so that it can be shown: nothing is sent on this connection.
 */
export async function probeTls(host: ProbedHost, pem: ProbePem, signal: AbortSignal): Promise<TlsFacts> {
  const named = isAddress(host) ? {} : { servername: host.name };
  const options = { host: host.name, port: host.port, rejectUnauthorized: false, ...named, ...pem };
  const socket = await opened(connectTls(options), 'secureConnect', signal);
  const facts = { protocol: socket.getProtocol() ?? 'TLS', certificate: socket.getPeerCertificate() };
  socket.destroy();
  return { ...facts, refusal: socket.authorized ? undefined : refusalOf(socket) };
}

/** Has the proxy of the origin connect to the host, and closes the connection. Rejects as a request does. */
export async function probeThrough(
  proxyOf: ProxyOf,
  { host, origin }: { readonly host: ProbedHost; readonly origin: string },
  signal: AbortSignal,
): Promise<void> {
  const proxied = createProxied({ proxyOf, timeout: mostWait });
  const close = () => void proxied.close();
  signal.addEventListener('abort', close, { once: true });
  try {
    const socket = await proxied.through(origin)?.connect(host.name, host.port, mostWait);
    socket?.on('error', () => undefined).destroy();
  } finally {
    signal.removeEventListener('abort', close);
    await proxied.close();
  }
}

/** The signal ends it sooner, in ms. */
const mostWait = 3_600_000;

/** Node gives a code, or for another host name an error. */
function refusalOf({ authorizationError }: TLSSocket): string {
  const given: unknown = authorizationError;
  return systemError(given)?.code ?? String(given);
}

/** Resolves when the socket is open. An abort destroys it. */
function opened<T extends Socket>(socket: T, event: 'connect' | 'secureConnect', signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      socket.destroy();
      reject(signal.reason);
    };
    signal.addEventListener('abort', abort, { once: true });
    socket.once(event, () => {
      signal.removeEventListener('abort', abort);
      resolve(socket);
    });
    socket.on('error', reject);
  });
}
