/** TLS of sinks on servers: the options, the files they name, and what a failed handshake means. */
import { readFile } from 'node:fs/promises';
import { ExtractError } from '../../src/core/errors/errors.js';
import { describeSystemError } from '../../src/core/errors/system-error.js';
import type { GivenOptions, OptionRows, OptionsOf } from '../../src/core/options/kind.js';
import { flag } from '../../src/core/options/kinds.js';
import { usageError } from '../../src/core/util/check-value.js';
import { defined } from '../../src/core/util/defined.js';
import { type AddressSecrets, isPem } from '../addresses/address-secrets.js';
import { pem, pemKey } from '../addresses/kinds.js';
import type { Destination } from '../entry.js';

export const tlsOptions = {
  ca: {
    kind: pem,
    summary: 'with TLS: the certificates of the authorities to trust, instead of those of Node.js',
    otherwise: 'those of Node.js',
  },
  cert: {
    kind: pem,
    summary: 'with TLS: the certificate that the client shows; needs `certkey`',
    otherwise: 'none',
  },
  certkey: { kind: pemKey, summary: 'with TLS: the private key of `cert`', otherwise: 'none' },
} as const satisfies OptionRows;

/** The same for sinks whose address asks for TLS by its scheme. */
export const connectionOptions = {
  tls: { kind: flag, summary: 'the connection uses TLS', default: false },
  ...tlsOptions,
} as const satisfies OptionRows;

/** TLS in code. Each value is the path of a file in PEM, or its text, which begins with `-----BEGIN`. */
export interface TlsFiles extends GivenOptions<typeof tlsOptions> {}

/** The files of an address. */
export interface TlsSettings extends TlsFiles {
  /** Gets the private key. Absent: there is none. */
  readonly hide?: AddressSecrets['hide'];
}

/** What `tls.connect` takes. */
export interface LoadedTls {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** Reads the options; undefined: there is none of them. Throws ERR_USAGE for half of a pair. */
export function readTls(
  { ca, cert, certkey }: TlsFiles,
  { scheme, hide }: Pick<Destination, 'scheme' | 'hide'>,
): TlsSettings | undefined {
  if ((cert === undefined) !== (certkey === undefined)) {
    throw usageError(`${scheme}: cert and certkey belong together: one of them is missing`);
  }
  if (ca === undefined && cert === undefined) return undefined;
  return { ...defined({ ca, cert, certkey }), ...(certkey === undefined ? {} : { hide }) };
}

/** The settings of a connection with TLS; undefined: it has none. Throws ERR_USAGE for files without TLS. */
export function tlsByScheme(
  options: OptionsOf<typeof connectionOptions>,
  destination: Destination,
  tlsScheme: string,
): TlsSettings | undefined {
  const files = readTls(options, destination);
  if (options.tls) return files ?? {};
  mustNotHaveTls(files, destination.scheme, `use ${tlsScheme}://, in code \`tls: true\``);
  return undefined;
}

/** Throws ERR_USAGE for TLS options of a connection without TLS. `instead`: how the address asks for TLS. */
export function mustNotHaveTls(files: TlsFiles | undefined, scheme: string, instead: string): void {
  if (files === undefined) return;
  throw usageError(`${scheme}: ca, cert and certkey need a connection with TLS: ${instead}`);
}

/** Reads the files, and hides the key. Rejects with ERR_SINK, which names the option and the file. */
export async function loadTls(files: TlsSettings, sink: string): Promise<LoadedTls> {
  const { ca, cert, certkey, hide } = files;
  const [loadedCa, loadedCert, key] = await Promise.all([
    ca === undefined ? undefined : pemOf('ca', ca, sink),
    cert === undefined ? undefined : pemOf('cert', cert, sink),
    certkey === undefined ? undefined : pemOf('certkey', certkey, sink),
  ]);
  if (key !== undefined) hide?.(key);
  return {
    ...(loadedCa === undefined ? {} : { ca: loadedCa }),
    ...(loadedCert === undefined ? {} : { cert: loadedCert }),
    ...(key === undefined ? {} : { key }),
  };
}

async function pemOf(option: string, value: string, sink: string): Promise<string> {
  if (isPem(value)) return value;
  const text = await readFile(value, 'utf8').catch((thrown: unknown) => {
    const message = `${sink}: cannot read ${option} "${value}": ${describeSystemError(thrown)}`;
    throw new ExtractError('ERR_SINK', message, { cause: thrown });
  });
  if (isPem(text)) return text;
  throw new ExtractError('ERR_SINK', `${sink}: ${option} "${value}" is not PEM: it has no line with -----BEGIN`);
}

const untrusted = new Set([
  'CERT_UNTRUSTED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** What a failed handshake means, in words; undefined: the error is not about TLS. */
export function tlsReason(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error)) return undefined;
  const code = 'code' in thrown ? String(thrown.code) : '';
  if (untrusted.has(code)) {
    return `the authority of its certificate is not trusted (${thrown.message}): name its file with ca=FILE`;
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return `its certificate is for another host name (${thrown.message})`;
  if (code === 'CERT_HAS_EXPIRED') return `its certificate has expired (${thrown.message})`;
  if (/certificate required|handshake failure/i.test(thrown.message)) {
    return `it requires another certificate of the client (${thrown.message}): check cert and certkey`;
  }
  if (/wrong version number|packet length too long/i.test(thrown.message))
    return `it does not speak TLS (${thrown.message})`;
  return thrown.cause === undefined ? undefined : tlsReason(thrown.cause);
}
