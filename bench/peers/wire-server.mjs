// The generated API over plain HTTP and over TLS, its bodies compressed before the first request, so that the server
// is not what is measured: node wire-server.mjs ITEMS PAGES ENCODING CERT KEY
//
// The first part of a path is the number of pages that the client reads: `/40/items?page=41` is the empty page. Each
// server has the same bodies whatever the client asks for. Sends `{ http, https }`, its origins, to its parent, and
// ends with it.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
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

function answer(request, response) {
  const { pathname, searchParams } = new URL(request.url, 'http://localhost');
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

const tls = { cert: readFileSync(certFile), key: readFileSync(keyFile) };
const plain = await listen(http.createServer(answer));
const secure = await listen(https.createServer(tls, answer));
process.send({ http: `http://${plain}`, https: `https://${secure}` });
process.on('disconnect', () => process.exit(0));
