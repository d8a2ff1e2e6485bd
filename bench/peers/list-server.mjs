// Serves pages of items with a list of objects: list-server.mjs PAGES ITEMS ELEMENTS. 0 elements: flat items.
// All pages are one body in which only the ids differ, so that making them costs next to nothing. Sends its port to its
// parent, and ends with it.
//
//   /items?page=N   from 1; a page after the last has no items
import { createServer } from 'node:http';

const [pages, items, elements] = process.argv.slice(2).map(Number);
const firstId = 1_000_000_000;

const lineOf = (at) =>
  `{"sku":"SKU-${1000 + (at % 9000)}","quantity":${1 + (at % 9)},"price":${10 + (at % 90)}.${10 + (at % 89)},"gift":${at % 3 === 0},"note":"line ${at % 100}"}`;
const linesOf = (at) =>
  elements === 0
    ? ''
    : `,"lines":[${Array.from({ length: elements }, (_, index) => lineOf(at * elements + index)).join()}]`;
const itemOf = (at) =>
  `{"id":${firstId},"customer":"Customer ${at % 977}","email":"user${at}@mail.example.com","created":"2026-11-${10 + (at % 20)}T10:${10 + (at % 50)}:00Z","total":${100 + (at % 900)}.${10 + (at % 89)},"paid":${at % 2 === 0}${linesOf(at)}}`;

const body = Buffer.from(`{"data":[${Array.from({ length: items }, (_, at) => itemOf(at)).join()}]}`);
const places = [];
for (let at = body.indexOf(`"id":${firstId}`); at >= 0; at = body.indexOf(`"id":${firstId}`, at + 1))
  places.push(at + 5);

/** A copy: the body before it may still be on its way. */
function pageAt(page) {
  const own = Buffer.from(body);
  for (const [index, place] of places.entries()) own.write(String(firstId + page * items + index), place, 'latin1');
  return own;
}

const server = createServer(({ url }, response) => {
  const page = Number(new URL(url, 'http://localhost').searchParams.get('page')) - 1;
  response.setHeader('content-type', 'application/json');
  response.end(page < pages ? pageAt(page) : '{"data":[]}');
});
server.listen(0, '127.0.0.1', () => process.send(server.address().port));
process.on('disconnect', () => process.exit());
