/** `rxtract doctor` against APIs on loopback: each fault is found by its step, and what depends on it is skipped. */
import { createServer as createTlsServer } from 'node:https';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseDocument } from '../../../src/config/document.js';
import { checkRun, type DoctorOptions, type DoctorReport } from '../../../src/tools/doctor/check-run.js';
import { commandHere, inTemporary } from '../../blackbox/command.js';
import { type Answer, json, startApi } from '../../loopback/api.js';
import { makeCertificates, opensslMissing } from '../../loopback/certificates.js';
import { startHttpProxy, startSocks } from '../../loopback/proxies.js';
import { startClock } from '../../support/virtual-clock.js';
import { testWhere } from '../../where.js';

/** Of the steps: `verdict step`, and each by its name. */
function shown(report: Pick<DoctorReport, 'steps'>) {
  const { steps } = report;
  const verdicts = steps.map(({ step, verdict }) => `${verdict} ${step}`);
  return { report, steps, verdicts, of: (step: string) => steps.find((each) => each.step === step) };
}

const check = (document: object, options: Partial<DoctorOptions> = {}) =>
  inTemporary(async (folder) => {
    const content = parseDocument(Buffer.from(JSON.stringify(document)), 'config.json');
    return shown(
      await checkRun(async () => ({ label: 'config.json', content }), {
        folders: [folder],
        timeout: 30_000,
        ...options,
      }),
    );
  });

/** Runs the command with `--json`. */
const command = (document: object, words: readonly string[] = [], env: Readonly<Record<string, string>> = {}) =>
  inTemporary(async (folder) => {
    const to = words.includes('--to') ? [] : ['--to', `ndjson:${join(folder, 'out')}`];
    const stdin = JSON.stringify(document);
    const ended = await commandHere(['doctor', '-', '--json', ...to, ...words], { stdin, env });
    const report = ended.stdout === '' ? { verdict: undefined, steps: [] } : JSON.parse(ended.stdout);
    return { ...ended, ...shown(report), report };
  });

const configOf = (origin: string, api: object = {}, config: object = {}) => ({
  api: { baseUrl: `${origin}/`, ...api },
  config: { jobs: [{ endpoint: 'users' }], ...config },
});

async function atApi<T extends object>(answer: Answer, work: (origin: string) => Promise<T>) {
  const server = await startApi(answer);
  try {
    const ended = await work(server.origin);
    return { ...ended, requests: server.requests.map(({ method, target }) => `${method} ${target}`) };
  } finally {
    await server.close();
  }
}

const checkApi = (answer: Answer, api: object = {}, config: object = {}, options: Partial<DoctorOptions> = {}) =>
  atApi(answer, (origin) => check(configOf(origin, api, config), options));

const commandAt = (answer: Answer, words: readonly string[] = [], api: object = {}, config: object = {}) =>
  atApi(answer, (origin) => command(configOf(origin, api, config), words));

const two: Answer = () => json([{ id: 1 }, { id: 2 }]);

test('a configuration that works passes each step, with one request', async () => {
  const paging = { pagination: { method: 'pagenum', limit: 2 } };
  const { exit, verdicts, of, requests, stderr, report } = await commandAt(two, [], paging);
  assert.equal([exit, stderr], [0, '']);
  assert.equal(verdicts, [
    'ok configuration',
    'skipped name',
    'ok port',
    'ok first page',
    'ok clock',
    'skipped rate limit',
    'ok disk',
  ]);
  assert.equal(requests, ['GET /users?page=1&limit=2']);
  assert.equal([report.format, report.verdict], ['rxtract-doctor/1', 'ok']);
  assert.match(of('first page')?.message ?? '', 'status 200, application/json, 2 items, ');
  assert.match(of('disk')?.message ?? '', /: can be created, .* free/);
});

const login = {
  authentication: {
    type: 'login',
    loginRequest: { endpoint: 'login', method: 'POST', params: { key: { attr: '#key' } } },
    apiRequest: { headers: { 'X-Token': 'token' } },
  },
};
const secret = { '#key': 'hunter2-hunter2' };

