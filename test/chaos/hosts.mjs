// A shared run on two hosts that are simulated on this machine (after npm run build, as root):
//   npm run hosts [-- --record]
// Each has a network, an address, a host name, a user, a home and a copy of rxtract of its own, and its own names for
// the PostgreSQL and the API. One is killed in the middle. They share the PostgreSQL, and a folder of parts for the
// second run. Ends with what was seen, and 1 when an item was lost or doubled. It needs PostgreSQL, `ip`, `unshare` and
// `useradd`.
import { execFileSync, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { keepRecord } from '../support/keep-record.ts';
import { connectReady, freePort, postgresMissing, startPostgres } from '../support/servers.ts';

const { values } = parseArgs({ options: { record: { type: 'boolean', default: false } } });
if (postgresMissing !== undefined || process.getuid?.() !== 0) {
  console.error(postgresMissing ?? 'hosts are simulated by root alone');
  process.exit(1);
}

const root = fileURLToPath(new URL('../..', import.meta.url));
const [shops, pageSize, ordersOfShop] = [400, 20, 5];
const net = `10.${randomInt(200, 250)}.${randomInt(0, 250)}`;
const tag = `rx${process.pid % 100_000}`;
const dir = mkdtempSync(join(tmpdir(), 'rxtract-hosts-'));
const hosts = ['a', 'b'].map((letter, at) => ({
  name: `host-${letter}`,
  user: `${tag}${letter}`,
  home: join(dir, letter),
  address: `${net}.${at + 2}`,
  /** What it calls the machine with PostgreSQL and API. */
  center: `center-of-${letter}.internal`,
}));
/** The address of a destination is one for all workers. */
const destination = 'destination.internal';
const undo = [];
const children = new Set();
const call = (file, ...args) => execFileSync(file, args, { stdio: ['ignore', 'pipe', 'pipe'] }).toString();

/** The package and what it needs of its dependencies. */
function install({ home }) {
  const copy = (path) => cpSync(join(root, path), join(home, 'rxtract', path), { recursive: true });
  for (const path of ['dist', 'package.json']) copy(path);
  const seen = new Set();
  const add = (name) => {
    if (seen.has(name)) return;
    seen.add(name);
    copy(join('node_modules', name));
    const { dependencies = {} } = JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8'));
    Object.keys(dependencies).forEach(add);
  };
  add('pg');
}

function makeHost(host) {
  const { user, home, address, center } = host;
  call('ip', 'netns', 'add', user);
  undo.push(() => call('ip', 'netns', 'del', user));
  const names = `/etc/netns/${user}`;
  mkdirSync(names, { recursive: true });
  undo.push(() => rmSync(names, { recursive: true }));
  writeFileSync(join(names, 'hosts'), `127.0.0.1 localhost\n${net}.1 ${center} ${destination}\n`);
  call('ip', 'link', 'add', `${user}v`, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', user);
  call('ip', 'link', 'set', `${user}v`, 'master', tag, 'up');
  const within = (...args) => call('ip', '-n', user, ...args);
  within('addr', 'add', `${address}/24`, 'dev', 'eth0');
  within('link', 'set', 'eth0', 'up');
  within('link', 'set', 'lo', 'up');
  call('useradd', '--system', '--gid', tag, '--create-home', '--home-dir', home, user);
  undo.push(() => call('userdel', user));
  install(host);
  call('chown', '-R', user, home);
  chmodSync(home, 0o700);
}

/** Runs the command as the user of a host, in its network. */
function start({ name, user, home }, args, env = {}) {
  const variables = { PATH: process.env.PATH, HOME: home, TMPDIR: home, ...env };
  const line = Object.entries(variables).map(([key, value]) => `${key}=${value}`);
  // Files of parts are those of the group: another host continues them.
  const script = `hostname ${name}; umask 002; cd "$0"; exec setpriv --reuid ${user} --regid ${tag} --clear-groups env -i "$@"`;
  const node = [process.execPath, join(home, 'rxtract/dist/src/cli/main.js'), ...args];
  const all = ['netns', 'exec', user, 'unshare', '--uts', 'sh', '-c', script, home, ...line, ...node];
  const child = spawn('ip', all, { stdio: ['pipe', 'pipe', 'pipe'] });
  children.add(child);
  const read = { out: '', err: '' };
  child.stdout.on('data', (text) => (read.out += text));
  child.stderr.on('data', (text) => (read.err += text));
  const ended = once(child, 'close').then(([code]) => {
    children.delete(child);
    return { code, ...read };
  });
  return { child, ended };
}

/** 400 shops with five orders each, 50 ms a response. */
async function startApi() {
  const requests = [];
  const api = createServer(async ({ url, socket }, response) => {
    requests.push(socket.remoteAddress?.replace('::ffff:', ''));
    await sleep(50);
    const { pathname, searchParams } = new URL(url ?? '', 'http://h');
    const [, shop] = /^\/shops\/(\d+)\/orders$/.exec(pathname) ?? [];
    const from = (Number(searchParams.get('page') ?? 1) - 1) * pageSize;
    const count = shop === undefined ? Math.max(0, Math.min(pageSize, shops - from)) : ordersOfShop;
    const idOf = (at) => (shop === undefined ? from + at : Number(shop) * 10 + at);
    const rows = Array.from({ length: count }, (_, at) => ({ id: idOf(at) }));
    response.setHeader('content-type', 'application/json').end(JSON.stringify(rows));
  }).listen(await freePort(), `${net}.1`);
  await once(api, 'listening');
  undo.push(
    () => api.closeAllConnections(),
    () => api.close(),
  );
  return { port: api.address().port, requests };
}

const configuration = JSON.stringify({
  api: {
    baseUrl: { env: 'API' },
    pagination: { method: 'pagenum', limit: pageSize },
  },
  config: {
    jobs: [
      {
        endpoint: 'shops',
        children: [{ endpoint: 'shops/{shop}/orders', dataType: 'orders', placeholders: { shop: 'id' } }],
      },
    ],
  },
});

/** Two workers; that of the first host is killed when a third of the requests was sent, and started again. */
async function runOnce(name, to, { database, api, reader }) {
  const variables = ({ center }) => ({ API: `http://${center}:${api.port}/` });
  const boardOf = ({ center }) => `postgres://rx@${center}:${database.port}/postgres`;
  const worker = (host) => start(host, ['worker', boardOf(host), '--lease', '2s', '--log', 'json'], variables(host));
  const [first, second] = hosts;
  api.requests.splice(0);
  const begun = process.hrtime.bigint();
  const submit = start(
    second,
    ['run', '-', '--to', to, '--on', boardOf(second), '--name', name, '--detach', '--block', '5'],
    variables(second),
  );
  submit.child.stdin.end(configuration);
  const submitted = await submit.ended;
  if (submitted.code !== 0) throw new Error(submitted.err);
  const killed = worker(first);
  const other = worker(second);
  while (api.requests.length < shops / 3) await sleep(10);
  killed.child.kill('SIGKILL');
  await killed.ended;
  const again = worker(first);
  const stateOf = async () => {
    const { rows } = await reader.query('SELECT ended IS NOT NULL AS ended FROM rxtract.runs WHERE name = $1', [name]);
    return rows[0]?.ended;
  };
  while ((await stateOf()) !== true) await sleep(50);
  const seconds = Number(process.hrtime.bigint() - begun) / 1e9;
  for (const each of [other, again]) {
    each.child.kill('SIGTERM');
    const { code, err } = await each.ended;
    if (code !== 0) throw new Error(err);
  }
  const { rows } = await reader.query(
    `SELECT split_part(worker, '/', 1) AS host, count(*)::int AS tasks FROM rxtract.tasks WHERE run = $1 GROUP BY 1 ORDER BY 1`,
    [name],
  );
  const requests = hosts.map(({ address }) => api.requests.filter((from) => from === address).length);
  return {
    run: name,
    seconds: Math.round(seconds * 10) / 10,
    tasks: rows.map(({ host, tasks }) => [host, tasks]),
    requests,
  };
}

/** How many items are missing, and how many there are too many. */
function faultsOf(orders) {
  const wanted = shops * ordersOfShop;
  const distinct = new Set(orders).size;
  return { items: orders.length, lost: wanted - distinct, doubled: orders.length - distinct };
}

async function main() {
  chmodSync(dir, 0o755);
  call('groupadd', '--system', tag);
  undo.push(() => call('groupdel', tag));
  call('ip', 'link', 'add', tag, 'type', 'bridge');
  undo.push(() => call('ip', 'link', 'del', tag));
  call('ip', 'addr', 'add', `${net}.1/24`, 'dev', tag);
  call('ip', 'link', 'set', tag, 'up');
  for (const host of hosts) makeHost(host);
  const rules = join(dir, 'pg_hba.conf');
  writeFileSync(rules, `host all all ${net}.0/24 trust\nhost all all 127.0.0.1/32 trust\n`);
  const database = await startPostgres(['listen_addresses=*', `hba_file=${rules}`]);
  undo.push(() => database.close());
  const api = await startApi();
  const reader = await connectReady(database.port);
  undo.push(() => reader.end());
  const shared = join(dir, 'parts');
  mkdirSync(shared);
  call('chgrp', tag, shared);
  chmodSync(shared, 0o2770);

  const context = { database, api, reader };
  const table = await runOnce('table', `postgres://rx@${destination}:${database.port}/postgres?schema=shop`, context);
  const { rows } = await reader.query(`SELECT (item ->> 'id')::int AS id FROM shop.orders`);
  const tableFaults = faultsOf(rows.map(({ id }) => id));
  const parts = await runOnce('parts', `parts:${shared}/parts?gather=ndjson:${shared}/out`, context);
  const lines = readFileSync(join(shared, 'out/orders.ndjson'), 'utf8').trim().split('\n');
  const partFaults = faultsOf(lines.map((line) => JSON.parse(line).id));
  return [
    { ...table, ...tableFaults },
    { ...parts, ...partFaults },
  ];
}

try {
  const results = await main();
  for (const result of results) console.log(JSON.stringify(result));
  const isWhole = results.every(({ lost, doubled, tasks }) => lost === 0 && doubled === 0 && tasks.length === 2);
  if (!isWhole) process.exitCode = 1;
  else if (values.record) keepRecord('hosts', Object.fromEntries(results.map((result) => [result.run, result])));
} finally {
  for (const child of children) child.kill('SIGKILL');
  for (const step of undo.reverse()) {
    try {
      await step();
    } catch (thrown) {
      console.error(String(thrown));
    }
  }
  rmSync(dir, { recursive: true, force: true });
}
