/**
 * The optional library that speaks SSH, loaded when a tunnel is used: what is used of it, and the sentence for a user who
 * lacks it.
 */
import type { EventEmitter } from 'node:events';
import type { Duplex } from 'node:stream';
import { ExtractError } from '../../core/errors/errors.js';

/** What is used of the library; its own types bring another version of Node's along. */
export interface Ssh2 {
  readonly Client: new () => SshClient;
  readonly utils: { parseKey(key: string, passphrase?: string): unknown };
}

/** A connection. Emits `ready`, `error`, `close`. */
export interface SshClient extends EventEmitter {
  connect(settings: SshSettings): unknown;
  /** Has the far side connect. Throws where there is no connection. */
  forwardOut(fromHost: string, fromPort: number, host: string, port: number, done: ChannelOpened): unknown;
  end(): unknown;
  destroy(): unknown;
}

export type ChannelOpened = (error: Error | undefined, channel: Duplex) => void;

/** Times in ms. */
export interface SshSettings {
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly privateKey: string;
  readonly passphrase?: string;
  readonly hostVerifier: (key: Buffer) => boolean;
  readonly readyTimeout: number;
  readonly keepaliveInterval: number;
  readonly keepaliveCountMax: number;
}

/** Loads the library, or what is given in its place. Throws ERR_TUNNEL where it is not installed. */
export async function loadSsh2(specifier = 'ssh2'): Promise<Ssh2> {
  try {
    const { default: library } = await import(specifier);
    return library as Ssh2; // a module without types of its own; the documentation of ssh2 1 is the word for it
  } catch (thrown) {
    if (!isMissing(thrown)) throw thrown;
    const message = 'sshProxy needs the package ssh2, which is not installed: npm install ssh2';
    const remedy = 'Install it next to rxtract: `npm install ssh2`.';
    throw new ExtractError('ERR_TUNNEL', message, { cause: thrown, remedy });
  }
}

const isMissing = (thrown: unknown): boolean =>
  thrown instanceof Error && 'code' in thrown && String(thrown.code).endsWith('MODULE_NOT_FOUND');