test('a login and one page of each job are sent, each once; children and pages ahead are not', async () => {
  const answer: Answer = ({ target }) =>
    json(target.startsWith('/login') ? { token: 'tok-1234567' } : [{ id: 1 }, { id: 2 }]);
  const jobs = [
    { endpoint: 'users', children: [{ endpoint: 'users/{id}', dataType: 'user', placeholders: { id: 'id' } }] },
    { endpoint: 'orders' },
  ];
  const paging = { pagination: { method: 'pagenum', limit: 2, prefetch: 3 } };
  const { verdicts, requests } = await checkApi(answer, { ...login, ...paging }, { ...secret, jobs });
  assert.equal(requests, ['POST /login', 'GET /users?page=1&limit=2', 'GET /orders?page=1&limit=2']);
  assert.equal(verdicts.slice(3, 6), ['ok login', 'ok first page', 'ok first page']);
  const one = await checkApi(answer, paging, { jobs }, { jobs: ['orders'] });
  assert.equal(one.requests, ['GET /orders?page=1&limit=2']);
});

test('a login that the API refuses fails there, and the pages are skipped', async () => {
  const { exit, verdicts, of, requests, stderr, stdout } = await commandAt(
    () => json({ error: 'bad key hunter2-hunter2' }, { status: 401 }),
    [],
    login,
    secret,
  );
  assert.is(exit, 1);
  assert.equal(requests, ['POST /login']);
  assert.equal(verdicts.slice(3, 5), ['failed login', 'skipped first page']);
  assert.match(of('login')?.message ?? '', /POST .*\/login: status 401: \{"error":"bad key \*\*\*"\}/);
  assert.match(of('login')?.todo ?? '', 'names of the parameters and headers that `loginRequest` sends');
  assert.is(of('first page')?.message, 'not checked, because login failed');
  assert.match(stderr, /error: 1 of \d+ steps failed: login\n {2}code {5}ERR_DOCTOR/);
  assert.not.ok(`${stdout}${stderr}`.includes('hunter2'));
});

test('a page that refuses the credentials fails after one request and no second login', async () => {
  const answer: Answer = ({ target }) =>
    target.startsWith('/login') ? json({ token: 'tok-1234567' }) : { status: 401, body: '' };
  const { verdicts, of, requests } = await checkApi(answer, login, secret);
  assert.equal(requests, ['POST /login', 'GET /users']);
  assert.equal(verdicts.slice(3, 5), ['ok login', 'failed first page']);
  assert.match(of('first page')?.message ?? '', 'status 401, the body is empty');
  assert.match(of('first page')?.todo ?? '', 'Check the credentials and their permissions.');
});

test('a web page in place of JSON, a failing API and a page that is no JSON are explained; each is requested once', async () => {
  const html = await checkApi(() => ({ headers: { 'content-type': 'text/html' }, body: '<html>Sign in</html>' }));
  assert.match(
    html.of('first page')?.message ?? '',
    'status 200, but the response is a web page: <html>Sign in</html>',
  );
  assert.match(html.of('first page')?.todo ?? '', 'Check `baseUrl` and `endpoint`');
  const failing = await checkApi(() => ({ status: 503, headers: { 'retry-after': '3600' }, body: 'later' }));
  assert.equal(failing.requests.length, 1);
  assert.match(failing.of('first page')?.message ?? '', 'status 503: later');
  const broken = await checkApi(() => ({ headers: { 'content-type': 'application/json' }, body: '{"a"' }));
  assert.is(broken.of('first page')?.verdict, 'failed');
  const site = await checkApi(() => ({ body: '<!doctype html>' }), login, secret);
  assert.match(site.of('login')?.todo ?? '', 'Check the `endpoint` of the login');
});

test('warnings of a page are a warning, which fails with --strict', async () => {
  const job = { jobs: [{ endpoint: 'users', dataField: 'dta' }] };
  const shown = await commandAt(() => json({ data: [] }), [], {}, job);
  assert.equal([shown.exit, shown.of('first page')?.verdict, shown.report.verdict], [0, 'warning', 'warning']);
  assert.match(shown.of('first page')?.message ?? '', 'did you mean "data"?');
  assert.is((await commandAt(() => json({ data: [] }), ['--strict'], {}, job)).exit, 1);
});

test('a clock that differs by minutes is a warning', async () => {
  for (const [ms, word] of [
    [-300_000, /is 300 s fast/],
    [3_600_000, /is 3,600 s slow/],
  ] as const) {
    const headers = () => ({ 'content-type': 'application/json', date: new Date(Date.now() + ms).toUTCString() });
    const clock = startClock();
    const { of } = await checkApi(() => json([], { headers: headers() })).finally(clock.stop);
    assert.is(of('clock')?.verdict, 'warning');
    assert.match(of('clock')?.message ?? '', word);
  }
  const { of } = await checkApi(() => json([], { headers: { date: 'soon' } }));
  assert.is(of('clock')?.verdict, 'skipped');
});

