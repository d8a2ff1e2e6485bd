/** Invalid input of every kind as a black box: the messages, the files left, and that no secret is shown. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { items, json, plain, type Reply, rawJson, startApi } from '../loopback/api.js';
import { command, filesIn, inTemporary, ownCommand, pool } from './command.js';
import { check, lines, play, type Row, step } from './row.js';

type Options = Readonly<Record<string, unknown>>;

const password = 'hush-hush-9';
const token = 'token-a1b2c3';
const basic = Buffer.from(`joe:${password}`).toString('base64');
const secrets = [password, token, basic];

/** Every way a secret can take: a login parameter, a computed header, a header and a parameter from the reply. */
const authentication = {
  type: 'login',
  loginRequest: {
    endpoint: 'login',
    params: { pass: { attr: '#password' } },
    headers: {
      Authorization: {
        function: 'concat',
        args: [
          'Basic ',
          { function: 'base64_encode', args: [{ function: 'concat', args: ['joe:', { attr: '#password' }] }] },
        ],
      },
    },
  },
  apiRequest: { headers: { 'X-Token': { response: 'token' } }, query: { key: { response: 'token' } } },
};
const api = { authentication, pagination: { method: 'pagenum' }, retryConfig: { maxRetries: 0 } };
const config = { '#password': password, jobs: [{ endpoint: 'users', dataType: 'users' }] };

/** A good first page, then the reply: the first page stays in the partial file, nothing is published. */
const secondPage = (rule: string, reply: Reply, says: readonly RegExp[]): Row => ({
  rule,
  api,
  config,
  steps: [
    step(`GET /login?pass=${password}`, { token }, { headers: { authorization: `Basic ${basic}` } }),
    step(`GET /users?page=1&key=${token}`, items(1, 2), { headers: { 'x-token': token } }),
    step(`GET /users?page=2&key=${token}`, reply, { headers: { 'x-token': token } }),
  ],
  files: {},
  partial: { users: lines(...items(1, 2)) },
  exit: 1,
  says: [/users/, /page/i, ...says],
  secrets,
});

/** A configuration that is refused before any request. */
const refused = (rule: string, more: Partial<Row>): Row => ({
  rule,
  api,
  config,
  steps: [],
  files: {},
  exit: 1,
  secrets,
  ...more,
});

const paging = (pagination: Options) => ({ ...api, pagination });

/** A body that promises more than it sends, and then breaks. */
const cut: Reply = {
  headers: { 'content-type': 'application/json', 'content-length': '1000' },
  body: (response) => {
    response.write('[{"id":3},{"id":4}', () => response.destroy());
  },
};

const invalidUtf8 = Buffer.concat([Buffer.from('[{"id":3},{"name":"'), Buffer.from([0xc3, 0x28]), Buffer.from('"}]')]);
const deep = `[{"id":3},{"deep":${'['.repeat(600)}${']'.repeat(600)}}]`;

/**
 * Some 5 MB of items without the closing bracket: far more than a batch, so that much of the page has reached the file
 * already.
 */
const many = Array.from({ length: 5000 }, (_, index) => JSON.stringify({ id: index, text: 'x'.repeat(1000) })).join(
  ',',
);

/** As `cut`, after many items. */
const cutLate: Reply = {
  headers: { 'content-type': 'application/json', 'content-length': String(many.length + 1000) },
  body: (response) => {
    response.write(`[${many}`, () => response.destroy());
  },
};

