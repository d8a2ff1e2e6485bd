// Does the memory of a run stay bounded, whatever a server sends? 10 GB bombs, bodies, items and endless cursors
// against the built command. npm run security -- --gigabytes 10 --pages 100000   Peak is the resident set of the
// command's own process. With --record it writes bench/results/hostile.json.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { parseArgs } from 'node:util';
import { createGzip, gzipSync } from 'node:zlib';
import { command, machine, megabytes, scratch } from './harness.mjs';

const { values } = parseArgs({
  options: {
    gigabytes: { type: 'string', default: '10' },
    pages: { type: 'string', default: '100000' },
    case: { type: 'string', multiple: true },
    record: { type: 'boolean', default: false },
  },
});
const bytes = Number(values.gigabytes) * 1e9;
const pages = Number(values.pages);

const item = (id) => `{"id":${id},"name":"Customer ${id * 7919}","active":${id % 3 === 0}}`;
const block = Buffer.from(`${Array.from({ length: 20_000 }, (_, id) => item(id)).join(',')},`);
const blanks = Buffer.alloc(1 << 20, ' ');
const letters = Buffer.alloc(1 << 20, 'x');

/** The beginning, the block repeated up to `size` bytes, the end. */
function* poured(begin, block, end, size = block.length) {
  yield Buffer.from(begin);
  for (let sent = 0; sent < bytes; sent += size) yield block;
  yield Buffer.from(end);
}

/** Concatenated members of gzip are one stream. */
function* members() {
  yield gzipSync('[');
  const packed = gzipSync(block);
  for (let sent = 0; sent < bytes; sent += block.length) yield packed;
  yield gzipSync('0]');
}

const answers = {
  '/body': (response) => Readable.from(poured('[', block, '0]')).pipe(response),
  '/item': (response) => Readable.from(poured('["', letters, '"]')).pipe(response),
  '/line': (response) => {
    response.setHeader('content-type', 'application/x-ndjson');
    Readable.from(poured('"', letters, '"')).pipe(response);
  },
  '/packed': (response) => {
    response.setHeader('content-encoding', 'gzip');
    Readable.from(members()).pipe(response);
  },
  '/bomb': (response) => {
    response.setHeader('content-encoding', 'gzip');
    Readable.from(poured('[', blanks, ']'))
      .pipe(createGzip({ level: 9 }))
      .pipe(response);
  },
  '/cursor': (response, at) => response.end(`{"data":[],"next":"${at + 1}"}`),
  '/drip': (response) => {
    response.write('[');
    const timer = setInterval(() => response.write(' '), 50);
    response.on('close', () => clearInterval(timer));
  },
};

const paged = { pagination: { method: 'response.param', responseParam: 'next', queryParam: 'at' } };
const cases = [
  { what: 'a body of small items', endpoint: 'body', exit: 0 },
  { what: 'the same, in gzip', endpoint: 'packed', exit: 0 },
  { what: 'a gzip bomb', endpoint: 'bomb', exit: 1, code: 'ERR_BODY_SIZE' },
  { what: 'one item', endpoint: 'item', exit: 1, code: 'ERR_ITEM_SIZE' },
  { what: 'one line', endpoint: 'line', exit: 1, code: 'ERR_ITEM_SIZE' },
  {
    what: 'a body of small items, capped at 1 GB',
    endpoint: 'body',
    args: ['--max-body-bytes', '1G'],
    exit: 1,
    code: 'ERR_BODY_SIZE',
  },
  {
    what: 'a new cursor with every page, pages empty',
    endpoint: 'cursor',
    api: paged,
    args: ['--max-pages', String(pages)],
    exit: 0,
  },
  {
    what: 'a byte at a time, 20 seconds at most',
    endpoint: 'drip',
    api: { http: { requestTimeout: 20 } },
    exit: 1,
    code: 'ERR_TRANSPORT',
  },
];

/** Runs the command to its end, also if it fails. */
async function play(dir, origin, { endpoint, api = {}, args = [] }) {
  const config = join(dir, 'config.json');
  const job = { endpoint, dataField: endpoint === 'cursor' ? 'data' : '.', dataType: 'items' };
  const whole = { baseUrl: `${origin}/`, retryConfig: { maxRetries: 0 }, ...api };
  await writeFile(config, JSON.stringify({ api: whole, config: { jobs: [job] } }));
  const usage = join(dir, 'usage.json');
  const started = performance.now();
  const preload = new URL('usage.mjs', import.meta.url).href;
  const words = ['--import', preload, command, 'run', config, '--to', 'null:', '--quiet', '--log', 'json', ...args];
  const child = spawn(process.execPath, words, {
    env: { ...process.env, BENCH_USAGE: usage },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk) => {
    said = (said + chunk).slice(-20_000);
  });
  const [exit] = await once(child, 'close');
  const { maxRSS } = JSON.parse(await readFile(usage, 'utf8'));
  return { exit, said, seconds: (performance.now() - started) / 1000, peak: maxRSS * 1024 };
}

const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://h');
  response.on('error', () => {});
  answers[pathname]?.(response, Number(searchParams.get('at') ?? 0));
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const origin = `http://127.0.0.1:${server.address().port}`;

const rows = [];
for (const each of cases.filter(({ endpoint }) => values.case === undefined || values.case.includes(endpoint))) {
  const { exit, said, seconds, peak } = await scratch((dir) => play(dir, origin, each));
  const found = /"event":"error".*?"code":"(\w+)"/.exec(said)?.[1];
  if (exit !== each.exit || found !== each.code) throw new Error(`${each.what}: exit ${exit}, ${found}\n${said}`);
  if (peak > 500e6) throw new Error(`${each.what}: ${megabytes(peak)} MB`);
  const row = { what: each.what, ends: each.code ?? 'well', 'peak MB': megabytes(peak), seconds: +seconds.toFixed(1) };
  console.log(JSON.stringify(row));
  rows.push(row);
}
server.closeAllConnections();
server.close();
if (values.record) {
  const record = {
    question: 'Does the memory of a run stay bounded, whatever a server sends?',
    machine: machine(),
    gigabytes: bytes / 1e9,
    pages,
    rows,
  };
  await writeFile(new URL('results/hostile.json', import.meta.url), `${JSON.stringify(record, null, 2)}\n`);
}
