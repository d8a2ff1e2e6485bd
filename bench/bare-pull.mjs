// The least that a pull of two pages takes: undici, one page written to a file, and the empty page that ends it.
//   node bench/bare-pull.mjs ORIGIN FILE
import { open } from 'node:fs/promises';
import { request } from 'undici';

const [origin, path] = process.argv.slice(2);
const file = await open(path, 'w');
for (let page = 1; ; page++) {
  const { body } = await request(`${origin}/users?page=${page}`);
  const items = await body.json();
  if (items.length === 0) break;
  await file.write(items.map((item) => `${JSON.stringify(item)}\n`).join(''));
}
await file.close();
