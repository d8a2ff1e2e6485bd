/** A tour: pulls the sample API into `out/` with the built command, and shows the items. `npm start` builds first. */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startSampleApi } from './sample-api.mjs';

const main = fileURLToPath(new URL('../dist/src/cli/main.js', import.meta.url));
const out = 'out';
const say = (text = '') => process.stdout.write(`${text}\n`);

/** Runs the configuration with its address replaced; its log goes where ours goes. Resolves to the exit code. */
function pull(name, origin) {
  const config = readFileSync(new URL(name, import.meta.url), 'utf8').replaceAll('http://localhost:8080', origin);
  const child = spawn(process.execPath, [main, 'run', '-', '--to', `ndjson:${out}`], {
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  child.stdin.end(config);
  return new Promise((resolve) => child.on('close', (code) => resolve(code ?? 1)));
}

function show(file) {
  const lines = readFileSync(join(out, file), 'utf8').trimEnd().split('\n');
  say(`${join(out, file)}: ${lines.length} items`);
  for (const line of lines.slice(0, 2)) say(`  ${line}`);
  if (lines.length > 2) say('  ...');
}

async function tour() {
  if (!existsSync(main)) {
    say('The command is not built yet: run `npm start`, or `npm run build` first.');
    return 1;
  }
  const requests = [];
  const api = await startSampleApi((line) => requests.push(line));
  say(`A sample API listens at ${api.origin} (examples/sample-api.mjs).`);
  let exit = 0;
  for (const name of ['sample-users.json', 'sample-events.json']) {
    requests.length = 0;
    say();
    say(`$ rxtract run examples/${name} --to ndjson:${out}`);
    exit = Math.max(exit, await pull(name, api.origin));
    say('Requests to the API:');
    for (const line of requests) say(`  ${line}`);
  }
  api.close();
  if (exit !== 0) return exit;
  say();
  for (const file of readdirSync(out).filter((name) =>
    ['users', 'orders', 'visits'].includes(name.replace('.ndjson', '')),
  )) {
    show(file);
  }
  return 0;
}

process.exitCode = await tour();
