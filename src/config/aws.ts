/**
 * `aws.signature.credentials`: the keys that sign every request. docs/01-configuration.md#requests-to-aws;
 * `#sessionToken` is an addition to Generic Extractor.
 */

import type { Exact } from '../core/json/exact.js';
import type { OptionRows } from '../core/options/kind.js';
import { nonEmptyText } from '../core/options/kinds.js';
import { objectOf } from '../core/options/object-kinds.js';
import { defined } from '../core/util/defined.js';
import type { ConfigPath } from '../language/config-path.js';
import { isPhpEmpty, readObject, readSection } from '../language/read.js';

/** The keys of `aws.signature.credentials`. */
export const awsCredentialFields = {
  accessKeyId: { kind: nonEmptyText, required: true, summary: 'the id of the access key' },
  '#secretKey': { kind: nonEmptyText, required: true, summary: 'the secret key' },
  serviceName: { kind: nonEmptyText, required: true, summary: 'the service: `execute-api`, `s3`, `es`' },
  regionName: { kind: nonEmptyText, required: true, summary: 'the region of the service: `eu-central-1`' },
  '#sessionToken': {
    kind: nonEmptyText,
    otherwise: 'the key is a long-term key',
    summary: 'the session token of temporary credentials',
  },
} satisfies OptionRows;

const signatureFields = {
  credentials: {
    kind: objectOf(awsCredentialFields),
    emptyIsAbsent: true,
    summary: 'the access key, and the service that it signs for',
  },
} satisfies OptionRows;

/** The keys of `aws`. */
export const awsFields = {
  signature: { kind: objectOf(signatureFields), emptyIsAbsent: true, summary: 'the settings of Signature Version 4' },
} satisfies OptionRows;

/**
 * Returns `undefined` if there are none, or if something does not fit, after reporting it to `place`.
 * docs/01-configuration.md#requests-to-aws.
 */
export function readAws(place: ConfigPath, value: Exact = null): AwsCredentials | undefined {
  const signature = inner(place, value, 'signature');
  const credentials = inner(place.at('signature'), signature, 'credentials');
  if (isPhpEmpty(credentials)) return undefined;
  const members = readObject(place.at('signature', 'credentials'), credentials, awsCredentialFields);
  if (members === undefined) return undefined;
  const { '#secretKey': secretKey, '#sessionToken': sessionToken, ...named } = members;
  return { ...named, secretKey, ...defined({ sessionToken }) };
}

/** Returns the value of the only key of an object. */
function inner(place: ConfigPath, value: Exact, key: string): Exact {
  if (isPhpEmpty(value)) return null;
  return readSection(place, value, { besides: [key] })?.get(key) ?? null;
}

/** The signer, and what is signed. `sessionToken` belongs to a temporary key. */
export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretKey: string;
  readonly sessionToken?: string;
  readonly serviceName: string;
  readonly regionName: string;
}
