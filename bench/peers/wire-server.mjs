// The generated API over plain HTTP and over TLS, its bodies compressed before the first request, so that the server
// is not what is measured: node wire-server.mjs ITEMS PAGES ENCODING [CERT KEY]
//
// The first part of a path is the number of pages that the client reads: `/40/items?page=41` is the empty page.
// `/40/huge?bytes=N` is one page of so many bytes in gzip, which has about a fiftieth of them. Each server has the same
// bodies whatever the client asks for. Sends `{ http, https }`, its origins, to its parent, and ends with it.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import * as zlib from 'node:zlib';
import { createGeneratedApi } from '../../src/tools/bench/generated-api.js';
import { defaultShape } from '../../src/tools/bench/shape.js';

const [items, pages, encoding, certFile, keyFile] = process.argv.slice(2);
const brotli = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4 } };
const encoders = {
  identity: (body) => body,
  gzip: (body) => zlib.gzipSync(body, { level: 4 }),
  br: (body) => zlib.brotliCompressSync(body, brotli),
};

// One page more than any client reads, so that no page says that it is the last.
const api = createGeneratedApi({ ...defaultShape, items: Number(items), pages: Number(pages) + 1 });
const encode = encoders[encoding];
const bodies = Array.from({ length: Number(pages) }, (_, at) => encode(api.answer(`/items?page=${at + 1}`).body));
const empty = encode(Buffer.from('{"meta":{"page":0,"next":null},"data":[]}'));
const headers = {
  'content-type': 'application/json',
  ...(encoding === 'identity' ? {} : { 'content-encoding': encoding }),
};

/** Items that differ in a few bytes, as one list, some hundred kilobytes at a time. */
function* hugePage(bytes) {
  const item = (id) =>
    JSON.stringify({ id, note: 'The same words, as many APIs send them with each item. '.repeat(6) });
  yield '{"data":[';
  for (let [sent, id] = [0, 1]; sent < bytes; id += 1000) {
    const items = Array.from({ length: 1000 }, (_, at) => item(id + at)).join(',');
    yield sent === 0 ? items : `,${items}`;
    sent += items.length;
  }
  yield ']}';
}

function answer(request, response) {
  const { pathname, searchParams } = new URL(request.url, 'http://localhost');
  if (pathname.endsWith('/huge')) {
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
    // A client that has left is no failure of the server.
    pipeline(Readable.from(hugePage(Number(searchParams.get('bytes')))), zlib.createGzip(), response).catch(() => {});
    return;
  }
  const last = Number(pathname.split('/')[1]);
  const page = Number(searchParams.get('cursor') ?? searchParams.get('page') ?? 1);
  const body = page > last ? empty : bodies[page - 1];
  response.writeHead(200, { ...headers, 'content-length': body.length });
  response.end(body);
}

async function listen(server) {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `127.0.0.1:${server.address().port}`;
}

const origins = { http: `http://${await listen(http.createServer(answer))}` };
if (certFile !== undefined) {
  const tls = { cert: readFileSync(certFile), key: readFileSync(keyFile) };
  origins.https = `https://${await listen(https.createServer(tls, answer))}`;
}
process.send(origins);
process.on('disconnect', () => process.exit(0));
