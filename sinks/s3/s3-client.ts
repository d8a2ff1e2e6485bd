/** Sends signed requests to an object store, again if that may help: aws4 signs, undici sends. */
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { ExtractError } from '../../src/core/errors/errors.js';
import { describeSystemError } from '../../src/core/errors/system-error.js';
import { rawEncode } from '../../src/core/url/percent.js';
import { defined } from '../../src/core/util/defined.js';
import { digestOf } from '../../src/core/util/digest.js';
import { version } from '../../src/core/util/version.js';
import type { SinkAddress } from '../addresses/address.js';
import { orAborted, refused, throwIfAborted } from '../errors.js';
import { createHttpAgent, type HttpAgent } from '../servers/http-agent.js';
import { repeated } from '../servers/reconnect.js';
import { type TlsSettings, tlsReason } from '../servers/tls.js';
import { type BucketPlace, S3Error, s3Error } from './s3-errors.js';
import { textIn } from './xml.js';

export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

/** A bucket, and how to reach it. */
export interface S3Bucket extends BucketPlace {
  /** Before the key, such as `/bucket`; percent-encoded. Empty: the bucket is in the host name. */
  readonly basePath: string;
  /** Absent: requests fail with the remedy. */
  readonly credentials: S3Credentials | undefined;
  readonly tls?: TlsSettings | undefined;
  readonly excerpt: SinkAddress['excerpt'];
}

/** Characters of what the store says. */
const mostShown = 300;

/** A body whose digests are known before it is sent, perhaps more than once. */
export interface S3Body {
  /** In bytes. */
  readonly length: number;
  /** With TLS its MD5 in base64, else its SHA-256 in hexadecimal digits. */
  readonly digest: string;
  /** The bytes, from the beginning. */
  readonly content: () => Uint8Array | AsyncIterable<Uint8Array>;
}

export interface S3Request {
  /** For messages, such as `upload part 3 of "users.ndjson"`. */
  readonly action: string;
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** Absent: the bucket. */
  readonly key?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: S3Body;
  /** Sent once, without waiting for a server that does not answer. */
  readonly isOnce?: boolean;
  /** The response has the bytes of an object, which may look like an error. */
  readonly isObject?: boolean;
}

