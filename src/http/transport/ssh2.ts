/** Loads the optional SSH library for a tunnel: the types that are used, and the message for a user who lacks it. */
import type { EventEmitter } from 'node:events';
import type { Duplex } from 'node:stream';
import { ExtractError } from '../../core/errors/errors.js';
import { importPackage } from '../../core/util/import-package.js';

/** The part of the library that is used; its own types depend on another version of Node's. */
export interface Ssh2 {
  readonly Client: new () => SshClient;
  readonly utils: { parseKey(key: string, passphrase?: string): unknown };
}

/** A connection. Emits `ready`, `error`, `close`. */
export interface SshClient extends EventEmitter {
  connect(settings: SshSettings): unknown;
  /** Opens a connection from the SSH server. Throws if the client is not connected. */
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

/** Loads the library, or the module `specifier`. Throws ERR_TUNNEL if it is not installed. */
export async function loadSsh2(specifier = 'ssh2'): Promise<Ssh2> {
  try {
    const { default: library } = (await importPackage(specifier)) as { readonly default: Ssh2 };
    return library; // typed after the documentation of ssh2 1
  } catch (thrown) {
    if (!isMissing(thrown)) throw thrown;
    const message = 'sshProxy needs the package ssh2, which is not installed: npm install ssh2';
    const remedy = 'Install it next to rxtract: `npm install ssh2`.';
    throw new ExtractError('ERR_TUNNEL', message, { cause: thrown, remedy });
  }
}

const isMissing = (thrown: unknown): boolean =>
  thrown instanceof Error && 'code' in thrown && String(thrown.code).endsWith('MODULE_NOT_FOUND');
