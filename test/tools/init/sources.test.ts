/** The sources of `init`: curl commands, OpenAPI documents and HAR files, from the command to a pull of everything. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { commandHere, inTemporary } from '../../blackbox/command.js';
import { type Answer, json, plain, startApi } from '../../loopback/api.js';
import { apis, users } from './apis.js';

const token = 'tok-5f3a99';
/** Page numbers from 1, after the token; and the document of that API. */
const answer: Answer = (request, index) => {
  const [pages] = apis;
  if (request.target.startsWith('/openapi')) return plain(openApi());
  if (pages === undefined) throw new Error('there is no API');
  return pages.answer(request, index);
};

const openApi = (server = '/api/v2'): string => `
openapi: 3.0.3
info: { title: users, version: "1" }
servers: [{ url: ${server} }]
components:
  securitySchemes: { token: { type: http, scheme: bearer } }
security: [{ token: [] }]
paths:
  /users:
    get:
      operationId: listUsers
      parameters:
        - { name: page, in: query, schema: { type: integer } }
        - { name: per_page, in: query, schema: { type: integer, maximum: 20 } }
      responses:
        "200": { description: ok, content: { application/json: { schema: { type: object, properties: { data: { type: array, items: { type: object } } } } } } }
`;

const har = (url: string): string =>
  JSON.stringify({
    log: {
      version: '1.2',
      entries: [
        {
          request: { method: 'GET', url, headers: [{ name: 'Authorization', value: `Bearer ${token}` }] },
          response: {
            status: 200,
            content: { mimeType: 'application/json', text: JSON.stringify({ data: users.slice(0, 10) }) },
          },
        },
      ],
    },
  });

interface Source {
  readonly args?: readonly string[];
  readonly stdin?: string;
  /** By name; the arguments have their paths. */
  readonly file?: readonly [name: string, text: string];
  readonly env?: Readonly<Record<string, string>>;
}

const sources: Readonly<Record<string, (origin: string) => Source>> = {
  'words of a curl command': (origin) => ({
    args: ['--', 'curl', `${origin}/api/v2/users?page=2`, '-H', `Authorization: Bearer ${token}`, '--compressed'],
  }),
  'a curl command on standard input': (origin) => ({
    args: ['-'],
    stdin: `curl '${origin}/api/v2/users?page=2&per_page=5' \\\n  -H 'authorization: Bearer ${token}' -H 'sec-fetch-mode: cors'`,
  }),
  'a file with a curl command': (origin) => ({
    file: ['request.sh', `$ curl -s '${origin}/api/v2/users' -H "Authorization: Bearer ${token}"\n`],
  }),
  'an OpenAPI document': (origin) => ({
    file: ['api.yaml', openApi(`${origin}/api/v2`)],
    args: ['--operation', 'listUsers'],
    env: { API_TOKEN: token },
  }),
  'the address of an OpenAPI document': (origin) => ({
    args: [`${origin}/openapi`, '--operation', 'listUsers'],
    env: { API_TOKEN: token },
  }),
  'an address that looks like a document': (origin) => ({
    args: [`${origin}/openapi.yaml`],
    env: { API_TOKEN: token },
  }),
  'a HAR file': (origin) => ({ file: ['saved.har', har(`${origin}/api/v2/users?page=1`)] }),
};

for (const [name, sourceOf] of Object.entries(sources)) {
  test(`${name}: the configuration pulls all items, and has no secret`, () =>
    inTemporary(async (folder) => {
      const api = await startApi(answer);
      try {
        const { args = [], stdin, file, env = {} } = sourceOf(api.origin);
        const path = file === undefined ? [] : [join(folder, file[0])];
        if (file !== undefined) await writeFile(join(folder, file[0]), file[1]);
        const out = join(folder, 'config.json');
        const given = { env, ...(stdin === undefined ? {} : { stdin }) };
        const made = await commandHere(['init', '--yes', '--out', out, ...path, ...args], given);
        assert.is(made.exit, 0, made.stderr);
        const text = await readFile(out, 'utf8');
        assert.not.match(text, token);
        assert.not.match(made.stderr, token);
        assert.match(text, '"authentication": { "type": "bearer", "token": { "env": "API_TOKEN" } }');
        const run = await commandHere(['run', out, '--to', 'stdout:'], { env: { API_TOKEN: token } });
        assert.is(run.exit, 0, `${run.stderr}\n${text}`);
        assert.is(run.stdout, users.map((user) => `${JSON.stringify(user)}\n`).join(''));
        assert.is(made.stderr.includes('process lists show the values of API_TOKEN'), args[0] === '--');
      } finally {
        await api.close();
      }
    }));
}

