/**
 * `api.caCertificate` and `api.#clientCertificate`: whom TLS trusts, and as whom it connects; checked as far as
 * possible before a request. docs/01-configuration.md#certificates.
 */
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import type { ExactObject } from '../core/json/exact.js';
import type { OptionRows } from '../core/options/kind.js';
import { text } from '../core/options/kinds.js';
import type { ConfigPath } from '../language/config-path.js';
import { readValue } from '../language/read.js';
import type { Tls } from './config.js';

/** The keys of `api` about certificates. */
export const certificateFields = {
  caCertificate: {
    kind: text,
    otherwise: 'the authorities that Node trusts',
    mayChangeOnResume: true,
    summary: 'the certificate authorities to trust (PEM, one after the other); replaces the default list',
  },
  '#clientCertificate': {
    kind: text,
    otherwise: 'none',
    summary: 'the client certificate (PEM), followed by its private key',
  },
} satisfies OptionRows;

/** Returns `undefined` if there are none, or if one does not fit, after reporting it to `place`. */
export function readTls(place: ConfigPath, api: ExactObject): Tls | undefined {
  const ca = readMember(place, api, 'caCertificate', readAuthorities);
  const client = readMember(place, api, '#clientCertificate', readClient);
  const first = ca ?? client;
  return first === undefined ? undefined : { pem: { ...ca?.value, ...client?.value }, path: first.path };
}

function readMember<T>(
  api: ConfigPath,
  section: ExactObject,
  key: keyof typeof certificateFields,
  reader: (place: ConfigPath, pem: string) => T | undefined,
) {
  const place = api.at(key);
  const pem = readValue(place, section.get(key) ?? '', text);
  const value = pem === undefined || pem === '' ? undefined : reader(place, pem);
  return value === undefined ? undefined : { value, path: place.path };
}

function readAuthorities(place: ConfigPath, pem: string): { readonly ca: string } | undefined {
  return certificatesIn(place, pem).length === 0 ? undefined : { ca: pem };
}

function readClient(place: ConfigPath, pem: string): { readonly cert: string; readonly key: string } | undefined {
  const [first] = certificatesIn(place, pem);
  if (first === undefined) return undefined;
  const [key, ...others] = blocks(pem, '[A-Z ]*PRIVATE KEY');
  if (key === undefined || others.length > 0) {
    place.problem('expected one private key (PEM) after the certificate');
    return undefined;
  }
  const read = privateKey(key);
  if (read === undefined)
    place.problem('contains a private key that cannot be read; a key with a passphrase is not supported');
  else if (!first.checkPrivateKey(read))
    place.problem('contains a private key that does not belong to the certificate');
  else return { cert: blocks(pem, 'CERTIFICATE').join('\n'), key };
  return undefined;
}

/** Returns an empty list if there is no certificate, or an unreadable one, after reporting it to `place`. */
function certificatesIn(place: ConfigPath, pem: string): readonly X509Certificate[] {
  const pems = blocks(pem, 'CERTIFICATE');
  const read = pems.map(certificate).filter((each) => each !== undefined);
  if (pems.length === 0) place.problem('expected certificates as PEM (-----BEGIN CERTIFICATE-----)');
  else if (read.length < pems.length) place.problem('contains a certificate that cannot be read');
  else return read;
  return [];
}

/** The blocks of one label, in order. RFC 7468. */
const blocks = (pem: string, label: string): readonly string[] =>
  pem.match(new RegExp(`-----BEGIN (${label})-----[^-]*-----END \\1-----`, 'g')) ?? [];

// OpenSSL's message about a broken block does not help users, so it is dropped.
const orNothing = <T>(read: () => T): T | undefined => {
  try {
    return read();
  } catch {
    return undefined;
  }
};

const certificate = (pem: string): X509Certificate | undefined => orNothing(() => new X509Certificate(pem));
const privateKey = (pem: string): KeyObject | undefined => orNothing(() => createPrivateKey(pem));
