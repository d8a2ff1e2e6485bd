// What a script does: fetch a page, parse it whole, write a line an item, wait for the writes. node hand-loop.mjs ORIGIN FILE WRITES
//   stream  a write an item to a file stream, waiting for `drain` when it asks for it: what most scripts do
//   page    the lines of a page joined, one awaited write a page: what a careful one does
//   line    an awaited write an item
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { Pool } from 'undici';

const [origin, target, writes = 'stream'] = process.argv.slice(2);

const writers = {
  async stream() {
    const stream = createWriteStream(target);
    return {
      async write(items) {
        for (const item of items) {
          if (!stream.write(`${JSON.stringify(item)}\n`)) await once(stream, 'drain');
        }
      },
      close: () => new Promise((resolve) => stream.end(resolve)),
    };
  },
  async page() {
    const file = await open(target, 'w');
    return {
      async write(items) {
        let lines = '';
        for (const item of items) lines += `${JSON.stringify(item)}\n`;
        await file.write(lines);
      },
      close: () => file.close(),
    };
  },
  async line() {
    const file = await open(target, 'w');
    return {
      async write(items) {
        for (const item of items) await file.write(`${JSON.stringify(item)}\n`);
      },
      close: () => file.close(),
    };
  },
};

const pool = new Pool(origin, { connections: 1 });
const { write, close } = await writers[writes]();
for (let page = 1; ; page++) {
  const { body } = await pool.request({ path: `/items?page=${page}`, method: 'GET' });
  const { data } = await body.json();
  if (data.length === 0) break;
  await write(data);
}
await close();
await pool.close();
