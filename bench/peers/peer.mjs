// What scripts with popular packages look like: a line of JSON for each item of each page, into a file.
//
//   node peer.mjs KIND ORIGIN FILE PAGES
//
//   got          got.paginate, item by item
//   axios        axios.get, a page at a time
//   fetch        the fetch of Node, a page at a time
//   stream-json  undici and a pipeline of stream-json, item by item: constant memory, whatever the size of a page
//
// All wait when the file stream requires it.
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import http from 'node:http';
import { finished } from 'node:stream/promises';

const [kind, origin, target, most] = process.argv.slice(2);
const pages = Number(most);
const file = createWriteStream(target);

async function write(text) {
  if (!file.write(text)) await once(file, 'drain');
}

const linesOf = (items) => items.map((item) => `${JSON.stringify(item)}\n`).join('');

const kinds = {
  async got() {
    const { default: got } = await import('got');
    const items = got.paginate(`${origin}/items`, {
      searchParams: { page: 1 },
      agent: { http: new http.Agent({ keepAlive: true }) },
      pagination: {
        requestLimit: Number.POSITIVE_INFINITY,
        transform: ({ body }) => JSON.parse(body).data,
        paginate({ response, currentItems }) {
          const page = Number(new URL(response.requestUrl).searchParams.get('page'));
          return page >= pages || currentItems.length === 0 ? false : { searchParams: { page: page + 1 } };
        },
      },
    });
    for await (const item of items) await write(`${JSON.stringify(item)}\n`);
  },

  async axios() {
    const { default: axios } = await import('axios');
    const client = axios.create({ httpAgent: new http.Agent({ keepAlive: true }), proxy: false });
    for (let page = 1; page <= pages; page++) {
      const { data } = await client.get(`${origin}/items`, { params: { page } });
      await write(linesOf(data.data));
    }
  },

  async fetch() {
    for (let page = 1; page <= pages; page++) {
      const response = await fetch(`${origin}/items?page=${page}`);
      await write(linesOf((await response.json()).data));
    }
  },

  async 'stream-json'() {
    const [{ Pool }, { default: chain }, { parser }, { pick }, { streamArray }] = await Promise.all([
      import('undici'),
      import('stream-chain'),
      import('stream-json'),
      import('stream-json/filters/pick.js'),
      import('stream-json/streamers/stream-array.js'),
    ]);
    const pool = new Pool(origin, { connections: 1 });
    for (let page = 1; page <= pages; page++) {
      const { body } = await pool.request({ path: `/items?page=${page}`, method: 'GET' });
      const items = body.pipe(chain([parser(), pick({ filter: 'data' }), streamArray()]));
      for await (const { value } of items) await write(`${JSON.stringify(value)}\n`);
    }
    await pool.close();
  },
};

await kinds[kind]();
file.end();
await finished(file);
process.exit(0);
