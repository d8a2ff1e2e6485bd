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
  const passphrase = 'opens it';
  const open = readableKey();
  const closed = readableKey(passphrase);
  return { open: open.private, closed: closed.private, passphrase, public: open.public };
}

/** ssh2 makes one key in 256 that neither ssh2 nor ssh-keygen can read. */
function readableKey(passphrase?: string): { readonly private: string; readonly public: string } {
  const { utils } = createRequire(import.meta.url)('ssh2');
  const protection = passphrase === undefined ? {} : { passphrase, cipher: 'aes256-ctr', rounds: 1 };
  for (;;) {
    const key = utils.generateKeyPairSync('ed25519', protection);
    if (!(utils.parseKey(key.private, passphrase) instanceof Error)) return key;
  }
}
