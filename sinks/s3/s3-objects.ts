/** The requests for objects and their multipart uploads. Each rejects with ERR_SINK, or ERR_ABORTED. */
import { bodyOf, type S3Body, type S3Client } from './s3-client.js';
import { isAnswer, S3Error } from './s3-errors.js';
import { elementsIn, textIn, xmlText } from './xml.js';

/** The headers of an object: its type, and the run that wrote it. */
export type ObjectHeaders = Readonly<Record<string, string>>;

/** A part that the object store has. */
export interface StoredPart {
  readonly number: number;
  /** With its quotes, as answered. */
  readonly etag: string;
  /** In bytes. */
  readonly size: number;
}

/** An object that is there. */
export interface StoredObject {
  /** It has no bytes, or a run without items wrote it. */
  readonly isEmpty: boolean;
  /** The name of the run that wrote it. */
  readonly run: string | undefined;
}

export interface S3Objects {
  /** Resolves to the id of a new upload. */
  begin(key: string, headers: ObjectHeaders): Promise<string>;
  /** Resolves to the ETag of the part. */
  sendPart(part: PartPlace, body: S3Body, signal: AbortSignal): Promise<string>;
  parts(key: string, upload: string): Promise<readonly StoredPart[]>;
  /** Makes the object of the parts, in their order. */
  complete(key: string, upload: string, parts: readonly Pick<StoredPart, 'number' | 'etag'>[]): Promise<void>;
  /** Drops an upload and its parts, in one attempt. One that does not exist is dropped already. */
  drop(key: string, upload: string): Promise<void>;
  /** Drops the uploads of the key that began before that time in epoch ms, if the access key may list them. */
  dropOlder(key: string, before: number): Promise<void>;
  put(key: string, headers: ObjectHeaders, body: S3Body): Promise<void>;
  /** Undefined: there is no object. */
  head(key: string): Promise<StoredObject | undefined>;
}

export interface PartPlace {
  readonly key: string;
  readonly upload: string;
  readonly number: number;
}

/** The name of the run in the metadata of an object. */
export const runHeader = 'x-amz-meta-rxtract-run';

/** In the metadata of an object without items. */
export const emptyHeader = 'x-amz-meta-rxtract-empty';

/** Lends the requests of a client. */
export function createS3Objects(client: S3Client): S3Objects {
  return {
    begin: (key, headers) => begin(client, key, headers),
    async sendPart({ key, upload, number }, body, signal) {
      const query = { partNumber: String(number), uploadId: upload };
      const action = `upload part ${number} of "${key}"`;
      const { headers } = await client.send({ action, method: 'PUT', key, query, body }, signal);
      return String(headers.etag);
    },
    parts: (key, upload) => partsOf(client, key, upload),
    async complete(key, upload, parts) {
      const list = parts.map(
        ({ number, etag }) => `<Part><PartNumber>${number}</PartNumber><ETag>${xmlText(etag)}</ETag></Part>`,
      );
      const text = `<CompleteMultipartUpload xmlns="${namespace}">${list.join('')}</CompleteMultipartUpload>`;
      const [body, query] = [bodyOf(Buffer.from(text), client.origin), { uploadId: upload }];
      const headers = { 'content-type': 'application/xml' };
      await client.send({ action: `complete "${key}"`, method: 'POST', key, query, headers, body });
    },
    drop: (key, upload) => drop(client, key, upload),
    dropOlder: (key, before) => dropOlder(client, key, before),
    async put(key, headers, body) {
      await client.send({ action: `upload "${key}"`, method: 'PUT', key, headers, body });
    },
    head: (key) => head(client, key),
  };
}

const namespace = 'http://s3.amazonaws.com/doc/2006-03-01/';

async function begin(client: S3Client, key: string, headers: ObjectHeaders, isOnce = false): Promise<string> {
  const action = `begin the upload of "${key}"`;
  const { text } = await client.send({ action, method: 'POST', key, query: { uploads: '' }, headers, isOnce });
  const upload = textIn(text, 'UploadId');
  if (upload !== undefined) return upload;
  const remedy = 'Check that the endpoint is that of an object store.';
  throw new S3Error(`s3: cannot ${action}: the answer names no upload`, 'no upload', { isTemporary: false }, remedy);
}

async function drop(client: S3Client, key: string, upload: string): Promise<void> {
  const request = {
    action: `abort the upload of "${key}"`,
    method: 'DELETE',
    key,
    query: { uploadId: upload },
  } as const;
  await client.send({ ...request, isOnce: true }).catch((thrown: unknown) => {
    if (!isAnswer(thrown, 'NoSuchUpload', '404')) throw thrown;
  });
}

/**
 * Begins an upload below the prefix and drops it, in one attempt each: nothing becomes visible. Rejects with ERR_SINK
 * for what would stop a run: the bucket, the keys, the region, a missing right.
 */
export async function checkWriting(client: S3Client, key: string): Promise<void> {
  const upload = await begin(client, key, {}, true);
  await drop(client, key, upload).catch(() => {}); // the right to abort is not needed for a run that succeeds
}

async function partsOf(client: S3Client, key: string, upload: string): Promise<readonly StoredPart[]> {
  const parts: StoredPart[] = [];
  for (let marker = ''; ; ) {
    const query = { uploadId: upload, ...(marker === '' ? {} : { 'part-number-marker': marker }) };
    const { text } = await client.send({ action: `list the parts of "${key}"`, method: 'GET', key, query });
    for (const part of elementsIn(text, 'Part')) {
      const [number, size] = [Number(textIn(part, 'PartNumber')), Number(textIn(part, 'Size'))];
      parts.push({ number, size, etag: textIn(part, 'ETag') ?? '' });
    }
    const next = textIn(text, 'NextPartNumberMarker') ?? '';
    if (textIn(text, 'IsTruncated') !== 'true' || next === marker) return parts;
    marker = next;
  }
}

/** Only the first answer is read: a prefix that is a whole key has few uploads. */
async function dropOlder(client: S3Client, key: string, before: number): Promise<void> {
  const request = {
    action: `list the uploads of "${key}"`,
    method: 'GET',
    query: { prefix: key, uploads: '' },
  } as const;
  const answer = await client.send({ ...request, isOnce: true }).catch(() => undefined);
  for (const upload of elementsIn(answer?.text ?? '', 'Upload')) {
    const began = Date.parse(textIn(upload, 'Initiated') ?? '');
    if (textIn(upload, 'Key') !== key || !(began < before)) continue;
    await drop(client, key, textIn(upload, 'UploadId') ?? '').catch(() => {});
  }
}

async function head(client: S3Client, key: string): Promise<StoredObject | undefined> {
  try {
    const { headers } = await client.send({ action: `read the size of "${key}"`, method: 'HEAD', key });
    const run = headers[runHeader];
    const isEmpty = headers['content-length'] === '0' || headers[emptyHeader] === 'true';
    return { isEmpty, run: typeof run === 'string' ? run : undefined };
  } catch (thrown) {
    if (isAnswer(thrown, '404', 'NoSuchKey')) return undefined;
    // Without the right to list, an object that is not there is "denied" too.
    if (isAnswer(thrown, '403', 'AccessDenied')) return { isEmpty: false, run: undefined };
    throw thrown;
  }
}
