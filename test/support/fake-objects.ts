/** Objects of the store in memory: written under conditions, read, listed two at a time, and removed. */
import { createHash } from 'node:crypto';
import { type FakeS3, type Reply, refusal, type S3Call } from './fake-s3.js';

export function serveObject(store: FakeS3, call: S3Call): Reply {
  const { method, path, query, headers, body } = call;
  if (method === 'PUT') {
    if (!isAllowed(store, call)) return refusal(412, 'PreconditionFailed');
    store.objects.set(path, { bytes: body, headers });
    return { headers: { etag: etagOf(body) } };
  }
  if (method === 'DELETE') {
    store.objects.delete(path);
    return { status: 204 };
  }
  if (query.has('list-type')) return list(store, query);
  const object = store.objects.get(path);
  if (object === undefined) return refusal(404, 'NoSuchKey');
  const metadata = Object.entries(object.headers).filter(([name]) => name.startsWith('x-amz-meta-'));
  return { text: object.bytes.toString(), headers: { ...Object.fromEntries(metadata), etag: etagOf(object.bytes) } };
}

const etagOf = (bytes: Uint8Array): string => `"${createHash('md5').update(bytes).digest('hex')}"`;

function isAllowed({ objects, ignored }: FakeS3, { path, headers }: S3Call): boolean {
  const there = objects.get(path);
  const onlyNew = ignored.has('if-none-match') ? undefined : headers['if-none-match'];
  const onlyThis = ignored.has('if-match') ? undefined : headers['if-match'];
  if (onlyNew === '*' && there !== undefined) return false;
  return onlyThis === undefined || (there !== undefined && onlyThis === etagOf(there.bytes));
}

function list({ objects }: FakeS3, query: URLSearchParams): Reply {
  const [start, after] = [`lake/${query.get('prefix') ?? ''}`, query.get('continuation-token') ?? ''];
  const all = [...objects.keys()].filter((path) => path.startsWith(start) && path > after).sort();
  const shown = all.slice(0, 2);
  const contents = shown.map((path) => `<Contents><Key>${path.slice('lake/'.length)}</Key></Contents>`);
  const more = `<NextContinuationToken>${shown.at(-1)}</NextContinuationToken>`;
  const end = `<IsTruncated>${all.length > 2}</IsTruncated>${all.length > 2 ? more : ''}`;
  return { text: `<ListBucketResult>${contents.join('')}${end}</ListBucketResult>` };
}
