// Parsed values for a consumer in code that does nothing with them: node values.mjs KIND ORIGIN PAGES
//   rxtract  run() with a function as its sink, which takes the values of each batch
//   loop     undici, body.json(), a loop over the items
import { Pool } from 'undici';

const [kind, origin, most] = process.argv.slice(2);
const pages = Number(most);
let count = 0;
const use = (value) => {
  if (value.id > 0) count += 1;
};

const kinds = {
  async rxtract() {
    const { run } = await import('rxtract');
    const api = { baseUrl: `${origin}/`, pagination: { method: 'pagenum' } };
    const config = { api, config: { jobs: [{ endpoint: 'items', dataField: 'data' }] } };
    const to = (batch) => {
      for (const value of batch.values()) use(value);
    };
    await run(config, { to, maxPages: pages });
  },
  async loop() {
    const pool = new Pool(origin, { connections: 1 });
    for (let page = 1; page <= pages; page++) {
      const { body } = await pool.request({ path: `/items?page=${page}`, method: 'GET' });
      for (const value of (await body.json()).data) use(value);
    }
    await pool.close();
  },
};

await kinds[kind]();
console.log(count);