test('few requests left are a warning', async () => {
  const rate = (left: number, more: object = {}) => ({
    'ratelimit-remaining': String(left),
    'ratelimit-reset': '60',
    ...more,
  });
  const few = await checkApi(() => json([], { headers: rate(40, { 'ratelimit-limit': '5000' }) }));
  assert.equal(
    [few.of('rate limit')?.verdict, few.of('rate limit')?.message],
    ['warning', '40 of 5,000 requests left for the next 60 s'],
  );
  const many = await checkApi(() => json([], { headers: rate(4000, { 'ratelimit-limit': '5000' }) }));
  assert.is(many.of('rate limit')?.verdict, 'ok');
  const unknown = await checkApi(() => json([], { headers: rate(9) }));
  assert.match(unknown.of('rate limit')?.message ?? '', '9 requests left for the next 60 s');
  assert.is(unknown.of('rate limit')?.verdict, 'warning');
});

test('a configuration that is wrong fails first, and only places of this machine are checked', async () => {
  const { verdicts, of } = await check({ api: {}, config: { jobs: [{ endpoint: 1 }] } });
  assert.equal(verdicts, [
    'failed configuration',
    'skipped name',
    'skipped first page',
    'skipped clock',
    'skipped rate limit',
    'ok disk',
  ]);
  assert.match(of('configuration')?.message ?? '', 'config.json: ');
  assert.match(of('configuration')?.message ?? '', 'api.baseUrl');
  const warned = await checkApi(two, { unknownKey: 1 });
  assert.is(warned.of('configuration')?.verdict, 'warning');
});

test('a name that is not found, and a closed port, stop there', async () => {
  const name = await check(configOf('https://api.invalid'));
  assert.equal(name.verdicts.slice(1, 5), ['failed name', 'skipped port', 'skipped TLS', 'skipped first page']);
  assert.match(name.of('name')?.message ?? '', 'api.invalid was not found');
  assert.is(name.of('first page')?.message, 'not checked, because TLS was not checked');
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  await new Promise((resolve) => server.close(resolve));
  const closed = await check(configOf(`http://127.0.0.1:${port}`));
  assert.match(closed.of('port')?.message ?? '', `127.0.0.1:${port}: the connection was refused (ECONNREFUSED)`);
  const proxy = await check(configOf('https://api.example'), { proxy: `http://127.0.0.1:${port}` });
  assert.equal(proxy.verdicts.slice(1, 3), ['failed proxy', 'skipped first page']);
  assert.match(proxy.of('proxy')?.todo ?? '', 'Check the URL of --proxy');
});

test('a proxy that runs is the only way that is checked', async () => {
  const proxy = await startApi(() => json([{ id: 1 }]));
  const { verdicts } = await check(configOf('http://api.example'), { proxy: proxy.origin });
  assert.equal(verdicts.slice(1, 3), ['ok proxy', 'ok first page']);
  await proxy.close();
});

test('a proxy is asked to connect to the host of the API, and what it refuses is shown without the password', async () => {
  const proxy = await startHttpProxy({ demands: 'ada:hunter2-hunter2' });
  const env = { PASSWORD: 'hunter2-hunter2', WRONG: 'wrong-wrong-1' };
  const open = createServer((socket) => void socket.destroy());
  await new Promise<void>((resolve) => open.listen(0, '127.0.0.1', resolve));
  const address = open.address();
  const target = `127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  const at = async (user: string) =>
    command(configOf(`https://${target}`), ['--proxy', `http://${user}@${proxy.host}`, '--timeout', '20'], env);
  const right = await at(`ada:\${PASSWORD}`);
  assert.match(right.of('proxy')?.message ?? '', `; it has connected to ${target}`);
  assert.is(right.of('proxy')?.verdict, 'ok');
  const wrong = await at(`ada:\${WRONG}`);
  assert.is(wrong.of('proxy')?.verdict, 'failed');
  assert.match(wrong.of('proxy')?.message ?? '', 'rejects the user and password (407)');
  assert.match(wrong.of('proxy')?.todo ?? '', 'Check the user and the password in --proxy');
  assert.not.match(`${right.stdout}${wrong.stdout}`, /hunter2|wrong-wrong/);
  assert.equal([...new Set(proxy.asked)], [`CONNECT ${target}`]);
  await proxy.close();
  await new Promise((resolve) => open.close(resolve));
  const socks = await startSocks({ reply: 5 });
  const refused = await check(configOf('http://api.example'), { proxy: `socks5://${socks.host}` });
  assert.equal(refused.verdicts.slice(1, 3), ['failed proxy', 'skipped first page']);
  await socks.close();
});

