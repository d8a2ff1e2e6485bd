/** Values that come from outside a configuration as a black box: of the environment, and of `--set`. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { items, json, type RecordedRequest, startApi } from '../loopback/api.js';
import { command, type Ended, inTemporary } from './command.js';

interface Case {
  readonly api?: object;
  readonly config?: object;
  readonly words?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Of every answer; 200. */
  readonly status?: number;
}

interface Outcome extends Ended {
  readonly requests: readonly RecordedRequest[];
}

function play(name: 'run' | 'validate', { api, config, words = [], env = {}, status = 200 }: Case): Promise<Outcome> {
  return inTemporary(async (directory) => {
    const server = await startApi(({ target }) => json(status === 200 ? items(1, 1) : { asked: target }, { status }));
    try {
      const document = {
        api: { baseUrl: `${server.origin}/`, retryConfig: { maxRetries: 0 }, ...api },
        config: { jobs: [{ endpoint: 'users' }], ...config },
      };
      await writeFile(join(directory, 'config.json'), JSON.stringify(document));
      const to = name === 'run' ? ['--to', 'null:'] : [];
      const ended = await command([name, 'config.json', ...to, ...words], { cwd: directory, env });
      return { ...ended, requests: server.requests };
    } finally {
      await server.close();
    }
  });
}

const targetsOf = ({ requests }: Outcome) => requests.map(({ target }) => target);
const headerOf = ({ requests }: Outcome, wanted: string) =>
  requests.flatMap(({ headers }) =>
    headers.filter(([name]) => name.toLowerCase() === wanted).map(([, value]) => value),
  );

const password = 'hush-hush-9';
const env = { RX_USER: 'joe', RX_PASSWORD: password, RX_LIMIT: '25' };
const credentials = { function: 'concat', args: ['joe:', { env: 'RX_PASSWORD' }] };
const inPlaces = {
  api: {
    http: { headers: { 'X-Key': { attr: 'plain' } } },
    pagination: { method: 'pagenum', limit: { env: 'RX_LIMIT' }, firstPageParams: true },
  },
  config: {
    plain: { env: 'RX_PASSWORD' },
    '#hidden': { env: 'RX_PASSWORD' },
    debug: true,
    jobs: [
      {
        endpoint: 'users',
        params: { user: { env: 'RX_USER' }, basic: { function: 'base64_encode', args: [credentials] } },
      },
    ],
  },
};

test('a value of the environment is allowed anywhere, and is never shown', async () => {
  for (const status of [200, 403]) {
    const outcome = await play('run', { ...inPlaces, env, status });
    assert.is(outcome.exit, status === 200 ? 0 : 1, outcome.stderr);
    const basic = Buffer.from(`joe:${password}`).toString('base64');
    assert.equal(targetsOf(outcome), [`/users?user=joe&basic=${basic}&page=1&limit=25`]);
    assert.equal(headerOf(outcome, 'x-key'), [password]);
    assert.match(outcome.stderr, /users\?user=/);
    for (const secret of [password, basic]) assert.not.match(outcome.stderr, secret);
  }
});

test('validate puts in values too', async () => {
  const outcome = await play('validate', { ...inPlaces, env });
  assert.equal([outcome.exit, outcome.requests], [0, []], outcome.stderr);
});

for (const name of ['run', 'validate'] as const) {
  test(`${name} lists all variables that are missing, before any request`, async () => {
    const outcome = await play(name, { ...inPlaces, env: { RX_USER: 'joe', RX_LIMIT: '25', RX_PASSWRD: password } });
    assert.is(outcome.exit, 1);
    assert.match(outcome.stderr, /^error: config\.json: 3 problems\n/);
    for (const path of ['config.plain', 'config.#hidden', 'config.jobs[0].params.basic.args[0].args[1]']) {
      const line = `\n  ${path}: there is no variable "RX_PASSWORD" in the environment; did you mean "RX_PASSWRD"? Otherwise: export RX_PASSWORD=...\n`;
      assert.ok(outcome.stderr.includes(line), outcome.stderr);
    }
    assert.match(outcome.stderr, /ERR_CONFIG\n/);
    assert.equal(outcome.requests, []);
    assert.not.match(outcome.stderr, password);
  });
}

test('--set changes the requests', async () => {
  const words = ['--set', 'config.jobs[0].params.limit=1.0', '--set', 'config.jobs[0].endpoint=orders'];
  const outcome = await play('run', { words });
  assert.is(outcome.exit, 0, outcome.stderr);
  assert.equal(targetsOf(outcome), ['/orders?limit=1.0']);
});

test('--set may name a variable for a secret', async () => {
  const api = { http: { headers: { 'X-Key': { attr: '#key' } } } };
  const outcome = await play('run', { api, env, words: ['--set', 'config.#key={"env": "RX_PASSWORD"}'] });
  assert.is(outcome.exit, 0, outcome.stderr);
  assert.equal(headerOf(outcome, 'x-key'), [password]);
});

const refused = [
  { set: 'config.jobs[0]', says: /--set expects PATH=VALUE/, code: 'ERR_USAGE' },
  { set: 'config.job[0].endpoint=x', says: /there is no config\.job; did you mean "jobs"\?/, code: 'ERR_USAGE' },
  { set: 'config.jobs[1].endpoint=x', says: /config\.jobs ends with \[0\]/, code: 'ERR_USAGE' },
  { set: 'api.baseUrl.x=1', says: /api\.baseUrl is a string, which has no members/, code: 'ERR_USAGE' },
  { set: `config.#key=${password}`, says: /"#key" is a secret.*\{"env": "NAME"\}/, code: 'ERR_USAGE' },
  {
    set: 'config.jobs[0].endpoint=7',
    says: /config\.jobs\[0\]\.endpoint: expected a string, found a number/,
    code: 'ERR_CONFIG',
  },
];

for (const { set, says, code } of refused) {
  for (const name of ['run', 'validate'] as const) {
    test(`${name} --set ${set} is ${code}, before any request`, async () => {
      const outcome = await play(name, { words: ['--set', set] });
      assert.is(outcome.exit, 1);
      assert.match(outcome.stderr, says);
      assert.match(outcome.stderr, `${code}\n`);
      assert.not.match(outcome.stderr, password);
      assert.equal(outcome.requests, []);
    });
  }
}

test.run();
