/** Certificates for TLS on loopback, made anew: an authority, a server `localhost`, one elsewhere, a client. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** As PEM. */
export interface Pair {
  readonly cert: string;
  readonly key: string;
}

export interface Certificates {
  readonly ca: string;
  readonly server: Pair;
  readonly client: Pair;
  /** A server with another name. */
  readonly elsewhere: Pair;
}

/** Why none can be made here; undefined: they can. */
export const opensslMissing: string | undefined =
  spawnSync('openssl', ['version']).error === undefined ? undefined : 'openssl is not installed';

let made: Certificates | undefined;

/** Made once a process, by the `openssl` of the machine. */
export function makeCertificates(): Certificates {
  made ??= make();
  return made;
}

function make(): Certificates {
  const folder = mkdtempSync(join(tmpdir(), 'rxtract-certificates-'));
  const at = (name: string) => join(folder, name);
  const pair = (name: string) => ({
    cert: readFileSync(at(`${name}.crt`), 'utf8'),
    key: readFileSync(at(`${name}.key`), 'utf8'),
  });
  const request = ['req', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  const signed = (name: string, extension: string) => {
    writeFileSync(at(`${name}.ext`), extension);
    openssl([...request, '-keyout', at(`${name}.key`), '-out', at(`${name}.csr`), '-subj', `/CN=${name}`]);
    const by = ['-CA', at('ca.crt'), '-CAkey', at('ca.key'), '-CAcreateserial', '-days', '2'];
    openssl([
      'x509',
      '-req',
      '-in',
      at(`${name}.csr`),
      ...by,
      '-out',
      at(`${name}.crt`),
      '-extfile',
      at(`${name}.ext`),
    ]);
  };
  try {
    openssl([...request, '-x509', '-days', '2', '-keyout', at('ca.key'), '-out', at('ca.crt'), '-subj', '/CN=ca']);
    signed('server', 'subjectAltName=DNS:localhost,IP:127.0.0.1');
    signed('elsewhere', 'subjectAltName=DNS:elsewhere.example');
    signed('client', 'extendedKeyUsage=clientAuth');
    return { ca: pair('ca').cert, server: pair('server'), client: pair('client'), elsewhere: pair('elsewhere') };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function openssl(line: readonly string[]): void {
  const { status, stderr, error } = spawnSync('openssl', line, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`openssl ${line[0]}: ${error?.message ?? stderr}`);
}