test('a literal password in an argument is the warning of run, and an error with --strict', async () => {
  const cases = [
    ['--to', 'redis://:hunter2-hunter2@127.0.0.1:1/0?stream=s'],
    ['--proxy', 'http://ada:hunter2-hunter2@127.0.0.1:1'],
    ['--on-item-error', 'dead-letter=redis://:hunter2-hunter2@127.0.0.1:1/0?stream=s'],
  ];
  for (const words of cases) {
    const { stderr, stdout } = await command(configOf('http://127.0.0.1:1'), [...words, '--timeout', '5']);
    assert.match(stderr, new RegExp(`^warning: ${words[0]}: process lists show the password .*password-in-arguments`));
    assert.not.match(`${stdout}${stderr}`, 'hunter2');
    const strict = await command(configOf('http://127.0.0.1:1'), [...words, '--strict']);
    assert.equal([strict.exit, strict.stdout], [1, '']);
  }
});

test('a server without TLS at an https address fails at TLS', async () => {
  const server = await startApi(two);
  const { of, verdicts } = await check(configOf(server.origin.replace('http:', 'https:')));
  await server.close();
  assert.equal(verdicts.slice(3, 5), ['failed TLS', 'skipped first page']);
  assert.match(of('TLS')?.todo ?? '', 'Check that the server speaks TLS at this port');
});

testWhere(opensslMissing)(
  'certificates: trusted with few days left, of an unknown authority, for another name',
  async () => {
    const { ca, server, elsewhere } = makeCertificates();
    for (const [pair, api, verdict, message] of [
      [
        server,
        { caCertificate: ca },
        'warning',
        /certificate of server by ca, [12] days? left \(until \d{4}-\d\d-\d\d\)$/,
      ],
      [server, {}, 'failed', /it is not trusted: its authority is not known here \(\w+\)$/],
      [elsewhere, { caCertificate: ca }, 'failed', /it is not trusted: it is for another host name/],
    ] as const) {
      const api1 = createTlsServer({ cert: pair.cert, key: pair.key }, (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json' }).end('[{"id":1}]');
      });
      await new Promise<void>((resolve) => api1.listen(0, '127.0.0.1', resolve));
      const address = api1.address();
      const port = typeof address === 'object' ? address?.port : 0;
      const { of } = await check(configOf(`https://localhost:${port}`, api));
      api1.closeAllConnections();
      await new Promise((resolve) => api1.close(resolve));
      assert.is(of('TLS')?.verdict, verdict);
      assert.match(of('TLS')?.message ?? '', message);
      assert.is(of('first page')?.verdict, verdict === 'failed' ? 'skipped' : 'ok');
    }
  },
);

test('a server that does not answer in time fails', async () => {
  const server = createServer(() => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  const { of } = await check(configOf(origin), { timeout: 3000 });
  server.close();
  assert.match(of('first page')?.message ?? '', 'no result within 3 s');
  assert.match(of('first page')?.todo ?? '', '--timeout allows more time');
});

test('the folder of the state, and destinations that are down or cannot be checked', async () => {
  const words = [
    '--to',
    'redis://127.0.0.1:1/?stream=s',
    '--to',
    'null:',
    '--to',
    'users=ndjson:/proc/none/out',
    '--state',
    '/dev/null',
  ];
  const { steps, exit } = await commandAt(two, words);
  assert.is(exit, 1);
  const of = (step: string) =>
    steps.filter((each) => each.step === step).map(({ verdict, message }) => `${verdict} ${message}`);
  const [proc = '', state] = of('disk');
  assert.match(proc, /^failed |^ok /);
  assert.is(state, 'failed /dev/null is no folder');
  const [redis = '', none] = of('destination');
  assert.match(redis, /^failed .*127\.0\.0\.1:1/);
  assert.is(none, 'skipped null: has nothing that can be checked without writing');
});

test('each address and option is checked before anything is sent', async () => {
  for (const [words, message] of [
    [['--timeout', '0'], '--timeout is a time such as 90s, 10m or 1h30m, found "0"'],
    [['--timeout', '9999'], '--timeout is at most 1h, found "9999"'],
    [['--to', 'users='], '--to users=: expected an address after the "="'],
    [['--to', 'csv:out?delimeter=;'], 'csv: unknown option "delimeter"'],
    [['--state', ''], '--state needs a folder'],
  ] as const) {
    const { exit, stderr, requests } = await commandAt(two, words);
    assert.is(exit, 1);
    assert.match(stderr, message);
    assert.equal(requests, []);
  }
});

test.run();
