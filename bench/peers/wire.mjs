// A careful script over TLS and compressed bodies: fetches a page, decodes and parses it, one awaited write for all its
// lines. It asks for the encodings that a body may have, as rxtract does.
//
//   node wire.mjs URL FILE PAGES [CA]
import { readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip } from 'node:zlib';
import { Pool } from 'undici';

const [base, target, pages, ca] = process.argv.slice(2);
const { origin, pathname } = new URL(base);
const connect = ca === undefined ? {} : { ca: readFileSync(ca) };
const pool = new Pool(origin, { connections: 1, connect });
const decoders = { gzip: promisify(gunzip), br: promisify(brotliDecompress) };
const asked = { 'accept-encoding': 'gzip, br' };

async function read(page) {
  const path = `${pathname}/items?page=${page}`;
  const { headers, body } = await pool.request({ path, method: 'GET', headers: asked });
  const decode = decoders[headers['content-encoding']];
  return decode === undefined ? body.json() : JSON.parse(await decode(Buffer.from(await body.arrayBuffer())));
}

const file = await open(target, 'w');
for (let page = 1; page <= Number(pages); page++) {
  let lines = '';
  for (const item of (await read(page)).data) lines += `${JSON.stringify(item)}\n`;
  await file.write(lines);
}
await file.close();
await pool.close();
