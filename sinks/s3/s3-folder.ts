/** The objects below a prefix of a bucket: read, written, listed and removed. */
import { bodyOf, type S3Client, type S3Response } from './s3-client.js';
import { isAnswer } from './s3-errors.js';
import { elementsIn, textIn } from './xml.js';

export interface ObjectText extends S3Response {
  readonly etag: string;
}

/** Names are without the prefix. Each call rejects with S3Error, or another ERR_SINK. */
export interface S3Folder {
  /** Undefined: there is no such object. */
  get(name: string): Promise<ObjectText | undefined>;
  /** Resolves to the ETag. `headers`: under which conditions. */
  put(name: string, bytes: Uint8Array, headers?: Readonly<Record<string, string>>): Promise<string>;
  /** The names that begin so. */
  names(start: string): Promise<readonly string[]>;
  /** One that does not exist is removed already. */
  remove(name: string): Promise<void>;
}

export function createS3Folder(client: S3Client, prefix: string): S3Folder {
  const keyOf = (name: string) => `${prefix}${name}`;
  const get: S3Folder['get'] = async (name) => {
    const key = keyOf(name);
    try {
      const { text, headers } = await client.send({ action: `read "${key}"`, method: 'GET', key, isObject: true });
      return { text, headers, etag: String(headers.etag) };
    } catch (thrown) {
      if (isAnswer(thrown, 'NoSuchKey', '404')) return undefined;
      throw thrown;
    }
  };
  return {
    get,
    async put(name, bytes, headers = {}) {
      const key = keyOf(name);
      const sent = await client.send({
        action: `write "${key}"`,
        method: 'PUT',
        key,
        headers: { 'content-type': 'application/octet-stream', ...headers },
        body: bodyOf(bytes, client.origin),
      });
      return String(sent.headers.etag);
    },
    async names(start) {
      const names: string[] = [];
      for (let next: string | undefined = ''; next !== undefined; ) {
        const query = {
          'list-type': '2',
          prefix: keyOf(start),
          ...(next === '' ? {} : { 'continuation-token': next }),
        };
        const { text } = await client.send({ action: `list "${keyOf(start)}"`, method: 'GET', query });
        const keys = elementsIn(text, 'Contents').map((each) => textIn(each, 'Key') ?? '');
        names.push(...keys.map((key) => key.slice(prefix.length)));
        next = textIn(text, 'IsTruncated') === 'true' ? textIn(text, 'NextContinuationToken') : undefined;
      }
      return names;
    },
    async remove(name) {
      const key = keyOf(name);
      await client.send({ action: `remove "${key}"`, method: 'DELETE', key });
    },
  };
}
