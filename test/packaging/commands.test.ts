/**
 * The command as users have it, in both of its forms: the bundle of the package, and the single executable. What each
 * loads apart from the engine is loaded once.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFile, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Api, headerOf, items, json, startApi } from '../loopback/api.js';
import { inside } from '../package/installed.js';
import { root } from '../rules/sources.js';

interface Context {
  api: Api;
  /** Where the command runs. */
  folder: string;
  /** A copy of the executable, alone in a folder. */
  executable: string;
}

// Set before the first test, because uvu has no other way.
const test = suite<Context>('the command', {} as Context);
const main = join(root, 'dist', 'src', 'cli', 'main.js');
const build = join(root, 'build');
let written = '';

test.before(async (context) => {
  context.folder = await realpath(await mkdtemp(join(tmpdir(), 'rxtract-commands-')));
  written = (await inside(root, process.execPath, ['scripts/build-binary.mjs'])).trim();
  const alone = await mkdtemp(join(context.folder, 'alone-'));
  context.executable = join(alone, basename(written));
  await copyFile(written, context.executable);
  context.api = await startApi(({ target }) => {
    if (target === '/login') return json({ token: 't0k', until: 'next Friday at noon' });
    return json(/[?&]page=2\b/.test(target) ? items(3, 1) : items(1, 2));
  });
  const pagination = { method: 'pagenum', limit: 2, limitParam: 'per_page' };
  const jobs = [{ endpoint: 'users', dataType: 'users' }];
  const config = { api: { baseUrl: context.api.origin, pagination }, config: { jobs } };
  await writeFile(join(context.folder, 'config.json'), JSON.stringify(config));
  await writeFile(join(context.folder, 'openapi.yaml'), openApi(context.api.origin));
});
test.after(async ({ folder, api }) => {
  await api?.close(); // there is none if the executable could not be built
  await rm(folder, { recursive: true, force: true, maxRetries: 10 });
});

const openApi = (origin: string): string => `
openapi: 3.0.0
info: { title: users, version: '1' }
servers: [{ url: '${origin}' }]
paths:
  /users:
    get:
      parameters: [{ name: page, in: query, schema: { type: integer } }]
      responses: { 200: { description: ok, content: { application/json: { schema: { type: array } } } } }
`;

interface Ended {
  readonly exit: number | null;
  readonly printed: string;
}

type Command = (args: readonly string[], stdin?: string) => Promise<Ended>;

/** Runs a program in the folder, without a package of this repository in its reach. */
const start = (folder: string, program: string, args: readonly string[], stdin = ''): Promise<Ended> =>
  new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: folder });
    let printed = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (printed += text));
    child.on('error', reject);
    child.on('close', (exit) => resolve({ exit, printed }));
    child.stdin.on('error', () => undefined); // it has ended without reading
    child.stdin.end(stdin);
  });

const forms: Readonly<Record<string, (context: Context) => Command>> = {
  'the bundle':
    ({ folder }) =>
    (args, stdin) =>
      start(folder, process.execPath, [main, ...args], stdin),
  'the executable':
    ({ folder, executable }) =>
    (args, stdin) =>
      start(folder, executable, args, stdin),
};

