/**
 * A small API on loopback to try things on: a login, users in numbered pages, events by cursor.
 *
 *     POST /login  {"user","password"}       -> {"token","expires_in"}
 *     GET  /users?page=N&limit=N             -> [user, ...]
 *     GET  /events?kind=order&cursor=C       -> {"events":[...],"paging":{"next":C}}
 *
 * Without `Authorization: Bearer TOKEN` it answers 401.
 * `node examples/sample-api.mjs [PORT]` serves it until Ctrl-C, at port 8080 by default, and prints each request.
 */
import { realpathSync } from 'node:fs';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';

const names = ['Ada', 'Bob', 'Cyd', 'Dan', 'Eve', 'Fay', 'Gus'];
const users = Array.from({ length: 47 }, (_, index) => ({
  id: 1_000_000_000_000_000_001n + BigInt(index),
  name: `${names[index % names.length]} ${index + 1}`,
  active: index % 3 !== 0,
}));
const events = ['order', 'visit'].flatMap((kind) =>
  Array.from({ length: kind === 'order' ? 120 : 75 }, (_, index) => ({
    id: `${kind}-${index + 1}`,
    kind,
    amount: index * 1.5,
  })),
);
const eventsPerPage = 50;
const token = 'sample-token-7c1e';

/** JSON with bigints as numbers: ids of 19 digits, as some APIs send them. */
function write(value) {
  const text = JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? `#${each}#` : each));
  return text.replaceAll(/"#(\d+)#"/g, '$1');
}

function login(body) {
  const { user, password } = JSON.parse(body);
  if (user !== 'ada' || password !== 'correct horse') return [403, { error: 'wrong user or password' }];
  return [200, { token, expires_in: 3600 }];
}

function userPage(query) {
  const limit = Number(query.get('limit') ?? 10);
  const from = (Number(query.get('page') ?? 1) - 1) * limit;
  return [200, users.slice(from, from + limit)];
}

function eventPage(query) {
  const found = events.filter(({ kind }) => kind === query.get('kind'));
  const from = Number(query.get('cursor') ?? 0);
  const until = from + eventsPerPage;
  return [200, { events: found.slice(from, until), paging: { next: until < found.length ? String(until) : null } }];
}

function reply(method, { pathname, searchParams }, authorization, body) {
  if (method === 'POST' && pathname === '/login') return login(body);
  if (authorization !== `Bearer ${token}`) return [401, { error: 'log in first' }];
  if (pathname === '/users') return userPage(searchParams);
  if (pathname === '/events') return eventPage(searchParams);
  return [404, { error: `no ${pathname} here` }];
}

/** Starts the API on a free port, or on `port`; `log` gets each request as `METHOD target status`. */
export async function startSampleApi(log = () => undefined, port = 0) {
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    const url = new URL(request.url, 'http://localhost');
    const [status, value] = reply(request.method, url, request.headers.authorization, body);
    log(`${request.method} ${request.url} ${status}`);
    response.writeHead(status, { 'content-type': 'application/json' }).end(write(value));
  });
  await new Promise((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { origin: `http://127.0.0.1:${server.address().port}`, close };
}

/** Serves the API until the process ends. */
async function serve(port) {
  const say = (line) => process.stdout.write(`${line}\n`);
  try {
    const { origin } = await startSampleApi(say, port);
    say(`The sample API listens at ${origin}. Ctrl-C ends it.`);
  } catch (error) {
    process.exitCode = 1;
    say(
      `The sample API could not listen at port ${port} (${error.code}). Try another: node examples/sample-api.mjs 8081`,
    );
  }
}

const isStarted = process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url);
if (isStarted) await serve(Number(process.argv[2] ?? 8080));