const rows: readonly Row[] = [
  refused('broken JSON is shown by line and column', { text: '{\n  "api": {,}\n}', says: [/\b2:11\b/] }),
  refused('a configuration cut short is shown by line and column', { text: '{\n  "api": {', says: [/\b2:1\d\b/] }),
  refused('an empty configuration file is an error', { text: '', says: [/config\.json/] }),
  refused('a configuration that is no object is an error', { text: '[1]', says: [/object/] }),
  refused('all faults of a configuration are listed at once', {
    api: { baseUrl: 7, authentication: { type: 'logni' }, pagination: { method: 'pagenumm', limit: 'many' } },
    config: { jobs: [{ dataType: 'users' }, { endpoint: 'users', params: 5 }] },
    says: [/baseUrl/, /authentication\.type/, /pagination\.method/, /jobs\W+0\W+endpoint/, /jobs\W+1\W+params/],
  }),
  refused('all faults of a pagination method are listed at once', {
    api: paging({ method: 'response.param', includeParams: 'perhaps', scrollRequest: 'x' }),
    says: [/responseParam/, /queryParam/, /includeParams/, /scrollRequest/],
  }),
  refused('a misspelt method shows its place, the nearest one and those there are', {
    api: paging({ method: 'pagenumm' }),
    says: [/pagination\.method/, /pagenum\b/, /response\.param/],
  }),
  refused('a login without loginRequest is an error', {
    api: { authentication: { type: 'login' } },
    says: [/loginRequest/],
  }),
  refused('no jobs is an error', { config: { '#password': password, jobs: [] }, says: [/jobs/] }),
  refused('no api is an error', { text: '{"config":{"jobs":[{"endpoint":"users"}]}}', says: [/\bapi\b/] }),
  refused('two jobs of one explicit id are an error', {
    config: { ...config, jobs: ['a', 'b'].map((endpoint) => ({ endpoint, id: 'same' })) },
    says: [/same|\bid\b/],
  }),
  {
    rule: 'a misspelt key is a warning with the nearest valid name, and the run goes on',
    api: { pagination: { method: 'pagenum', limit: 2, limitParm: 'count' } },
    steps: [step('GET /users?page=1&limit=2', items(1, 1))],
    files: { users: lines(...items(1, 1)) },
    says: [/warning/i, /limitParm/, /limitParam/],
  },
  refused('under --strict a misspelt key is an error', {
    api: paging({ method: 'pagenum', limit: 2, limitParm: 'count' }),
    args: ['--strict'],
    says: [/limitParm/, /limitParam/],
  }),
  {
    rule: 'a misspelt key of a job is reported with its place',
    config: { jobs: [{ endpoint: 'users', dataType: 'users', dataFeild: 'rows' }] },
    steps: [step('GET /users', items(1, 1))],
    files: { users: lines(...items(1, 1)) },
    says: [/warning/i, /jobs\W+0\W+dataFeild/, /dataField/],
  },
  refused('what is known and not built is refused by name', {
    text: '{"api":{"baseUrl":"http://api.test/"},"config":{"jobs":[{"endpoint":"u"}]},"action":"test"}',
    says: [/\baction\b/, /not supported yet/i],
  }),
  refused('an unknown format of the login response is an error', {
    api: { authentication: { ...authentication, format: 'xml' } },
    says: [/authentication\.format/, /json/, /text/],
  }),
  refused('a login request without endpoint is an error', {
    api: { authentication: { ...authentication, loginRequest: { params: {} } } },
    says: [/loginRequest\.endpoint/],
  }),
  refused('an unknown HTTP method is an error', {
    config: { ...config, jobs: [{ endpoint: 'users', method: 'FETCH' }] },
    says: [/jobs\W+0\W+method/, /POST/],
  }),
  secondPage(
    'HTTP 500 shows status, job, page, masked request and the start of the body',
    json({ error: `trouble in aisle 7 for ${token}` }, { status: 500 }),
    [/500/, /GET .*users\?page=2/, /trouble in aisle 7/],
  ),
  secondPage('HTTP 404 fails at once', { ...plain('no such thing'), status: 404 }, [/404/, /no such thing/]),
  secondPage(
    'malformed JSON is shown by its byte offset, and the page is taken back',
    rawJson('[{"id":3},{"id":4,}]'),
    [/\b18\b/],
  ),
  secondPage('an HTML page instead of JSON is shown by its byte offset', plain('<html>'), [/byte|offset/i]),
  secondPage('JSON that unexpected end is an error, and the page is taken back', rawJson('[{"id":3},{"id":4}'), [
    /\b18\b|end/i,
  ]),
  secondPage('a second document behind the first is an error', rawJson('[{"id":3}] []'), [/\b11\b/]),
  secondPage('a body that breaks off is an error, and the page is taken back', cut, []),
  secondPage('invalid UTF-8 is shown by its byte offset, and the page is taken back', rawJson(invalidUtf8), [
    /UTF-8/i,
    /\b(19|20)\b/,
  ]),
  secondPage('nesting beyond 512 levels is an error, and the page is taken back', rawJson(deep), [/512|deep|depth/i]),
  secondPage('a second top-level array is an error, and the page is taken back', json({ a: items(3, 2), b: [] }), [
    /dataField/,
  ]),
  secondPage('a bare scalar as a page is an error', rawJson('5'), []),
  secondPage('malformed JSON at the end of a large page takes back all of the page', rawJson(`[${many},]`), [
    new RegExp(`\\b${many.length + 2}\\b`),
  ]),
  secondPage('a large body that breaks off takes back all of the page', cutLate, []),
  secondPage(
    'a second top-level array behind a large first one takes back all of the page',
    rawJson(`{"a":[${many}],"b":[]}`),
    [/dataField/],
  ),
  secondPage(
    'invalid UTF-8 at the end of a large page takes back all of the page',
    rawJson(Buffer.concat([Buffer.from(`[${many},"`), Buffer.from([0xff]), Buffer.from('"]')])),
    [/UTF-8/i, new RegExp(`\\b${many.length + 3}\\b`)],
  ),
];

