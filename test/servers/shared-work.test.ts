/** Runs that two worker processes share: one login at a time, one count of requests, and no secret at the board. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { test as run } from 'uvu';
import * as assert from 'uvu/assert';
import { boardAt } from '../../src/checkpoint/board/board-address.js';
import type { ExtractOptions } from '../../src/run/options.js';
import { describeWork } from '../../src/run/shared/describe-work.js';
import { headerOf, json, type RecordedRequest, startApi } from '../loopback/api.js';
import { postgresMissing } from '../support/servers.js';
import { testWhere } from '../where.js';
import { type Lent, withPostgres } from './postgres-lib.js';

const test = testWhere(postgresMissing);

const workerFile = fileURLToPath(new URL('./task-worker.ts', import.meta.url));

const RXTRACT_KEY = Buffer.alloc(32, 9).toString('base64');

const secrets = {
  password: 'open-sesame-1',
  ofVariable: 'of-the-variable-2',
  ofSink: 'pass-of-sink-3',
  ofHeader: 'key-of-header-4',
  token: 'token-number',
};

const env = { RXTRACT_KEY, TOKEN: secrets.ofVariable };

async function startWorkerProcess(address: string): Promise<ChildProcess> {
  const child = fork(workerFile, [address], { execArgv: ['--import', 'tsx'], env: { ...process.env, ...env } });
  await once(child, 'message');
  return child;
}

/** Submits the run, and lets two processes do its tasks. Returns how many each has done. */
async function runWithTwo(lent: Lent, name: string, configuration: object, options: ExtractOptions) {
  const board = boardAt(lent.uri(), { env: {} });
  const children = await Promise.all([1, 2].map(() => startWorkerProcess(lent.uri())));
  try {
    const start = await describeWork(name, configuration, { ...options, env });
    await board.submit({ ...start, name, block: 3 });
    for (;;) {
      const status = await board.status(name);
      if (status?.state === 'done') break;
      assert.is(status?.state, 'running', JSON.stringify(status?.errors));
      await sleep(50);
    }
    return await Promise.all(
      children.map(async (child) => {
        const ended = once(child, 'message');
        child.send('end');
        return Number((await ended)[0]);
      }),
    );
  } finally {
    for (const child of children) child.kill();
    board.end();
  }
}

/** The columns of all tables of the board that contain the text. */
async function placesOf({ sql }: Lent, text: string): Promise<readonly string[]> {
  const columns = await sql(`SELECT table_name AS t, column_name AS c, data_type AS type FROM information_schema.columns
    WHERE table_schema = 'rxtract'`);
  assert.ok(columns.length > 40, `${columns.length} columns`);
  const found = await Promise.all(
    columns.map(async ({ t, c, type }) => {
      const shown = type === 'bytea' ? `encode("${c}", 'escape')` : `"${c}"::text`;
      const [row] = await sql(`SELECT count(*)::int AS n FROM rxtract."${t}" WHERE ${shown} LIKE '%${text}%'`);
      return Number(row?.n) > 0 ? [`${t}.${c}`] : [];
    }),
  );
  return found.flat();
}

const perToken = 12;
const users = 10;

/**
 * An API whose tokens are for so many requests. `isLast`: a login ends the token of the one before. The first users are
 * sent when three are asked for, each by a task: a worker has two at a time, so that both are at work.
 */