export interface S3Response {
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

export interface S3Client {
  /** Scheme, host and port. */
  readonly origin: string;
  /**
   * Resolves to the response with a status 2xx. Failed connections and answers that ask for another attempt are tried
   * again for a minute, after `Retry-After`. Rejects with S3Error, another ERR_SINK, or ERR_ABORTED.
   */
  send(request: S3Request, signal?: AbortSignal): Promise<S3Response>;
  close(): void;
}

/** The part of the library that is used. */
interface Aws4 {
  sign(request: object, credentials: object): { readonly headers: Readonly<Record<string, string>> };
}

/** Loads the library with the first request. */
const aws4 = () => createRequire(import.meta.url)('aws4') as Aws4; // `require` has no types

/** Opens no connection before the first request. `wait` replaces the timer between attempts. */
export function createS3Client(bucket: S3Bucket, wait?: (ms: number) => Promise<unknown>): S3Client {
  const agent = createHttpAgent(bucket.tls, 's3');
  return {
    origin: bucket.origin,
    async send(request, signal) {
      if (signal !== undefined) throwIfAborted(signal);
      const attempt = () => sendOnce(agent, bucket, request, signal);
      if (request.isOnce === true) return attempt();
      const isTemporary = (thrown: unknown) => thrown instanceof S3Error && thrown.isTemporary;
      const options = {
        isTemporary,
        leastWait: (thrown: unknown) => (thrown instanceof S3Error ? thrown.leastWait : 0),
        ...defined({ signal, wait }),
      };
      const sent = repeated(attempt, options);
      return signal === undefined ? sent : orAborted(sent, signal);
    },
    close: agent.close,
  };
}

async function sendOnce(
  agent: HttpAgent,
  bucket: S3Bucket,
  request: S3Request,
  signal: AbortSignal | undefined,
): Promise<S3Response> {
  const { action, method, body } = request;
  if (bucket.credentials === undefined) throw noCredentials();
  const [connections, { now }] = await Promise.all([agent.open(), import('../servers/clock.js')]);
  const sentAt = now();
  const path = pathOf(bucket, request);
  const headers = signed(bucket, bucket.credentials, { request, path, sentAt });
  try {
    const response = await connections.request({
      origin: bucket.origin,
      path,
      method,
      headers,
      ...(body === undefined ? {} : { body: body.content() as Uint8Array }), // undici takes iterables, its types do not
      ...defined({ signal }),
    });
    const { statusCode: status, headers: answered } = response;
    const text = await response.body.text();
    // The answer to the end of an upload may begin with 200 before its error is known.
    const isObject = request.isObject === true;
    const isError = status < 200 || status > 299 || (!isObject && textIn(text, 'Code') !== undefined);
    if (isError) {
      const detail = await bucket.excerpt(textIn(text, 'Message') ?? '', mostShown);
      throw s3Error(action, bucket, { status: statusOf(status, text), headers: answered, text, detail, sentAt });
    }
    return { headers: answered, text };
  } catch (thrown) {
    throw failureOf(thrown, action, bucket, signal);
  }
}

/** An error with the status 200 counts as one of the server. */
const statusOf = (status: number, text: string): number =>
  status < 300 && textIn(text, 'Code') === 'InternalError' ? 500 : status;

function failureOf(thrown: unknown, action: string, { origin }: BucketPlace, signal: AbortSignal | undefined): unknown {
  if (thrown instanceof ExtractError || signal?.aborted === true) return thrown;
  const wrongTls = tlsReason(thrown);
  if (wrongTls !== undefined) return refused(`${action} at ${origin}`, new Error(wrongTls, { cause: thrown }));
  const message = `s3: cannot ${action}: no answer from ${origin}: ${describeSystemError(thrown)}`;
  const remedy = 'Check the endpoint, and that the server runs.';
  return Object.assign(new S3Error(message, 'no answer', { isTemporary: true }, remedy), { cause: thrown });
}

/** Path and query, each name and value percent-encoded as the signature has it. */
function pathOf({ basePath }: S3Bucket, { key, query = {} }: S3Request): string {
  const path = `${basePath}/${key === undefined ? '' : key.split('/').map(rawEncode).join('/')}`;
  const pairs = Object.entries(query).map(([name, value]) => `${rawEncode(name)}=${rawEncode(value)}`);
  return pairs.length === 0 ? path : `${path}?${pairs.sort().join('&')}`;
}

/** The headers, with the signature. With TLS the body is not part of it: TLS and `Content-MD5` protect it. */
function signed(
  { origin, region }: S3Bucket,
  credentials: S3Credentials,
  { request, path, sentAt }: { readonly request: S3Request; readonly path: string; readonly sentAt: number },
): Record<string, string> {
  const { method, body, headers: given = {} } = request;
  const isTls = origin.startsWith('https:');
  const { sessionToken } = credentials;
  const headers = {
    ...given,
    'user-agent': `rxtract/${version}`,
    'x-amz-date': new Date(sentAt).toISOString().replace(/[:-]|\.\d{3}/g, ''),
    'x-amz-content-sha256': isTls ? 'UNSIGNED-PAYLOAD' : (body?.digest ?? digestOf('')),
    ...(sessionToken === undefined ? {} : { 'x-amz-security-token': sessionToken }),
    ...(body === undefined || !isTls ? {} : { 'content-md5': body.digest }),
  };
  const host = origin.slice(origin.indexOf('//') + 2);
  const signing = { service: 's3', region, method, path, headers: { ...headers, host } };
  const { Authorization = '' } = aws4().sign(signing, credentials).headers;
  return {
    ...headers,
    authorization: Authorization,
    ...(body === undefined ? {} : { 'content-length': String(body.length) }),
  };
}

const noCredentials = () =>
  new ExtractError('ERR_SINK', 's3: there are no credentials', {
    remedy:
      'Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and for temporary credentials AWS_SESSION_TOKEN. `aws configure export-credentials --format env` prints those of a profile or a role.',
  });

/** The algorithm of the digest of a body, and how it is written. */
export const digestFor = (origin: string) =>
  origin.startsWith('https:') ? (['md5', 'base64'] as const) : (['sha256', 'hex'] as const);

/** A body of bytes in memory. */
export function bodyOf(bytes: Uint8Array, origin: string): S3Body {
  const [algorithm, encoding] = digestFor(origin);
  return { length: bytes.length, digest: createHash(algorithm).update(bytes).digest(encoding), content: () => bytes };
}
