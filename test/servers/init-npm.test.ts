/** `rxtract init` on real servers that are packages of npm: what it writes pulls all items, and has no secret. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { test as run } from 'uvu';
import * as assert from 'uvu/assert';
import { commandHere, inTemporary } from '../blackbox/command.js';
import { type NpmServer, npmServerMissing, startJsonServer, startVerdaccio } from '../support/npm-servers.js';
import type { TestServer } from '../support/servers.js';
import { testWhere } from '../where.js';

type Env = Readonly<Record<string, string>>;
type Item = Readonly<Record<string, unknown>>;

const started: TestServer[] = [];
run.after(async () => {
  await Promise.all(started.map((server) => server.close()));
});

/** What a run pulls with the configuration that init writes, and the text of that configuration. */
const pulled = (source: string, env: Env): Promise<{ readonly items: readonly Item[]; readonly config: string }> =>
  inTemporary(async (folder) => {
    const file = `${folder}/config.json`;
    const made = await commandHere(['init', source, '--yes', '--out', file], { env });
    assert.is(made.exit, 0, made.stderr);
    const pull = await commandHere(['run', file, '--to', 'stdout:', '--strict', '--allow', 'round-end'], { env });
    assert.is(pull.exit, 0, pull.stderr);
    const items = pull.stdout.trim().split('\n');
    return { items: items.map((line) => JSON.parse(line)), config: await readFile(file, 'utf8') };
  });

const sorted = (items: readonly Item[]): readonly string[] => items.map((item) => JSON.stringify(item)).sort();

const lists = {
  users: Array.from({ length: 57 }, (_, index) => ({ id: `u${index}`, name: `user ${index}` })),
  posts: Array.from({ length: 130 }, (_, index) => ({ id: index + 1, title: `post ${index}`, meta: { at: index } })),
};

const ofJsonServer: Readonly<Partial<Record<NpmServer, readonly string[]>>> = {
  'json-server 0.17': ['users', 'posts', 'posts?_page=2&_limit=10', 'posts?_start=10&_limit=10'],
  'json-server 1': ['users', 'posts', 'posts?_page=1&_per_page=10'],
};

for (const [name, paths] of Object.entries(ofJsonServer) as [NpmServer, readonly string[]][]) {
  testWhere(npmServerMissing(name))(`${name}: all items of each list`, async () => {
    const server = await startJsonServer(name, lists);
    started.push(server);
    const origin = `http://127.0.0.1:${server.port}`;
    for (const path of paths) {
      const own = await fetch(`${origin}/${path.replace(/\?.*/, '')}`);
      const all = (await own.json()) as readonly Item[]; // a list without parameters is whole
      assert.ok(all.length >= 57);
      assert.equal(sorted((await pulled(`${origin}/${path}`, {})).items), sorted(all), path);
    }
  });
}

const secrets = { NPM_USER: 'reader', NPM_PASSWORD: 'pass-4711/x' };
const count = 45;

/** Publishes a package as npm does, with a tarball of one byte. */
async function publish(origin: string, name: string, authorization: string): Promise<void> {
  const file = `${name}-1.0.0.tgz`;
  const shasum = createHash('sha1').update('x').digest('hex');
  const version = { name, version: '1.0.0', dist: { tarball: `${origin}/${name}/-/${file}`, shasum } };
  const body = {
    ...{ _id: name, name, 'dist-tags': { latest: '1.0.0' }, versions: { '1.0.0': version } },
    _attachments: { [file]: { content_type: 'application/octet-stream', data: btoa('x'), length: 1 } },
  };
  await put(`${origin}/${name}`, body, { authorization });
}

async function put(url: string, body: object, headers: Env = {}): Promise<void> {
  const all = { 'content-type': 'application/json', ...headers };
  const response = await fetch(url, { method: 'PUT', headers: all, body: JSON.stringify(body) });
  assert.is(response.status, 201, await response.text());
}

testWhere(npmServerMissing('verdaccio'))('Verdaccio: all packages, with a login', async () => {
  const server = await startVerdaccio();
  started.push(server);
  const origin = `http://127.0.0.1:${server.port}`;
  const { NPM_USER: user, NPM_PASSWORD: password } = secrets;
  await put(`${origin}/-/user/org.couchdb.user:${user}`, { name: user, password });
  const authorization = `Basic ${btoa(`${user}:${password}`)}`;
  for (let index = 0; index < count; index++) await publish(origin, `package-${index}`, authorization);
  const own = await fetch(`${origin}/-/v1/search?size=${2 * count}`, { headers: { authorization } });
  const { objects } = (await own.json()) as { readonly objects: readonly { readonly package: Item }[] };
  assert.is(objects.length, count);
  const withLogin = origin.replace('//', '//$' + '{NPM_USER}:$' + '{NPM_PASSWORD}@');
  for (const path of ['/-/v1/search', '/-/v1/search?size=10', '/-/v1/search?text=package']) {
    const { items, config } = await pulled(`${withLogin}${path}`, { ...secrets, API_TEXT: 'package' });
    const names = items.map((item) => String((item.package as Item).name)); // as above
    assert.equal(names.sort(), objects.map((each) => String(each.package.name)).sort(), path);
    for (const secret of [password, btoa(password), authorization.slice(6)]) assert.not.match(config, secret);
  }
});

run.run();