for (const [form, commandOf] of Object.entries(forms)) {
  const holds = (rule: string, work: (command: Command, context: Context) => Promise<void>) =>
    test(`${form} ${rule}`, (context) => work(commandOf(context), context));
  /** Runs the command, which must succeed. Resolves to what it has printed. */
  const good = async (command: Command, args: readonly string[], stdin?: string): Promise<string> => {
    const { exit, printed } = await command(args, stdin);
    assert.is(exit, 0, printed);
    return printed;
  };

  holds('prints its version and its help', async (command) => {
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    assert.is(await good(command, ['--version']), `${version}\n`);
    assert.match(await good(command, ['help', 'pagenum']), /pagenum/);
  });

  holds('pulls all items into files, Parquet too', async (command, { folder }) => {
    await good(command, ['run', 'config.json', '--to', 'ndjson:out', '--to', 'parquet:out']);
    assert.is(await readFile(join(folder, 'out', 'users.ndjson'), 'utf8'), '{"id":1}\n{"id":2}\n{"id":3}\n');
    assert.is((await readFile(join(folder, 'out', 'users.parquet'))).toString('latin1', 0, 4), 'PAR1');
    await rm(join(folder, 'out'), { recursive: true });
  });

  holds('signs for AWS, and reads an expiry in everyday language', async (command, { folder, api }) => {
    const { config, ...rest } = JSON.parse(await readFile(join(folder, 'config.json'), 'utf8'));
    const authentication = {
      type: 'login',
      loginRequest: { endpoint: 'login', method: 'POST' },
      apiRequest: { headers: { 'X-Token': { response: 'token' } } },
      expires: { response: 'until' },
    };
    const credentials = { accessKeyId: 'AKIDEXAMPLE', '#secretKey': 'secret', serviceName: 's3', regionName: 'eu' };
    const signed = { api: { ...rest.api, authentication }, aws: { signature: { credentials } }, config };
    await writeFile(join(folder, 'signed.json'), JSON.stringify(signed));
    await good(command, ['run', 'signed.json', '--to', 'null:']);
    const last = api.requests.at(-1);
    assert.is(last && headerOf(last, 'x-token'), 't0k');
    assert.match((last && headerOf(last, 'authorization')) ?? '', /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\//);
  });

  holds('writes configurations from YAML, from a curl command, and those of real APIs', async (command, { api }) => {
    assert.match(await good(command, ['init', 'openapi.yaml', '--yes', '--out', '-']), `"baseUrl": "${api.origin}/"`);
    const curl = `curl '${api.origin}/users?page=1&per_page=2' -H 'Accept: application/json'`;
    assert.match(await good(command, ['init', '-', '--yes', '--out', '-'], curl), '"method": "pagenum"');
    assert.match(await good(command, ['init', '--like', 'stripe', '--out', '-']), 'https://api.stripe.com/v1/');
  });

  holds('measures in a process of its own, and draws plots', async (command, { folder }) => {
    const shape = ['--shape', 'pages=2,items=10'];
    const measured = ['bench', '--server', ...shape, '--repeat', '1', '--warm-up', '0', '--report', 'report.html'];
    await good(command, measured);
    assert.match(await readFile(join(folder, 'report.html'), 'utf8'), 'uPlot');
  });

  holds('runs cases in threads', async (command) => {
    const printed = await good(command, ['test', join(root, 'examples', 'apis', 'stripe')]);
    assert.match(printed, /1 passed, 0 failed, 0 skipped/);
  });
}

test('the executable finds the client of a database beside it, and names the package that is missing', async (context) => {
  const { folder, executable } = context;
  const run = ['run', 'config.json', '--to', 'duckdb:out.db'];
  const without = await start(folder, executable, run);
  assert.is(without.exit, 1, without.printed);
  assert.match(without.printed, /needs the package @duckdb\/node-api, which is not installed: npm install/);
  const worker = await start(folder, executable, ['worker', 'postgres://127.0.0.1:1/jobs']);
  assert.is(worker.exit, 1, worker.printed);
  assert.match(worker.printed, /needs the package pg, which is not installed: npm install pg/);
  await symlink(join(root, 'node_modules'), join(dirname(executable), 'node_modules'), 'junction');
  const { exit, printed } = await start(folder, executable, run);
  assert.is(exit, 0, printed);
  assert.ok((await readdir(folder)).includes('out.db'));
  // A package that is an ES module.
  const refused = await start(folder, executable, ['run', 'config.json', '--to', 'kafka://127.0.0.1:1/topic']);
  assert.match(refused.printed, /kafka: cannot connect/);
});

test('beside the executable are checksums, licenses, and a bill of all that is in it', async () => {
  const name = basename(written, '.exe');
  const sums = (await readFile(join(build, `${name}.sha256`), 'utf8')).trimEnd().split('\n');
  assert.is(sums.length, 3);
  for (const [sum = '', file = ''] of sums.map((line) => line.split('  '))) {
    assert.is(
      createHash('sha256')
        .update(await readFile(join(build, file)))
        .digest('hex'),
      sum,
      file,
    );
  }
  const licenses = await readFile(join(build, `${name}.licenses.txt`), 'utf8');
  const bill = JSON.parse(await readFile(join(build, `${name}.cdx.json`), 'utf8'));
  assert.equal([bill.bomFormat, bill.specVersion, bill.metadata.component.name], ['CycloneDX', '1.6', 'rxtract']);
  const parts: readonly { readonly name: string; readonly version: string; readonly purl: string }[] = bill.components;
  const names = parts.map((part) => part.name);
  for (const expected of ['node', 'undici', 'rxjs', 'aws4', 'yaml', 'uplot'])
    assert.ok(names.includes(expected), expected);
  for (const part of parts) {
    assert.ok(licenses.includes(`${part.name} ${part.name === 'node' ? 'v' : ''}${part.version}:`), part.name);
  }
  assert.is(new Set(parts.map(({ purl }) => purl)).size, parts.length);
});

test.run();
