// One API over TLS that speaks HTTP/2 and HTTP/1.1, and is 50 ms away: each byte takes 25 ms in each direction, and a
// connection begins with a round trip of TCP: node http2-server.mjs CERT KEY
//
// `/CODING/ITEMS/items?page=N` is page N of so many items, `/CODING/ITEMS/items/N/notes` one page of ten items; the
// coding is `gzip` or `identity`. Sends its origin to its parent, and ends with it.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import http2 from 'node:http2';
import net from 'node:net';
import { gzipSync } from 'node:zlib';
import { createGeneratedApi } from '../../src/tools/bench/generated-api.js';
import { defaultShape } from '../../src/tools/bench/shape.js';

const [cert, key] = process.argv.slice(2).map((path) => readFileSync(path));
const oneWay = 25;
const bodies = new Map();
const apis = Object.fromEntries(
  [10, 240, 1000].map((items) => [items, createGeneratedApi({ ...defaultShape, items, pages: 1e6 })]),
);

/** The body of a page, compressed once. */
function bodyOf(items, coding, page) {
  const name = `${items} ${coding} ${page}`;
  if (!bodies.has(name)) {
    const { body } = apis[items].answer(`/items?page=${page}`);
    bodies.set(name, coding === 'gzip' ? gzipSync(body, { level: 4 }) : body);
  }
  return bodies.get(name);
}

function answer(request, response) {
  const { pathname, searchParams } = new URL(request.url, 'https://localhost');
  const [, coding, items, , id, note] = pathname.split('/');
  const page = Number(searchParams.get('page') ?? 1);
  const body = note === undefined ? bodyOf(items, coding, page) : bodyOf(10, coding, 1 + (Number(id) % 1000));
  response.writeHead(200, {
    'content-type': 'application/json',
    ...(coding === 'gzip' ? { 'content-encoding': coding } : {}),
    'content-length': body.length,
  });
  response.end(body);
}

/** Passes on what arrives, later. */
function late(from, to, first = 0) {
  let extra = first;
  from.on('data', (chunk) => {
    setTimeout(() => to.write(chunk), oneWay + extra);
    extra = 0;
  });
  from.on('end', () => setTimeout(() => to.end(), oneWay));
  from.on('error', () => to.destroy());
}

async function listen(server) {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server.address().port;
}

const near = await listen(http2.createSecureServer({ cert, key, allowHTTP1: true }, answer));
const far = net.createServer({ noDelay: true }, (client) => {
  const server = net.connect({ port: near, host: '127.0.0.1', noDelay: true });
  late(client, server, 2 * oneWay);
  late(server, client);
});
process.send({ origin: `https://127.0.0.1:${await listen(far)}` });
process.on('disconnect', () => process.exit(0));
