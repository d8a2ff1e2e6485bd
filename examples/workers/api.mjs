/**
 * A slow API to try workers on: 400 shops in pages of 100, and 5 orders of each shop. Each response takes 200 ms.
 *
 *     GET /shops?page=N          -> [{"id","name"}, ...]
 *     GET /shops/ID/orders       -> [{"id","total"}, ...]
 *
 * `node examples/workers/api.mjs [PORT] [HOST]` serves it until Ctrl-C, at port 8080 of this machine by default.
 */
import { createServer } from 'node:http';

const [port = '8080', host = '127.0.0.1'] = process.argv.slice(2);
const shops = Array.from({ length: 400 }, (_, index) => ({ id: index + 1, name: `Shop ${index + 1}` }));
const ordersOf = (shop) =>
  Array.from({ length: 5 }, (_, index) => ({ id: shop * 10 + index, total: shop + index / 2 }));

function reply({ pathname, searchParams }) {
  const [, shop] = /^\/shops\/(\d+)\/orders$/.exec(pathname) ?? [];
  if (shop !== undefined) return ordersOf(Number(shop));
  const from = (Number(searchParams.get('page') ?? 1) - 1) * 100;
  return pathname === '/shops' ? shops.slice(from, from + 100) : undefined;
}

const server = createServer((request, response) => {
  const found = reply(new URL(request.url, 'http://localhost'));
  setTimeout(() => {
    response.writeHead(found === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(found ?? { error: 'there is no such path' }));
  }, 200);
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(0));
server.listen(Number(port), host, () => process.stdout.write(`http://${host}:${port}/shops\n`));
