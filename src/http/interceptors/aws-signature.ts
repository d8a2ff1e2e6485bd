/**
 * AWS Signature Version 4: the last step of every request signs the final address, headers and body.
 * docs/01-configuration.md#requests-to-aws.
 */
import { createRequire } from 'node:module';
import { asyncScheduler } from 'rxjs';
import type { AwsCredentials } from '../../config/aws.js';
import { ExtractError } from '../../core/errors/errors.js';
import { emptyObject } from '../../core/json/exact.js';
import type { Headers, HttpRequest } from '../../core/model/request.js';
import type { Secrets } from '../../core/model/secrets.js';
import { headerValues, withHeader, withoutHeader } from '../../core/url/headers.js';
import { mergeQuery } from '../../core/url/query-string.js';
import { splitUrl } from '../../core/url/url.js';

/** Signs a request that is otherwise complete, with the time of `asyncScheduler`. Throws ERR_REQUEST. */
export type SignRequest = (request: HttpRequest) => HttpRequest;

/** The part of the library that is used. */
interface Aws4 {
  sign(request: Signing, credentials: Aws4Credentials): { readonly headers: Readonly<Record<string, string>> };
}

interface Signing {
  readonly service: string;
  readonly region: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly extraHeadersToIgnore: Readonly<Record<string, true>>;
}

interface Aws4Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** Loads the library with the first signed request: few configurations sign requests. */
const aws4 = () => createRequire(import.meta.url)('aws4') as Aws4; // `require` has no types

/** The headers that a signature adds; S3 also requires the digest of the body. */
const added = ['X-Amz-Date', 'X-Amz-Security-Token', 'X-Amz-Content-Sha256', 'Authorization'];

/**
 * Creates the signer. It rewrites the query by RFC 3986, since services read `+` differently, and replaces any
 * `Authorization`. It signs every header except those that change on the way, such as `User-Agent`.
 */
export function createAwsSigner(credentials: AwsCredentials, secrets: Pick<Secrets, 'add'>): SignRequest {
  const { secretKey, sessionToken, ...named } = credentials;
  const keys: Aws4Credentials = {
    accessKeyId: named.accessKeyId,
    secretAccessKey: secretKey,
    ...(sessionToken === undefined ? {} : { sessionToken }),
  };

  return (request) => {
    const url = mergeQuery(request.url, emptyObject);
    const headers = unsigned(request.headers, sessionToken);
    const signing = toSign({ ...request, url, headers }, named);
    const signed = readable(() => aws4().sign(signing, keys)).headers;
    secrets.add(signatureOf(signed), 'request');
    const laid = added.reduce((so, name) => {
      const value = signed[name];
      return value === undefined ? so : withHeader(so, name, value);
    }, headers);
    return { ...request, url, headers: laid };
  };
}

/** Removes the headers that the signature sets, so that no old time or signature remains beside the new one. */
function unsigned(headers: Headers, sessionToken: string | undefined): Headers {
  const replaced = ['Authorization', 'X-Amz-Date', ...(sessionToken === undefined ? [] : ['X-Amz-Security-Token'])];
  return replaced.reduce(withoutHeader, headers);
}

function toSign(
  { method, url, headers, body }: HttpRequest,
  { serviceName, regionName }: Pick<AwsCredentials, 'serviceName' | 'regionName'>,
): Signing {
  const { origin, target } = splitUrl(url);
  const names = new Set([...headers.keys()].map((name) => name.toLowerCase()));
  const lines = [...names].map((name) => [name, headerValues(headers, name).map(oneLine).join(',')] as const);
  return {
    service: serviceName,
    region: regionName,
    method,
    path: target,
    headers: {
      host: origin.slice(origin.indexOf('//') + 2),
      ...Object.fromEntries(lines),
      'X-Amz-Date': amzDate(asyncScheduler.now()),
    },
    ...(body === undefined ? {} : { body }),
    // The connection sets this header, and a proxy may change it.
    extraHeadersToIgnore: { 'content-length': true },
  };
}

/** The header value that is signed: surrounding white space is not significant. */
const oneLine = (value: string): string => value.trim();

/** `20150830T123600Z` */
const amzDate = (ms: number): string => new Date(ms).toISOString().replace(/[:-]|\.\d{3}/g, '');

const signatureOf = ({ Authorization = '' }: Readonly<Record<string, string>>): string =>
  Authorization.slice(Authorization.lastIndexOf('=') + 1);

/** Turns a decoding failure into an error: aws4 decodes an S3 path before signing, and some bytes are not text. */
function readable<T>(sign: () => T): T {
  try {
    return sign();
  } catch (thrown) {
    if (!(thrown instanceof URIError)) throw thrown;
    throw new ExtractError('ERR_REQUEST', 'the path of the URL is not UTF-8, so it cannot be signed for S3', {
      cause: thrown,
    });
  }
}
