/**
 * Opens sockets whose end waits for a slow reader: undici's parser fails an assertion, outside of any promise, when a
 * socket ends while it is paused.
 */
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { buildConnector } from 'undici';
import type { PrivateHosts } from '../../core/url/private-hosts.js';
import { resetCode } from './codes.js';
import { createLookup } from './lookup.js';
import type { Tunnel } from './tunnel.js';

export type ConnectorOptions = buildConnector.BuildOptions & {
  /** In milliseconds. */
  readonly timeout: number;
  /** The tunnel or proxy for an origin; undefined: direct connections. */
  readonly through?: ((origin: string) => Through | undefined) | undefined;
  /** Decides on the addresses of direct connections; absent: any address. */
  readonly privateHosts?: AddressRules;
};

export type AddressRules = Pick<PrivateHosts, 'allowsAddress' | 'reached'>;

/** Opens connections indirectly: a tunnel or a proxy. */
export type Through = Pick<Tunnel, 'connect'>;

/** Creates the connector of an agent. */
export function createConnector({ through, privateHosts, ...given }: ConnectorOptions): buildConnector.connector {
  const options = privateHosts === undefined ? given : { ...given, lookup: createLookup(privateHosts) };
  const direct = buildConnector(options);
  return (target, callback) => {
    const way = through?.(originOfTarget(target));
    const connect = way === undefined ? direct : tunnelled(way, direct, options.timeout);
    connect(target, (error, socket) => {
      if (socket === null || error !== null) {
        callback(error ?? new Error('no socket'), null);
        return;
      }
      if (way === undefined) privateHosts?.reached(target.hostname, socket.remoteAddress ?? '');
      holdEnd(socket);
      // Runs before undici's own listener.
      socket.on('error', renameReset);
      callback(null, socket);
    });
  };
}

/** The origin of a connector's target. */
export const originOfTarget = ({ protocol, host = '' }: buildConnector.Options): string => `${protocol}//${host}`;

/** Connects through a tunnel or proxy. TLS runs end to end with the target host, with the same options. */
function tunnelled(way: Through, secure: buildConnector.connector, timeout: number): buildConnector.connector {
  return ({ httpSocket: _, ...target }, callback) => {
    const isSecure = target.protocol === 'https:';
    const port = target.port === '' ? (isSecure ? 443 : 80) : Number(target.port);
    const use = (stream: Duplex) => {
      const socket = stream as Socket; // undici and TLS use only the stream part
      if (!isSecure) {
        callback(null, socket);
        return;
      }
      const secured: unknown = secure({ ...target, httpSocket: socket }, callback);
      // TLS over a stream without a Node handle waits for ever when that stream breaks.
      stream.on('error', (error) => secured instanceof Duplex && secured.destroy(error));
    };
    way.connect(target.hostname, port, timeout).then(use, (error) => callback(error, null));
  };
}

/** Delays the end of the stream until its reader requests more than the buffer holds: a paused reader does not. */
function holdEnd(socket: Socket): void {
  const push = socket.push.bind(socket);
  const read = socket.read.bind(socket);
  let isDrained = true;
  let isHeld = false;
  socket.push = (chunk, encoding) => {
    if (chunk === null && !isDrained) {
      isHeld = true;
      return false;
    }
    isDrained = false;
    return push(chunk, encoding);
  };
  socket.read = (size) => {
    const chunk = read(size);
    if (chunk !== null || size !== undefined) return chunk;
    isDrained = true;
    if (isHeld) process.nextTick(push, null);
    isHeld = false;
    return chunk;
  };
}

function renameReset(error: NodeJS.ErrnoException): void {
  if (error.code === 'ECONNRESET') error.code = resetCode;
}
