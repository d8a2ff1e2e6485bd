/**
 * Runs one example: serves `exchange.json` as its API, pulls it with the built command, and shows the output.
 * `npm run example NAME` builds first.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../dist/src/cli/main.js', import.meta.url));
const examples = fileURLToPath(new URL('.', import.meta.url));
const written = 'http://localhost:8080';
const say = (text = '') => process.stdout.write(`${text}\n`);

const names = readdirSync(examples).filter((name) => /^\d{3}-/.test(name));

/** The only one whose name begins with the text or holds it. */
function named(text) {
  const found = names.filter((name) => name.startsWith(text));
  const candidates = found.length > 0 ? found : names.filter((name) => name.includes(text));
  return candidates.length === 1 ? candidates[0] : undefined;
}

/** Answers each request with the first reply for it that has not been given; one that comes once more gets the last. */
async function startApi(exchange, origin) {
  const left = [...exchange];
  const isFor = (request) => (each) => each.request.method === request.method && each.request.target === request.url;
  const server = createServer((request, response) => {
    const index = left.findIndex(isFor(request));
    const [step] = index < 0 ? exchange.filter(isFor(request)).slice(-1) : left.splice(index, 1);
    const {
      status = 200,
      headers = {},
      body,
    } = step?.response ?? { status: 404, body: { error: 'not in exchange.json' } };
    say(`  ${request.method} ${request.url} ${status}`);
    const text = typeof body === 'string' ? body : body === undefined ? '' : JSON.stringify(body);
    const own = { 'content-type': 'application/json', ...headers };
    response.writeHead(status, own).end(text.replaceAll(written, origin()));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

function pull(config, places, environment) {
  const child = spawn(process.execPath, [main, 'run', '-', ...places], {
    env: { ...process.env, ...environment },
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  child.stdin.end(config);
  return new Promise((resolve) => child.on('close', (code) => resolve(code ?? 1)));
}

function show(out) {
  for (const file of existsSync(out) ? readdirSync(out, { recursive: true }) : []) {
    if (statSync(join(out, file)).isDirectory()) continue;
    say();
    say(`${join(out, file)}:`);
    for (const line of readFileSync(join(out, file), 'utf8').trimEnd().split('\n')) say(`  ${line}`);
  }
}

async function run(name) {
  const read = (file) => readFileSync(join(examples, name, file), 'utf8');
  const cache = mkdtempSync(join(tmpdir(), 'rxtract-example-'));
  let origin = '';
  const api = await startApi(JSON.parse(read('exchange.json')), () => origin);
  origin = `http://127.0.0.1:${api.address().port}`;
  const environment = existsSync(join(examples, name, 'environment.json')) ? JSON.parse(read('environment.json')) : {};
  say(`${name}: ${read('README.md').trim()}`);
  say();
  say(read('config.json').trimEnd());
  say();
  const out = join('out', name);
  say(`$ rxtract run examples/${name}/config.json --to ndjson:${out}      (${written} is ${origin} here)`);
  say('Requests to the API:');
  try {
    const places = ['--to', `ndjson:${out}`, '--cache-dir', cache];
    const exit = await pull(read('config.json').replaceAll(written, origin), places, environment);
    show(out);
    return exit;
  } finally {
    api.close();
    api.closeAllConnections();
    rmSync(cache, { recursive: true, force: true });
  }
}

async function start(text = '') {
  const name = text === '' ? undefined : named(text);
  if (name === undefined) {
    say('Which one? `npm run example 036-children`, or a part of the name that no other has. There are:');
    for (const each of names) say(`  ${each}`);
    return 1;
  }
  if (existsSync(main)) return run(name);
  say('The command is not built yet: `npm run build` first.');
  return 1;
}

process.exitCode = await start(process.argv[2]);
