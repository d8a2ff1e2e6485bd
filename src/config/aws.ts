/**
 * `aws.signature.credentials`: the keys that sign every request. docs/01-configuration.md#requests-to-aws;
 * `#sessionToken` is an addition to Generic Extractor.
 */

import type { Exact } from '../core/json/exact.js';
import { defined } from '../core/util/defined.js';
import type { ConfigPath } from '../language/config-path.js';
import { nonEmptyString } from '../language/fields.js';
import { objectWith } from '../language/object-fields.js';
import { isPhpEmpty, readObject, readSection } from '../language/read.js';
import type { Fields } from '../language/types.js';

interface AwsCredentialMembers {
  readonly accessKeyId: string;
  readonly '#secretKey': string;
  readonly serviceName: string;
  readonly regionName: string;
  readonly '#sessionToken'?: string;
}

/** The keys of `aws.signature.credentials`. */
export const awsCredentialFields: Fields<AwsCredentialMembers> = {
  accessKeyId: { type: nonEmptyString, required: true, summary: 'the id of the access key' },
  '#secretKey': { type: nonEmptyString, required: true, summary: 'the secret key' },
  serviceName: { type: nonEmptyString, required: true, summary: 'the service: `execute-api`, `s3`, `es`' },
  regionName: { type: nonEmptyString, required: true, summary: 'the region of the service: `eu-central-1`' },
  '#sessionToken': {
    type: nonEmptyString,
    otherwise: 'the key is a long-term key',
    summary: 'the session token of temporary credentials',
  },
};

interface SignatureMembers {
  readonly credentials?: AwsCredentialMembers;
}

const signatureFields: Fields<SignatureMembers> = {
  credentials: {
    type: objectWith(awsCredentialFields),
    emptyIsAbsent: true,
    summary: 'the access key, and the service that it signs for',
  },
};

export interface AwsMembers {
  readonly signature?: SignatureMembers;
}

/** The keys of `aws`. */
export const awsFields: Fields<AwsMembers> = {
  signature: { type: objectWith(signatureFields), emptyIsAbsent: true, summary: 'the settings of Signature Version 4' },
};

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
