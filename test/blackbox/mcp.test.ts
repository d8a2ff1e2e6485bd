/** `rxtract mcp` by the client of the SDK: its tools, hosts and files, and what no answer shows. */
import { copyFile, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { json, startApi } from '../loopback/api.js';
import { filesIn, inTemporary, ownCommand } from './command.js';

const main = fileURLToPath(new URL('../../dist/src/cli/main.js', import.meta.url));

interface Scene {
  readonly folder: string;
  readonly origin: string;
  /** Of another port. */
  readonly other: string;
  readonly targets: () => readonly string[];
  readonly targetsOfOther: () => readonly string[];
}

interface Assistant {
  readonly client: Client;
  /** The text of the answer, after `error` if it is one. */
  call(name: string, input?: Record<string, unknown>): Promise<string>;
}

const users = [
  { id: 1, name: 'Ada', key: 'very-secret' },
  { id: 2, name: 'Bob', key: 'none' },
];

/** Two servers of one API; the first redirects to the second where it is asked to. */
const inScene = (work: (scene: Scene) => Promise<void>) => () =>
  inTemporary(async (folder) => {
    const other = await startApi(() => json(users));
    const api = await startApi(({ target }) => {
      if (target.startsWith('/moved')) return { status: 302, headers: { location: `${other.origin}/users` } };
      return target.includes('page=2') ? json([]) : json(users);
    });
    const config = {
      api: { baseUrl: `${api.origin}/`, http: { headers: { 'X-Key': { env: 'KEY' } } } },
      config: { jobs: [{ endpoint: 'users' }] },
    };
    await writeFile(join(folder, 'config.json'), JSON.stringify(config));
    const targets = (of: typeof api) => () => of.requests.map(({ target }) => target);
    const scene = {
      folder,
      origin: api.origin,
      other: other.origin,
      targets: targets(api),
      targetsOfOther: targets(other),
    };
    await work(scene).finally(() => Promise.all([api.close(), other.close()]));
  });

async function assisted(folder: string, words: readonly string[], work: (assistant: Assistant) => Promise<void>) {
  const client = new Client({ name: 'test', version: '1' });
  const env = { ...process.env, KEY: 'very-secret' } as Record<string, string>;
  const args = [main, 'mcp', ...words];
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args, cwd: folder, env, stderr: 'ignore' }),
  );
  const call: Assistant['call'] = async (name, input = {}) => {
    const { content, isError } = await client.callTool({ name, arguments: input });
    const [part] = content as readonly { readonly text: string }[];
    return `${isError === true ? 'error ' : ''}${part?.text}`;
  };
  await work({ client, call }).finally(() => client.close());
}

const content = (baseUrl: string, more: object = {}) =>
  JSON.stringify({ api: { baseUrl, ...more }, config: { jobs: [{ endpoint: 'users' }] } });

test(
  'has the tools of the command, described by its own tables, and writes nothing',
  inScene(async ({ folder }) => {
    await assisted(folder, [], async ({ client }) => {
      const { tools } = await client.listTools();
      assert.equal(
        tools.map(({ name }) => name),
        ['init', 'validate', 'plan', 'preview', 'shape', 'test'],
      );
      assert.ok(tools.every(({ annotations }) => annotations?.readOnlyHint === true));
      const preview = tools.find(({ name }) => name === 'preview')?.inputSchema.properties ?? {};
      assert.equal(Object.keys(preview), ['config', 'content', 'job', 'pages', 'items', 'replay']);
      assert.match(JSON.stringify(preview.pages), 'pages of each job (default: 1)');
      assert.match(client.getInstructions() ?? '', 'Begin with init');
    });
    await assisted(folder, ['--write'], async ({ client }) => {
      const { tools } = await client.listTools();
      const writing = tools.filter(({ annotations }) => annotations?.readOnlyHint === false);
      assert.equal(
        writing.map(({ name }) => name),
        ['init', 'preview', 'shape', 'test'],
      );
    });
  }),
);

test(
  'requests go to the hosts of the given configuration alone, and answers have no secret',
  inScene(async ({ folder, origin, other, targets, targetsOfOther }) => {
    await assisted(folder, ['config.json'], async ({ call }) => {
      assert.match(await call('validate', { config: 'config.json' }), 'is valid: 1 job (users)');
      assert.match(await call('plan', { config: 'config.json' }), `GET ${origin}/users`);
      assert.equal(targets(), []);
      const preview = await call('preview', { config: 'config.json', items: 5 });
      assert.match(preview, 'Ada');
      assert.not.match(preview, 'very-secret');
      assert.match(await call('shape', { config: 'config.json', as: 'ts' }), 'name: string');
      const proposed = await call('init', { source: `${origin}/users` });
      assert.match(proposed, '"endpoint": "users"');
      const before = targets().length;
      for (const source of [`${other}/users`, `${origin}/moved`]) {
        assert.match(await call('init', { source }), /^error/, source);
      }
      for (const text of [content(`${other}/`), content(`${origin}/moved/`)]) {
        assert.match(await call('preview', { content: text }), /^error .*none of those that were given with --host/s);
      }
      const login = { authentication: { type: 'login', loginRequest: { endpoint: `${other}/login` } } };
      assert.match(await call('preview', { content: content(`${origin}/`, login) }), /^error/);
      assert.equal(targetsOfOther(), []);
      assert.ok(
        targets()
          .slice(before)
          .every((target) => target.startsWith('/moved')),
      );
    });
  }),
);

