// The API that the benches pull: deterministic pages from memory, so that the server is never what is measured.
//   /items?page=N   ITEMS items (1,000) of about 340 bytes, PAGES (200) such pages, then an empty one
//   /tiny?cursor=N  one small item a page and the next cursor, `pages` of them
//   /huge?bytes=N   one page of N bytes
import http from 'node:http';

const pages = Number(process.env.PAGES ?? 200);
const perPage = Number(process.env.ITEMS ?? 1000);

const item = (i) => ({
  id: 1_000_000 + i,
  name: `Customer ${i} Ünïcode`,
  email: `user${i}@example.com`,
  active: i % 2 === 0,
  score: i * 1.37,
  created_at: '2026-11-20T11:22:33.456Z',
  tags: ['alpha', 'beta', 'gamma'],
  address: { street: `${i} Main St.`, city: 'Prague', zip: '11000', geo: { lat: 50.0755 + i / 1e6, lng: 14.4378 } },
  note: 'He said "hello" and left\nthen came back',
});
const itemsFrom = (first, count) => Array.from({ length: count }, (_, i) => item(first + i));
/** Placeholder for the number of the page, in its head and in its first item. */
const numberMark = '#######';
const ready = Array.from({ length: 8 }, (_, p) => {
  const [first, ...others] = itemsFrom(p * perPage, perPage);
  const data = [{ ...first, name: `Customer ${numberMark} Ünïcode` }, ...others];
  const body = Buffer.from(JSON.stringify({ meta: { page: numberMark }, data }));
  return { body, marks: [body.indexOf(numberMark), body.lastIndexOf(numberMark)] };
});
const empty = Buffer.from('{"meta":{"page":0},"data":[]}');
const block = Buffer.from(
  itemsFrom(0, 200)
    .map((each) => JSON.stringify(each))
    .join(','),
);

const routes = {
  '/items': (query, response) => {
    const page = Number(query.get('page') ?? 1);
    reply(response, page > pages ? empty : numbered(ready[page % ready.length], page));
  },
  '/tiny': (query, response) => {
    const at = Number(query.get('cursor') ?? 0);
    reply(
      response,
      Buffer.from(JSON.stringify({ data: [item(at)], next: at + 1 < pages ? `c${at + 1}`.slice(1) : null })),
    );
  },
  '/huge': (query, response) => stream(response, Number(query.get('bytes'))),
};

/** Pages of the same items differ by their number, and so do their items, as in a real API. */
function numbered({ body, marks }, page) {
  const copy = Buffer.from(body);
  for (const at of marks) copy.write(String(page).padStart(numberMark.length, '0'), at);
  return copy;
}

function reply(response, body) {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
  response.end(body);
}

async function stream(response, bytes) {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write('{"data":[');
  let sent = 9;
  let more = true;
  while (sent < bytes) {
    if (!more) await new Promise((resolve) => response.once('drain', resolve));
    more = response.write(sent === 9 ? block : Buffer.concat([Buffer.from(','), block]));
    sent += block.length + 1;
  }
  response.end(']}');
}

const server = http.createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://localhost');
  routes[pathname](searchParams, response);
});
server.listen(0, '127.0.0.1', () => process.send?.({ origin: `http://127.0.0.1:${server.address().port}` }));
process.on('disconnect', () => process.exit(0));
