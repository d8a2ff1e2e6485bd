// Pulls pages by rxtract, or by undici alone, over HTTP/1.1 or HTTP/2. Eight requests are in flight: over eight
// connections, or over one.
//
//   node http2-pull.mjs ORIGIN CA PROTOCOL KIND CODING ITEMS PAGES
//
//   prefetch  rxtract, pages requested ahead
//   children  rxtract, a child request for each item of a page
//   undici    bodies read by undici alone
import { readFileSync } from 'node:fs';
import { run } from 'rxtract';
import { Agent } from 'undici';

const [origin, ca, protocol, kind, coding, items, count] = process.argv.slice(2);
const pages = Number(count);
const atOnce = 8;

const connect = { ca: readFileSync(ca) };
const agents = {
  'HTTP/1.1': () => new Agent({ connect, connections: atOnce }),
  'HTTP/2': () => new Agent({ connect, connections: 1, allowH2: true, pipelining: 100 }),
};
const dispatcher = agents[protocol]();

const job = { endpoint: 'items', dataField: 'data', dataType: 'items' };
const notes = { endpoint: 'items/{id}/notes', dataField: 'data', dataType: 'notes', placeholders: { id: 'id' } };
const kinds = {
  prefetch: {
    config: { ...job, pagination: { method: 'pagenum', prefetch: atOnce } },
    options: { maxPages: pages },
    total: pages * Number(items),
  },
  children: {
    config: { ...job, pagination: { method: 'none' }, children: [notes] },
    options: { concurrency: atOnce },
    total: Number(items) * 11,
  },
};

async function pull() {
  const { config, options, total } = kinds[kind];
  const configuration = { api: { baseUrl: `${origin}/${coding}/${items}/` }, config: { jobs: [config] } };
  const { jobs } = await run(configuration, { ...options, dispatcher });
  const found = jobs.reduce((sum, each) => sum + each.items, 0);
  if (found !== total) throw new Error(`${found} items in place of ${total}`);
}

async function readAll() {
  let next = 1;
  const reader = async () => {
    while (next <= pages) {
      const path = `/${coding}/${items}/items?page=${next++}`;
      const { body, statusCode } = await dispatcher.request({ origin, path, method: 'GET' });
      await body.arrayBuffer();
      if (statusCode !== 200) throw new Error(`status ${statusCode}`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, reader));
}

await (kind === 'undici' ? readAll() : pull());
await dispatcher.close();