const refused: readonly [what: string, file: string, text: string, args: readonly string[], message: RegExp][] = [
  ['a configuration', 'c.json', '{"api": {}, "config": {}}', [], /is a configuration already: rxtract preview/],
  ['any other file', 'c.txt', 'hello', [], /is no HAR file, no OpenAPI document and no curl command/],
  [
    'a header beside a file',
    'a.har',
    '{}',
    ['--header', 'A: b'],
    /--header belongs to the address of an API: the file has its own/,
  ],
];

for (const [what, name, text, args, message] of refused) {
  test(`${what} is refused`, () =>
    inTemporary(async (folder) => {
      await writeFile(join(folder, name), text);
      const { exit, stderr } = await commandHere(['init', join(folder, name), '--out', '-', ...args]);
      assert.is(exit, 1);
      assert.match(stderr, message);
    }));
}

const document = ['--operation', '--param', '--server'];
const misplaced: readonly [what: string, args: readonly string[], stdin: string, options: readonly string[]][] = [
  ['an address', ['http://127.0.0.1:1/a'], '', ['--param', '--server', '--entry']],
  ['a curl command', ['--', 'curl', 'http://127.0.0.1:1/a'], '', [...document, '--entry']],
  ['a curl command', ['-'], 'curl http://127.0.0.1:1/a', [...document, '--entry']],
  ['a curl command', ['a.sh'], '', [...document, '--entry']],
  ['a HAR file', ['a.har'], '', document],
  ['an OpenAPI document', ['a.yaml'], '', ['--entry']],
  ['an OpenAPI document', ['http://127.0.0.1:1/openapi.yaml'], '', ['--entry']],
];

for (const [kind, source, stdin, options] of misplaced) {
  test(`${source.join(' ')}: an option of another kind of source is refused`, () =>
    inTemporary(async (folder) => {
      const url = 'http://127.0.0.1:1/a';
      const files = { 'a.sh': `curl ${url}`, 'a.har': har(url), 'a.yaml': openApi(url) };
      for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
      const args = source.map((each) => (Object.hasOwn(files, each) ? join(folder, each) : each));
      for (const option of options) {
        const { exit, stderr } = await commandHere(
          ['init', '--out', '-', option, option === '--entry' ? '1' : 'n=1', ...args],
          { stdin },
        );
        const owner = option === '--entry' ? 'a HAR file' : 'an OpenAPI document';
        assert.match(stderr, `${option} belongs to ${owner}, and the source is ${kind}: `);
        assert.is(exit, 1);
      }
    }));
}

test('an address without its scheme is said', async () => {
  const { stderr } = await commandHere(['init', 'api.example.com/users', '--out', '-']);
  assert.match(stderr, 'an address begins with https://, as https://api.example.com/users');
});

test('a document, or a part of one, that leads to another origin is not read', async () => {
  const other = await startApi({ 'GET /parts.json': json({ get: {} }) });
  const away = { status: 302, headers: { location: `${other.origin}/parts.json` } };
  const paths = { '/a': { $ref: 'parts.json' } };
  const document = json({ openapi: '3.1.0', servers: [{ url: 'http://h' }], paths });
  const api = await startApi({ 'GET /openapi.json': document, 'GET /parts.json': away, 'GET /swagger.json': away });
  for (const name of ['openapi.json', 'swagger.json']) {
    const { exit, stderr } = await commandHere(['init', `${api.origin}/${name}`, '--out', '-']);
    assert.is(exit, 1);
    assert.match(stderr, `leads to another origin: give the address of the document at ${other.origin}`);
  }
  await Promise.all([api.close(), other.close()]);
});

test('a document that is not there names its status, an API that answers with a document what to try', async () => {
  const api = await startApi({ 'GET /users': json({ openapi: '3.0.0', paths: {} }) });
  const missing = await commandHere(['init', `${api.origin}/openapi.json`, '--out', '-']);
  assert.match(missing.stderr, '/openapi.json: status 404: the document cannot be read');
  const document = await commandHere(['init', `${api.origin}/users`, '--out', '-']);
  assert.match(document.stderr, 'this is an OpenAPI document: name one of its operations with --operation');
  await api.close();
});

test.run();