function createAccount(isLast: boolean) {
  const seen = { logins: 0, refused: 0, pages: 0, running: 0, most: 0 };
  let begin = () => {};
  const bothAtWork = new Promise<void>((resolve) => {
    begin = resolve;
  });
  let asked = 0;
  let left = 0;
  const answer = async ({ target, ...request }: RecordedRequest) => {
    if (target.startsWith('/login')) {
      seen.running += 1;
      seen.most = Math.max(seen.most, seen.running);
      await sleep(20);
      seen.running -= 1;
      seen.logins += 1;
      left = perToken;
      return json({ token: `${secrets.token}-${seen.logins}` });
    }
    if (target.startsWith('/users/')) {
      asked += 1;
      if (asked === 3) begin();
      await bothAtWork;
    }
    const token = headerOf({ target, ...request }, 'x-token') ?? '';
    if (isLast ? token !== `${secrets.token}-${seen.logins}` || left === 0 : !token.startsWith(secrets.token)) {
      seen.refused += 1;
      return { status: 401 };
    }
    left -= 1;
    seen.pages += 1;
    const id = /users\/(\d+)/.exec(target)?.[1];
    if (id !== undefined) return json([{ user: Number(id), note: 'a note' }]);
    return json(Array.from({ length: users }, (_, index) => ({ id: index })));
  };
  return { seen, answer };
}

const configurationOf = (origin: string, expires: object) => ({
  api: {
    baseUrl: `${origin}/`,
    http: { rateLimit: '60/s', headers: { 'X-Key': secrets.ofHeader } },
    authentication: {
      type: 'login',
      loginRequest: { endpoint: 'login', method: 'POST', params: { pass: { attr: '#pass' }, of: { attr: '#env' } } },
      apiRequest: { headers: { 'X-Token': { response: 'token' } } },
      ...expires,
    },
  },
  config: {
    '#pass': secrets.password,
    '#env': { env: 'TOKEN' },
    jobs: ['first', 'second'].map((endpoint) => ({
      ...{ endpoint, dataType: endpoint },
      children: [{ endpoint: `users/{id}`, dataType: `notes_${endpoint}`, placeholders: { id: 'id' } }],
    })),
  },
});

const sinkOf = (lent: Lent) => lent.uri().replace('rx@', `rx:${secrets.ofSink}@`);

test('two processes log in once for each time that the API ends a token, and store no secret in the clear', () =>
  withPostgres(async (lent) => {
    const { seen, answer } = createAccount(true);
    const api = await startApi(answer);
    try {
      const done = await runWithTwo(lent, 'nightly', configurationOf(api.origin, {}), { to: [sinkOf(lent)] });
      assert.ok(
        done.every((count) => count > 0),
        `both have done some: ${done}`,
      );
      const requests = 2 + 2 * users;
      assert.is(seen.pages, requests);
      assert.equal([seen.logins, seen.most], [Math.ceil(requests / perToken), 1]);
      const [counted] = await lent.sql('SELECT count(*)::int AS keys, sum(total)::int AS total FROM rxtract.rates');
      assert.is(counted?.keys, 1);
      assert.ok(Number(counted?.total) >= seen.logins + seen.refused + seen.pages, 'all requests are counted together');
      for (const name of ['notes_first', 'notes_second']) {
        const items = (await lent.read(name)).map((item) => JSON.parse(item).user).sort((a, b) => a - b);
        assert.equal(items, [...Array(users).keys()]);
      }
      for (const [what, secret] of Object.entries(secrets)) {
        assert.equal(await placesOf(lent, secret), [], what);
      }
      const [{ work } = {}] = await lent.sql('SELECT work FROM rxtract.runs');
      assert.match(String(work), /^{"format":1,"sealed":"[\w+/=]+"}$/);
      assert.ok((await placesOf(lent, 'nightly')).length > 3, 'the search finds what is there');
    } finally {
      await api.close();
    }
  }));

test('a login for each request is shared by nothing', () =>
  withPostgres(async (lent) => {
    const { seen, answer } = createAccount(false);
    const api = await startApi(answer);
    try {
      await runWithTwo(lent, 'each', configurationOf(api.origin, { expires: 0 }), { to: [sinkOf(lent)] });
      assert.equal([seen.pages, seen.logins, seen.refused], [2 + 2 * users, 2 + 2 * users, 0]);
      assert.equal(await lent.sql('SELECT key FROM rxtract.logins'), []);
    } finally {
      await api.close();
    }
  }));

run.run();