const outcomes = pool(rows, 2, play);

for (const [index, row] of rows.entries()) {
  test(row.rule, async () => {
    const outcome = await outcomes[index];
    assert.ok(outcome);
    check(row, outcome);
  });
}

test('a configuration file that is not there is an error that names it', async () => {
  const { exit, stderr } = await command(['run', 'no-such-file.json']);
  assert.is(exit, 1, stderr);
  assert.match(stderr, /no-such-file\.json/);
  assert.not.match(stderr, /^\s+at /m);
});

test('a refused connection is an error that names the address', () =>
  inTemporary(async (directory) => {
    const gone = await startApi({});
    await gone.close();
    const file = join(directory, 'config.json');
    await writeFile(file, JSON.stringify({ api: { baseUrl: gone.origin, retryConfig: { maxRetries: 0 } }, config }));
    const { exit, stderr } = await command(['run', file, '--to', `ndjson:${directory}/out`]);
    assert.is(exit, 1, stderr);
    assert.ok(stderr.includes(gone.origin.replace('http://', '')), stderr);
    assert.not.match(stderr, /^\s+at /m);
  }));

for (const [signal, exit] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  test(`${signal} during a slow page: exit ${exit}, whole lines of earlier pages, nothing published, no secret`, () =>
    inTemporary(async (directory) => {
      let interrupt: (name: NodeJS.Signals) => void = () => undefined;
      const slow = json(null, {
        body: (response) => {
          response.write('[{"id":3},{"id":4},{"i', () => interrupt(signal));
        },
      });
      const server = await startApi({
        [`GET /login?pass=${password}`]: json({ token }),
        [`GET /users?page=1&key=${token}`]: json(items(1, 2)),
        [`GET /users?page=2&key=${token}`]: slow,
      });
      try {
        const file = join(directory, 'config.json');
        await writeFile(file, JSON.stringify({ api: { ...api, baseUrl: `${server.origin}/` }, config }));
        const ended = await ownCommand(['run', file, '--to', `ndjson:${directory}/out`], {
          onStart: (kill) => {
            interrupt = kill;
          },
        });
        assert.is(ended.exit, exit, ended.stderr);
        assert.equal(await filesIn(join(directory, 'out')), { 'users.ndjson.partial': lines(...items(1, 2)) });
        for (const secret of secrets) assert.not(`${ended.stdout}${ended.stderr}`.includes(secret), secret);
        assert.not.match(ended.stderr, /^\s+at /m);
      } finally {
        await server.close();
      }
    }));
}

test.run();
