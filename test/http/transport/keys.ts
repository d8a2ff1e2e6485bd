/** Keys for tests of tunnels, made anew. */
import { createRequire } from 'node:module';

export interface Keys {
  /** Protected by nothing. */
  readonly open: string;
  /** Protected by `passphrase`. */
  readonly closed: string;
  readonly passphrase: string;
  readonly public: string;
}

let made: Keys | undefined;

/** Made once a process, by ssh2 itself. */
export function makeKeys(): Keys {
  made ??= make();
  return made;
}

function make(): Keys {
  const { utils } = createRequire(import.meta.url)('ssh2');
  const passphrase = 'opens it';
  const open = utils.generateKeyPairSync('ed25519');
  const closed = utils.generateKeyPairSync('ed25519', { passphrase, cipher: 'aes256-ctr' });
  return { open: open.private, closed: closed.private, passphrase, public: open.public };
}