test(
  'without a host no request is sent; --host names one',
  inScene(async ({ folder, origin, targets, targetsOfOther, other }) => {
    await assisted(folder, [], async ({ call }) => {
      for (const name of ['preview', 'shape']) {
        assert.match(await call(name, { config: 'config.json' }), /^error .*no host is allowed/s);
      }
      assert.match(await call('init', { source: `${origin}/users` }), /^error .*no host is allowed/s);
      assert.match(await call('plan', { config: 'config.json', json: true }), '"iterations"');
    });
    assert.equal(targets(), []);
    await assisted(folder, ['--host', new URL(other).host], async ({ call }) => {
      assert.match(await call('init', { curl: `curl ${other}/users` }), '"endpoint": "users"');
      assert.match(await call('preview', { config: 'config.json' }), /^error/);
    });
    assert.equal([targets().length, targetsOfOther().length > 0], [0, true]);
  }),
);

test(
  'files outside the folder, programs, tokens in files and other hosts of a configuration are refused',
  inScene(async ({ folder, origin, targets }) => {
    await symlink('/etc', join(folder, 'link'));
    await assisted(folder, ['config.json'], async ({ call }) => {
      const outside = /is not in the folder of the server/;
      for (const config of ['/etc/hostname', '../other.json', 'link/hostname']) {
        assert.match(await call('preview', { config }), outside, config);
      }
      assert.match(await call('preview', { config: 'config.json', replay: '/etc/hostname' }), outside);
      assert.match(await call('test', { folders: ['..'] }), outside);
      const each = (file: string) =>
        JSON.stringify({
          api: { baseUrl: `${origin}/` },
          config: { jobs: [{ endpoint: 'users', each: { id: { file } }, params: { id: { each: 'id' } } }] },
        });
      assert.match(await call('plan', { content: each('/etc/hostname') }), outside);
      assert.not.match(await call('plan', { content: each('values.txt') }), outside);
      const store = { authentication: { type: 'oauth2', tokenStore: 'tokens.json' } };
      assert.match(await call('validate', { content: content(origin, store) }), '`tokenStore` is not for assistants');
      const tunnel = { sshProxy: { host: 'x' } };
      assert.match(await call('validate', { content: content(origin, tunnel) }), '`sshProxy` is not for assistants');
      const program = { http: { headers: { A: { command: ['touch', 'made'] } } } };
      assert.match(await call('preview', { content: content(`${origin}/`, program) }), /^error/);
      assert.match(await call('init', { source: '/etc/hostname' }), 'expected an address that begins with http');
    });
    assert.equal(targets(), []);
    assert.equal(Object.keys(await filesIn(folder)), ['config.json']);
  }),
);

test(
  'wrong input is an error with what was expected, and the server goes on',
  inScene(async ({ folder }) => {
    await assisted(folder, ['config.json'], async ({ call }) => {
      for (const [name, input, said] of [
        ['preview', {}, 'preview needs either "config" or "content"'],
        ['preview', { config: 'config.json', content: '{}' }, 'preview needs either "config" or "content"'],
        ['preview', { config: 1 }, 'config: expected a text'],
        ['preview', { config: 'no.json' }, 'no.json: cannot be read'],
        ['preview', { config: 'config.json', page: 1 }, 'unknown member "page"; did you mean "pages"?'],
        ['preview', { path: 'config.json' }, 'unknown member "path": expected config, content, '],
        ['preview', { config: 'config.json', pages: 'x' }, '--pages'],
        ['preview', { config: 'config.json', pages: {} }, 'pages: expected a text or a number'],
        ['preview', { config: 'config.json', record: 'r' }, '"record" writes a file: the server needs --write'],
        ['shape', { config: 'config.json', whole: 'yes' }, 'whole: expected true or false'],
        ['test', { folders: 'cases' }, 'folders: expected a list of texts'],
        ['init', {}, 'init needs either "source" or "curl"'],
        ['run', {}, 'there is no tool "run"'],
      ] as const) {
        const answer = await call(name, input);
        assert.match(answer, /^error /, said);
        assert.match(answer, said);
      }
      assert.match(await call('shape', { config: 'config.json', whole: false }), '$defs');
    });
  }),
);

test(
  'with --write tools write in the folder, and a recording replays without a host',
  inScene(async ({ folder, origin, targets }) => {
    await assisted(folder, ['config.json', '--write'], async ({ call }) => {
      assert.not.match(await call('init', { source: `${origin}/users`, out: 'new.json' }), /^error/);
      assert.match(await readFile(join(folder, 'new.json'), 'utf8'), '"endpoint": "users"');
      assert.match(await call('init', { source: `${origin}/users`, out: '/tmp/x.json' }), 'is not in the folder');
      await mkdir(join(folder, 'cases'), { recursive: true });
      assert.not.match(await call('preview', { config: 'config.json', record: 'cases/recording.jsonl' }), /^error/);
      await copyFile(join(folder, 'config.json'), join(folder, 'cases/config.json'));
      assert.match(await call('test', { folders: ['cases'] }), /^error .*--update/s);
      assert.not.match(await call('test', { folders: ['cases'], update: true }), /^error/);
    });
    const before = targets().length;
    await assisted(folder, [], async ({ call }) => {
      assert.match(await call('preview', { config: 'config.json', replay: 'cases/recording.jsonl' }), 'Ada');
      assert.match(await call('test', { folders: ['cases'] }), /^ok /);
    });
    assert.is(targets().length, before);
  }),
);

test('a configuration that is wrong ends the server at once, and so does the end of its input', () =>
  inTemporary(async (cwd) => {
    await writeFile(join(cwd, 'config.json'), '{}');
    const wrong = await ownCommand(['mcp', 'config.json'], { cwd });
    assert.equal([wrong.exit, wrong.stdout], [1, '']);
    assert.match(wrong.stderr, 'api: required: expected an object');
    const ended = await ownCommand(['mcp'], { cwd });
    assert.equal([ended.exit, ended.stdout], [0, '']);
  }));

test.run();
