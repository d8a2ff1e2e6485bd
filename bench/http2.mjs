// What does HTTP/2 gain? An API over TLS that is 50 ms away, in gzip and not; eight requests in flight, over eight
// connections of HTTP/1.1 or multiplexed over one of HTTP/2: pages requested ahead, child requests, and bodies read by
// undici alone. Whole processes in turn; rxtract gets a dispatcher of undici, as code can give it one.
// docs/decisions/046 has the figures.
//
//   npm run build && node --import tsx bench/http2.mjs
//
// `of HTTP/1.1`: its time divided by that of HTTP/1.1 in the same round; the median, then the quartiles.
import { fork } from 'node:child_process';
import { interleaved, machine, measure, middleOf, program, ratioOf, scratch } from './harness.mjs';
import { certificatesIn } from './wires.bench.mjs';

const protocols = ['HTTP/1.1', 'HTTP/2'];
const cases = [
  { kind: 'prefetch', coding: 'gzip', items: 1000, pages: 120 },
  { kind: 'prefetch', coding: 'gzip', items: 10, pages: 240 },
  { kind: 'prefetch', coding: 'identity', items: 1000, pages: 120 },
  { kind: 'children', coding: 'gzip', items: 240, pages: 1 },
  { kind: 'undici', coding: 'gzip', items: 1000, pages: 120 },
  { kind: 'undici', coding: 'gzip', items: 10, pages: 240 },
  { kind: 'undici', coding: 'identity', items: 1000, pages: 120 },
];

const rounds = 5;

const run = () =>
  scratch(async (dir) => {
    const { ca, cert, key } = await certificatesIn(dir);
    const server = fork(program('peers/http2-server.mjs'), [cert, key]);
    const { origin } = await new Promise((resolve, reject) => {
      server.once('message', resolve);
      server.once('exit', (code) => reject(new Error(`the server ended with ${code}`)));
    });
    try {
      const rows = [];
      for (const each of cases) rows.push(...(await compare(each, { origin, ca })));
      return rows;
    } finally {
      server.disconnect();
    }
  });

async function compare({ kind, coding, items, pages }, { origin, ca }) {
  const pull = (protocol) =>
    measure([program('peers/http2-pull.mjs'), origin, ca, protocol, kind, coding, String(items), String(pages)]);
  await pull('HTTP/1.1'); // the server compresses each page when it is first asked for
  const measured = await interleaved(protocols, rounds, pull);
  const requests = kind === 'children' ? items + 1 : pages;
  return protocols.map((protocol) => {
    const { middle, text } = ratioOf(measured[protocol], measured['HTTP/1.1'], 'seconds');
    return {
      kind,
      coding,
      items,
      protocol,
      seconds: +middleOf(measured[protocol], 'seconds').toFixed(2),
      'ms a request': +((middleOf(measured[protocol], 'seconds') * 1000) / requests).toFixed(2),
      'CPU ms a request': +((middleOf(measured[protocol], 'cpu') * 1000) / requests).toFixed(2),
      'of HTTP/1.1': middle,
      quartiles: text,
    };
  });
}

console.log(machine());
console.table(await run());
