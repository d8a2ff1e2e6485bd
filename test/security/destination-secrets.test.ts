/** Secrets of destinations: every command, every destination, every way in; its server repeats them. Found 0 times. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isServer, type SinkEntry } from '../../sinks/entry.js';
import { sinks } from '../../sinks/registry.js';
import { commands } from '../../src/cli/commands.js';
import { rxtract } from '../../src/cli/main-command.js';
import { run } from '../../src/run/extract.js';
import { inTemporary } from '../blackbox/command.js';
import { fakeShell } from '../cli/fake-shell.js';
import { items, json, startApi } from '../loopback/api.js';
import { sources } from '../rules/sources.js';
import { type Destination, destinations, type SecretWay } from './destinations.js';
import { type EchoServer, echoServers } from './echo-servers.js';
import { finds } from './finding.js';

const secret = 'S3:cr3t/+pl&nted=9~x';
const base64 = (text: string) => Buffer.from(text).toString('base64');
/** Its readings: docs/decisions/020. A text of AMQP has 255 bytes at the most. */
const echo = `echo ${[secret, encodeURIComponent(secret), base64(secret), base64(`joe:${secret}`)].join(' ')} end`;

/** The arguments of each command that takes an address, by the option that takes it. They may write into `dir`. */
const words: Readonly<Record<string, (uri: string, dir: string) => readonly string[]>> = {
  'run --to': (uri, dir) => ['run', '-', '--to', uri, '--state', join(dir, 'st'), '--record', join(dir, 'r.jsonl')],
  'run --on-item-error': (uri, dir) => ['run', '-', '--to', 'null:', ...letters(uri), '--record', join(dir, 'r.jsonl')],
  'validate --to': (uri) => ['validate', '-', '--connect', '--to', uri],
  'validate --on-item-error': (uri) => ['validate', '-', '--connect', '--to', 'null:', ...letters(uri)],
  'doctor --to': (uri) => ['doctor', '-', '--to', uri],
  'doctor --on-item-error': (uri) => ['doctor', '-', '--json', '--to', 'null:', ...letters(uri)],
  'bench --to': (uri, dir) => ['bench', '-', ...once, '--json', join(dir, 'b.json'), '--to', uri],
  'bench --on-item-error': (uri, dir) => ['bench', '-', ...once, '--report', join(dir, 'b.html'), ...letters(uri)],
};

const letters = (uri: string) => ['--on-item-error', `dead-letter=${uri}`];
const once = ['--repeat', '1', '--warm-up', '0'];

/** Where a server does not get a request, or its error is only a status: what it says is not shown. */
const silent = [
  'http: run --on-item-error',
  'http: validate --to',
  'http: validate --on-item-error',
  'http: bench --on-item-error',
];

/** The arguments of each command with `--proxy`, but for that option. */
const proxied: Readonly<Record<string, (dir: string) => readonly string[]>> = {
  init: () => ['init', 'http://api.example/users', '--yes', '--out', '-'],
  run: () => ['run', '-', '--to', 'null:', '--log', 'json'],
  preview: () => ['preview', '-'],
  shape: () => ['shape', '-'],
  doctor: () => ['doctor', '-', '--json'],
  bench: () => ['bench', '-', '--yes', ...once],
  login: () => ['login', '-'],
  verify: (dir) => ['verify', join(dir, 'certificate.json'), '--again'],
};

const proxyWays: readonly SecretWay[] = [
  { name: 'a literal password', uri: (port, given) => `http://joe:${given}@127.0.0.1:${port}` },
  {
    name: 'a password from a variable',
    uri: (port) => `http://joe:\${SECRET}@127.0.0.1:${port}`,
    env: () => ({ SECRET: secret }),
  },
];

const table = Object.entries<Destination>(destinations);

const having = (option: string) => commands.filter(({ options }) => option in options).map(({ name }) => name);

test('every command with an option for an address is here', () => {
  const taking = ['to', 'on-item-error'].flatMap((option) => having(option).map((name) => `${name} --${option}`));
  assert.equal(taking.sort(), Object.keys(words).sort());
  // `mcp` and `ui` run these commands, and pass their proxy on.
  assert.equal(having('proxy').sort(), [...Object.keys(proxied), 'mcp', 'ui'].sort());
});

