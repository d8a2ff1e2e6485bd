// What a script does: fetch a page, parse it whole, write a line an item, wait for the write. node hand-loop.mjs ORIGIN FILE
import { open } from 'node:fs/promises';
import { Pool } from 'undici';

const [origin, target] = process.argv.slice(2);
const pool = new Pool(origin, { connections: 1 });
const file = await open(target, 'w');
let items = 0;
for (let page = 1; ; page++) {
  const { body } = await pool.request({ path: `/items?page=${page}`, method: 'GET' });
  const { data } = await body.json();
  if (data.length === 0) break;
  let lines = '';
  for (const item of data) lines += `${JSON.stringify(item)}\n`;
  await file.write(lines);
  items += data.length;
}
await file.close();
await pool.close();
console.log(JSON.stringify({ items }));
