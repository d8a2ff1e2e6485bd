/**
 * `sshProxy`: the SSH server that all requests go through. docs/01-configuration.md#through-an-ssh-server;
 * `#passphrase` and `hostFingerprint` are additions to Generic Extractor.
 */

import type { Exact } from '../core/json/exact.js';
import { kind, type OptionRows } from '../core/options/kind.js';
import { nonEmptyText, whole } from '../core/options/kinds.js';
import { defined } from '../core/util/defined.js';
import type { ConfigPath } from '../language/config-path.js';
import { readObject } from '../language/read.js';

const port = whole(1, 65_535, { name: 'a port' });

const sha256 = /^SHA256:[A-Za-z\d+/]{43}=?$/;

const fingerprint = kind<string>(
  '"SHA256:" and 43 characters, as ssh-keygen -l shows it',
  (value) => typeof value === 'string' && sha256.test(value),
  { schema: { type: 'string', pattern: sha256.source } },
);

/** The keys of `sshProxy`. */
export const sshProxyFields = {
  host: { kind: nonEmptyText, required: true, summary: 'the SSH server' },
  port: { kind: port, required: true, summary: 'its port, usually 22' },
  user: { kind: nonEmptyText, required: true, summary: 'the user to log in as' },
  '#privateKey': {
    kind: nonEmptyText,
    required: true,
    summary: 'the private key with its line breaks as `\\n`, in the format of ssh-keygen, PEM (RSA, EC) or PuTTY',
  },
  '#passphrase': {
    kind: nonEmptyText,
    otherwise: 'the key has no passphrase',
    summary: 'the passphrase of the private key',
  },
  hostFingerprint: {
    kind: fingerprint,
    otherwise: 'the server is not verified, and a notice reports its fingerprint',
    summary: 'the fingerprint of its host key, `SHA256:...`; a server with another key is rejected',
  },
} satisfies OptionRows;

/** Returns `undefined` if there is none, or if something does not fit, after reporting it to `place`. */
export function readSshProxy(place: ConfigPath, value: Exact = null): SshProxy | undefined {
  const members = value === null ? undefined : readObject(place, value, sshProxyFields);
  if (members === undefined) return undefined;
  const { '#privateKey': privateKey, '#passphrase': passphrase, hostFingerprint, ...server } = members;
  return {
    ...server,
    privateKey,
    ...defined({ passphrase }),
    ...(hostFingerprint === undefined ? {} : { hostFingerprint: hostFingerprint.replace(/=$/, '') }),
    path: place.path,
  };
}

/** The server of the tunnel, and its user. */
export interface SshProxy {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly privateKey: string;
  readonly passphrase?: string;
  /** `SHA256:...` of the host key. Absent: the first key that is seen is trusted. */
  readonly hostFingerprint?: string;
  /** Its path in the document. */
  readonly path: string;
}