test('every sink with a server is here, and every credential that a client takes from the environment', () => {
  const all = Object.entries<SinkEntry>(sinks).filter(([, entry]) => isServer(entry));
  assert.equal(
    all.map(([name]) => name),
    Object.keys(destinations),
  );
  const read = sources('sinks', /\.ts$/).flatMap(({ content }) =>
    [...content.matchAll(/\bcredentialOf\(env, '(\w+)'/g)].map(([, name]) => name),
  );
  const ways = table.flatMap(([, { ways: all }]) => all.map(({ name }) => name));
  assert.ok(read.length >= 3);
  assert.equal(
    read.filter((name) => !ways.some((way) => way === name)),
    [],
  );
});

interface Place {
  readonly env: Readonly<Record<string, string>>;
  readonly dir: string;
}

/** All that a command leaves: both outputs, with stack traces, and the files in `dir`. */
async function leftBy(args: readonly string[], stdin: string, { env, dir }: Place) {
  const shell = fakeShell({ stdin, env: { RXTRACT_DEBUG: '1', ...env } });
  const exit = await rxtract(args, shell);
  const files = await readdir(dir, { recursive: true, withFileTypes: true });
  const texts = files.filter((each) => each.isFile()).map((each) => readFile(join(each.parentPath, each.name), 'utf8'));
  return { exit, text: [shell.out(), shell.err(), ...(await Promise.all(texts))].join('\n') };
}

/** Writes the file of a way. Returns the variables of the way. */
async function environmentOf({ env, file, isFolder }: SecretWay, dir: string): Promise<Record<string, string>> {
  const given = { PGPASSFILE: join(dir, 'none'), ...env?.(secret) };
  if (file === undefined) return given;
  const path = join(dir, file.name);
  await writeFile(path, file.text(secret), { mode: 0o600 });
  const { PGPASSFILE: _, ...others } = given;
  return { ...others, [file.variable]: isFolder === true ? dir : path };
}

interface Planting {
  readonly name: string;
  readonly server: EchoServer;
  readonly document: string;
  /** The API answers with the error of the server too. */
  refuse(refuses: boolean): void;
}

/** Where the secret shows, and which commands have shown the error of the server. */
async function plant({ name, server, document, refuse }: Planting, way: SecretWay, dir: string) {
  const leaks: string[] = [];
  const shown: string[] = [];
  const env = await environmentOf(way, dir);
  for (const [command, argumentsFor] of Object.entries(words)) {
    // It asks the API first, and reads the file of a client later.
    refuse(command.startsWith('doctor') && way.file === undefined);
    for (const log of command.startsWith('run') ? ['text', 'json'] : ['text']) {
      const out = join(dir, `${command} ${log}`);
      await mkdir(out);
      const args = argumentsFor(way.uri(server.port, encodeURIComponent(secret)), out);
      const { exit, text } = await leftBy(log === 'json' ? [...args, '--log', log] : args, document, { env, dir: out });
      const isSilent = silent.includes(`${name}: ${command}`);
      assert.ok(exit === 1 || isSilent, `${name}, ${way.name}: ${command} did not fail: ${text}`);
      if (text.includes('echo ***')) shown.push(command);
      if (finds(text, secret)) leaks.push(`${way.name}: ${command}: ${text.slice(0, 900)}`);
    }
  }
  return { leaks, shown };
}

/** Lends an API with two items, and a server that repeats the secret. */
async function withEcho(name: string, work: (planting: Planting) => Promise<void>): Promise<void> {
  const start = Object.entries(echoServers).find(([each]) => each === name)?.[1];
  assert.ok(start !== undefined, `there is a server for ${name}`);
  let refuses = false;
  const answer = () => (refuses ? { status: 403, body: echo } : json(items(1, 2)));
  const [api, server] = await Promise.all([startApi(answer), start(echo)]);
  const refuse = (now: boolean) => {
    refuses = now;
  };
  try {
    await work({ name, server, document: documentFor(api.origin), refuse });
  } finally {
    await Promise.all([api.close(), server.close()]);
  }
}

for (const [name, { ways, code, isSigned }] of table) {
  test(`found 0 times: ${name}`, () =>
    inTemporary((dir) =>
      withEcho(name, async (planting) => {
        for (const [index, way] of ways.entries()) {
          const own = join(dir, String(index));
          await mkdir(own);
          const { leaks, shown } = await plant(planting, way, own);
          assert.equal(leaks, []);
          const quiet = Object.keys(words).filter((command) => !shown.includes(command));
          assert.equal(
            quiet.map((command) => `${name}: ${command}`),
            silent.filter((each) => each.startsWith(`${name}:`)),
          );
        }
        const sent = planting.server.received();
        const forms = [secret, base64(`joe:${secret}`)].filter((form) => sent.includes(form));
        assert.ok(isSigned === true || forms.length > 0, 'the server has got the secret');
      }),
    ));

  test(`in code, found 0 times: ${name}`, () =>
    inTemporary((dir) =>
      withEcho(name, async ({ server, document }) => {
        const failureOf = (work: Promise<unknown> | undefined): Promise<unknown> | undefined =>
          work?.catch((thrown: unknown) => thrown);
        const config = JSON.parse(document);
        const own = await failureOf(code(server.port, secret).check?.());
        const failures = [own, await failureOf(run(config, { to: code(server.port, secret) }))];
        for (const way of ways) {
          const to = way.uri(server.port, encodeURIComponent(secret));
          failures.push(await failureOf(run(config, { to, env: await environmentOf(way, dir) })));
        }
        for (const thrown of failures) {
          const text = inspect(thrown, { depth: 9, showHidden: true });
          assert.instance(thrown, Error);
          assert.not.ok(finds(text, secret), text);
          assert.ok(text.includes('echo ***') || (name === 'http' && thrown === own), text);
        }
      }),
    ));
}

test('found 0 times: a proxy that repeats its password', () =>
  inTemporary((dir) =>
    withEcho('proxy', async ({ server }) => {
      const fromVariables = { HTTP_PROXY: `http://joe:${encodeURIComponent(secret)}@127.0.0.1:${server.port}` };
      const ways = [...proxyWays, { name: 'HTTP_PROXY', uri: () => 'env', env: () => fromVariables }];
      await certify(dir);
      for (const way of ways) {
        for (const [command, args] of Object.entries(proxied)) {
          const given = ['--proxy', way.uri(server.port, encodeURIComponent(secret))];
          const place = { env: { ...way.env?.(secret) }, dir };
          const document = command === 'login' ? documentOfLogin(dir) : documentFor('http://api.example');
          const { text } = await leftBy([...args(dir), ...given], document, place);
          assert.match(text, 'echo ***', `${way.name}: ${command}`);
          assert.is(
            text.includes('password-in-arguments'),
            way.name.startsWith('a literal'),
            `${way.name}: ${command}`,
          );
          assert.not.ok(finds(text, secret), `${way.name}: ${command}: ${text}`);
        }
      }
    }),
  ));

/** Runs a configuration whose API states a total, and certifies it. */
async function certify(dir: string): Promise<void> {
  const api = await startApi(() => json({ total: 1, items: [{ id: 1 }] }));
  const pagination = { method: 'pagenum', limit: 2, totalKey: 'total' };
  const document = {
    api: { baseUrl: `${api.origin}/`, pagination },
    config: { jobs: [{ endpoint: 'rows', dataField: 'items' }] },
  };
  await writeFile(join(dir, 'certified.json'), JSON.stringify(document));
  const words = [
    'run',
    join(dir, 'certified.json'),
    '--to',
    `ndjson:${dir}`,
    '--certificate',
    join(dir, 'certificate.json'),
  ];
  const { exit, text } = await leftBy(words, '', { env: {}, dir });
  await api.close();
  assert.is(exit, 0, text);
}

/** A login by the code of a device. */
const documentOfLogin = (dir: string) =>
  JSON.stringify({
    api: {
      baseUrl: 'http://api.example/',
      authentication: {
        type: 'oauth2',
        grant: 'refresh_token',
        clientId: 'app',
        tokenEndpoint: 'http://api.example/token',
        deviceEndpoint: 'http://api.example/device',
        tokenStore: join(dir, 'tokens.json'),
      },
    },
    config: { jobs: [{ endpoint: 'users' }] },
  });

const documentFor = (origin: string) =>
  JSON.stringify({
    api: { baseUrl: `${origin}/`, retryConfig: { maxRetries: 0 } },
    config: { jobs: [{ endpoint: 'users' }] },
  });

test.run();
