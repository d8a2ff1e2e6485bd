/** One SSH connection, from handshake to end: the SSH server opens the requested connections and resolves names. */
import { createHash } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { Observable } from 'rxjs';
import { lineCodes } from './codes.js';
import { channelSocket } from './ssh-channel.js';
import type { ChannelOpened, Ssh2, SshClient, SshSettings } from './ssh2.js';

export interface SshConnection {
  isOpen(): boolean;
  /**
   * Connects from the SSH server on subscription; unsubscribing closes a channel that opens later. Fails with one of
   * `lineCodes`.
   */
  forward(host: string, port: number): Observable<Duplex>;
  /** Ends the connection and destroys the remaining sockets. */
  close(): void;
}

export type LineSettings = Omit<SshSettings, 'hostVerifier' | 'keepaliveInterval' | 'keepaliveCountMax'> & {
  /** Checks the fingerprint of the host key, `SHA256:...`. */
  readonly accepts: (fingerprint: string) => boolean;
};

/** Keepalive after 15 s of silence; the connection counts as broken after three unanswered ones. */
const keepalive = { keepaliveInterval: 15_000, keepaliveCountMax: 3 };

/** The error of reads and requests after the connection has ended. */
export const broken = (cause?: unknown): Error => coded(lineCodes.broken, 'the SSH connection has ended', cause);

/** Connects and logs in. Rejects with the error of ssh2; aborting ends the attempt. */
export async function openSshConnection(
  ssh2: Ssh2,
  { accepts, ...settings }: LineSettings,
  signal: AbortSignal,
): Promise<SshConnection> {
  signal.throwIfAborted();
  const client = new ssh2.Client();
  await new Promise<void>((resolve, reject) => {
    client.on('error', reject);
    client.once('close', () => reject(new Error('the connection ended before it was ready')));
    client.once('ready', () => resolve());
    signal.addEventListener('abort', () => client.destroy(), { once: true });
    client.connect({ ...settings, ...keepalive, hostVerifier: (key) => accepts(fingerprintOf(key)) });
  });
  return lineOf(client);
}

/** In the format of `ssh-keygen -l`. */
const fingerprintOf = (key: Buffer): string =>
  `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`;

function lineOf(client: SshClient): SshConnection {
  const sockets = new Set<Duplex>();
  let isOpen = true;

  // ssh2 ends its channels as if all data had arrived, so readers must receive the error first.
  function breakOff(cause?: unknown): void {
    isOpen = false;
    for (const socket of sockets) socket.destroy(broken(cause));
    sockets.clear();
  }
  for (const event of ['error', 'end', 'close']) client.on(event, breakOff);

  function adopt(channel: Duplex): Duplex {
    const socket = channelSocket(channel);
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    return socket;
  }

  return {
    isOpen: () => isOpen,
    forward: (host, port) =>
      new Observable((subscriber) => {
        const opened: ChannelOpened = (error, channel) => {
          if (subscriber.closed) channel?.destroy();
          else if (error !== undefined) subscriber.error(refusal(error));
          else if (!isOpen) subscriber.error(broken());
          else {
            subscriber.next(adopt(channel));
            subscriber.complete();
          }
        };
        if (isOpen) client.forwardOut('127.0.0.1', 0, host, port, opened);
        else subscriber.error(broken());
      }),
    close() {
      client.end();
      client.destroy();
      breakOff();
    },
  };
}

/** RFC 4254 5.1; an error without a reason means that the connection broke. */
function refusal(error: Error & { readonly reason?: unknown }): Error {
  if (typeof error.reason !== 'number') return coded(lineCodes.broken, error.message, error);
  if (error.reason === 1) return coded(lineCodes.forbidden, error.message, error);
  const isUnnamed = /\bname\b|resolv|hostname|no address/i.test(error.message);
  return coded(isUnnamed ? lineCodes.noHost : lineCodes.noConnection, error.message, error);
}

const coded = (code: string, message: string, cause: unknown): Error =>
  Object.assign(new Error(message, { cause }), { code });
