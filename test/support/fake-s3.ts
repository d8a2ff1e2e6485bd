/** An object store in memory for tests: it verifies digests and sizes of parts, and fails as a test decides. */
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Pair } from '../loopback/certificates.js';
import { serveObject } from './fake-objects.js';

/** A request to the store. */
export interface S3Call {
  readonly method: string;
  /** The bucket and the key, decoded. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** What the store answers instead. `hangUp`: nothing; `late`: after the request has had its effect. */
export interface S3Fault {
  readonly status?: number;
  readonly code?: string;
  readonly message?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** More elements of the body. */
  readonly more?: string;
  readonly hangUp?: boolean;
  readonly late?: boolean;
}

interface StoredUpload {
  readonly key: string;
  readonly headers: IncomingHttpHeaders;
  readonly parts: Map<number, Buffer>;
  readonly initiated: string;
}

export interface FakeS3 {
  readonly origin: string;
  /** The requests, as `PUT lake/raw/users.ndjson?partNumber=1&uploadId=`. */
  readonly calls: string[];
  readonly requests: S3Call[];
  readonly objects: Map<string, { readonly bytes: Buffer; readonly headers: IncomingHttpHeaders }>;
  readonly uploads: Map<string, StoredUpload>;
  /** Conditional headers, in lower case, that it ignores as older stores do. */
  readonly ignored: Set<string>;
  /** Called with each request. */
  fault: (call: S3Call) => S3Fault | undefined;
  text(path: string): string | undefined;
  close(): Promise<void>;
}

const md5 = (bytes: Uint8Array) => createHash('md5').update(bytes);

/** Starts a store with the bucket `lake`; `tls`: the certificate that it shows. */
export async function startFakeS3(tls?: Pair): Promise<FakeS3> {
  const store: FakeS3 = {
    origin: '',
    calls: [],
    requests: [],
    objects: new Map(),
    uploads: new Map(),
    ignored: new Set(),
    fault: () => undefined,
    text: (path) => store.objects.get(path)?.bytes.toString(),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  const onRequest = (request: IncomingMessage, response: ServerResponse) => void answer(store, request, response);
  const server = tls === undefined ? createServer(onRequest) : createTlsServer(tls, onRequest);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return Object.assign(store, { origin: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}` });
}

async function answer(store: FakeS3, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const call = await read(request);
  if (call === undefined) return;
  store.calls.push(named(call));
  store.requests.push(call);
  const fault = store.fault(call);
  if (fault?.hangUp === true && fault.late !== true) return void request.socket.destroy();
  const reply = fault === undefined || fault.late === true ? serve(store, call) : undefined;
  if (fault?.hangUp === true) return void request.socket.destroy();
  if (fault !== undefined) return send(response, fault.status ?? 400, errorText(fault), fault.headers);
  send(response, reply?.status ?? 200, reply?.text ?? '', reply?.headers);
}

async function read(request: IncomingMessage): Promise<S3Call | undefined> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk);
  } catch {
    return undefined; // the client has left
  }
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://x');
  const path = decodeURIComponent(pathname).slice(1);
  const { method = '', headers } = request;
  return { method, path, query: searchParams, headers, body: Buffer.concat(chunks) };
}

const named = ({ method, path, query }: S3Call) =>
  `${method} ${path}${query.size === 0 ? '' : `?${[...query].map(([name, value]) => (name === 'uploadId' ? name : `${name}=${value}`)).join('&')}`}`;

function errorText({ code, message = '', more = '' }: S3Fault): string {
  return code === undefined ? '' : `<Error><Code>${code}</Code><Message>${message}</Message>${more}</Error>`;
}

/** A response of the store. */
export interface Reply {
  readonly status?: number;
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export const refusal = (status: number, code: string): Reply => ({ status, text: errorText({ code }) });

function serve(store: FakeS3, call: S3Call): Reply {
  const { method, path, query, headers, body } = call;
  if (!headers.authorization?.startsWith('AWS4-HMAC-SHA256 Credential=KEY/')) return refusal(403, 'InvalidAccessKeyId');
  if (!/^lake(\/|$)/.test(path)) return refusal(404, 'NoSuchBucket');
  if (headers['content-md5'] !== undefined && headers['content-md5'] !== md5(body).digest('base64')) {
    return refusal(400, 'BadDigest');
  }
  const isTls = store.origin.startsWith('https:');
  const signed = isTls ? 'UNSIGNED-PAYLOAD' : createHash('sha256').update(body).digest('hex');
  if (headers['x-amz-content-sha256'] !== signed) return refusal(400, 'XAmzContentSHA256Mismatch');
  if (isTls && body.length > 0 && headers['content-md5'] === undefined) return refusal(400, 'MissingContentMD5');
  const id = query.get('uploadId');
  if (id !== null) return serveUpload(store, call, id);
  if (method === 'POST') return begin(store, call);
  if (query.has('uploads')) return list(store, query.get('prefix') ?? '');
  return method === 'HEAD' ? head(store, path) : serveObject(store, call);
}

function begin({ uploads }: FakeS3, { path, headers }: S3Call): Reply {
  const id = randomUUID();
  uploads.set(id, { key: path, headers, parts: new Map(), initiated: new Date().toISOString() });
  return { text: `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>` };
}

function head({ objects }: FakeS3, path: string): Reply {
  const object = objects.get(path);
  if (object === undefined) return { status: 404 };
  const metadata = Object.entries(object.headers).filter(([name]) => name.startsWith('x-amz-meta-'));
  const own = Object.fromEntries(metadata.map(([name, value]) => [name, String(value)]));
  return { headers: { 'content-length': String(object.bytes.length), ...own } };
}

function list({ uploads }: FakeS3, prefix: string): Reply {
  const found = [...uploads].filter(([, { key }]) => key.startsWith(`lake/${prefix}`));
  const texts = found.map(
    ([id, { key, initiated }]) =>
      `<Upload><Key>${key.slice('lake/'.length)}</Key><UploadId>${id}</UploadId><Initiated>${initiated}</Initiated></Upload>`,
  );
  return { text: `<ListMultipartUploadsResult>${texts.join('')}</ListMultipartUploadsResult>` };
}

function serveUpload(store: FakeS3, call: S3Call, id: string): Reply {
  const { method, path, query, body } = call;
  const upload = store.uploads.get(id);
  if (upload === undefined || upload.key !== path) return refusal(404, 'NoSuchUpload');
  if (method === 'PUT') {
    upload.parts.set(Number(query.get('partNumber')), body);
    return { headers: { etag: `"${md5(body).digest('hex')}"` } };
  }
  if (method === 'DELETE') {
    store.uploads.delete(id);
    return { status: 204 };
  }
  return method === 'POST' ? complete(store, upload, id, body.toString()) : partsOf(upload, query);
}

/** Two parts an answer, so that there are several. */
function partsOf({ parts }: StoredUpload, query: URLSearchParams): Reply {
  const after = Number(query.get('part-number-marker') ?? '0');
  const left = [...parts].filter(([number]) => number > after).sort(([one], [other]) => one - other);
  const shown = left.slice(0, 2);
  const texts = shown.map(
    ([number, bytes]) =>
      `<Part><PartNumber>${number}</PartNumber><ETag>&quot;${md5(bytes).digest('hex')}&quot;</ETag><Size>${bytes.length}</Size></Part>`,
  );
  const end = `<IsTruncated>${left.length > 2}</IsTruncated><NextPartNumberMarker>${shown.at(-1)?.[0] ?? 0}</NextPartNumberMarker>`;
  return { text: `<ListPartsResult>${texts.join('')}${end}</ListPartsResult>` };
}

function complete(store: FakeS3, upload: StoredUpload, id: string, text: string): Reply {
  const listed = [...text.matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>([^<]*)<\/ETag>/g)];
  const parts: Buffer[] = [];
  for (const [, number, etag = ''] of listed) {
    const part = upload.parts.get(Number(number));
    if (part === undefined || etag !== `"${md5(part).digest('hex')}"`) return refusal(400, 'InvalidPart');
    parts.push(part);
  }
  store.objects.set(upload.key, { bytes: Buffer.concat(parts), headers: upload.headers });
  store.uploads.delete(id);
  return { text: '<CompleteMultipartUploadResult><ETag>x</ETag></CompleteMultipartUploadResult>' };
}

function send(
  response: ServerResponse,
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, headers);
  response.end(text);
}
