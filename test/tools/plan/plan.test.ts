/** `rxtract plan`: its options, its JSON, and that it sends and shows nothing that it must not. */

import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { commandHere, inTemporary } from '../../blackbox/command.js';
import { items, json, startApi } from '../../loopback/api.js';

const document = {
  api: {
    baseUrl: 'https://api.example/v1/',
    http: { headers: { 'X-Key': { attr: '#key' } }, defaultOptions: { params: { limit: 5 } } },
    pagination: { method: 'pagenum', limit: 100 },
  },
  config: {
    '#key': 'hunter2-hunter2',
    jobs: [
      { endpoint: 'users', params: { limit: 7, note: 'hunter2-hunter2', esc: '\u001b[31m' } },
      { endpoint: 'events' },
    ],
  },
};

const plan = (words: readonly string[] = [], given: object = document) =>
  commandHere(['plan', '-', ...words], { stdin: JSON.stringify(given) });

test('explains one value by all its sources, in any case', async () => {
  const { stdout } = await plan(['--explain', 'LIMIT', '--job', 'users']);
  assert.equal(stdout.split('\n').slice(0, 4), [
    'users, page 1  GET https://api.example/v1/users?limit=7&note=***&esc=%1B%5B31m&page=1',
    '  parameter (query) limit: 7',
    '    from        config.jobs[0].params.limit           7',
    '    instead of  api.http.defaultOptions.params.limit  5',
  ]);
  const header = await plan(['--explain', 'x-key', '--job', 'events']);
  assert.match(header.stdout, /header X-Key: \*\*\*\n {4}from {2}api\.http\.headers\.X-Key {2}\{"attr":"#key"\}/);
});

test('lines wrap at the width of the terminal, and are whole without one', async () => {
  const longest = (text: string) => Math.max(...text.split('\n').map((line) => line.length));
  const env = { COLUMNS: '60' };
  const narrow = await commandHere(['plan', '-', '--job', 'events'], { stdin: JSON.stringify(document), env });
  const whole = await plan(['--job', 'events']);
  assert.ok(longest(narrow.stdout) <= 60, narrow.stdout);
  assert.ok(longest(whole.stdout) > 80, whole.stdout);
  const words = (text: string) => text.split(/\s+/);
  assert.equal(words(narrow.stdout), words(whole.stdout));
});

test('a name that no request has is an error with the nearest one', async () => {
  const { exit, stdout, stderr } = await plan(['--explain', 'limt']);
  assert.equal([exit, stdout], [1, '']);
  assert.match(stderr, 'no request has a parameter or header "limt"; did you mean "limit"?');
});

test('as JSON it has the same data, masked', async () => {
  const { stdout } = await plan(['--json', '--job', 'users']);
  assert.not.match(stdout, 'hunter2');
  const { iterations } = JSON.parse(stdout);
  const [{ baseUrl, jobs }] = iterations;
  assert.is(baseUrl, 'https://api.example/v1/');
  const [{ job, path, first, second, ends }] = jobs;
  assert.equal([job, path, first.method, first.trusted], ['users', 'config.jobs[0]', 'GET', true]);
  assert.equal(first.values[0], {
    in: 'query',
    name: 'limit',
    value: '7',
    sources: [
      { from: 'api.http.defaultOptions.params.limit', value: '5' },
      { from: 'config.jobs[0].params.limit', value: '7' },
    ],
  });
  assert.match(second.url, 'page=2');
  assert.equal(ends, ['a page shorter than the limit', 'an empty page', 'a page identical to the one before it']);
});

test('no secret and no control character is shown', async () => {
  const { stdout } = await plan();
  assert.not.ok(stdout.includes('hunter2') || stdout.includes('\u001b'));
});

test('a poll at the address in a header of the created report is named by it', async () => {
  const { exit, stdout } = await plan([], {
    api: { baseUrl: 'http://127.0.0.1:9/' },
    config: {
      jobs: [
        {
          dataType: 'orders',
          await: {
            create: { endpoint: 'reports', method: 'POST' },
            poll: { endpoint: '{header:Location}' },
            done: { path: 'url', exists: true },
            fetch: { path: 'url' },
          },
        },
      ],
    },
  });
  assert.is(exit, 0);
  assert.match(stdout, /poll {2}GET http:\/\/127\.0\.0\.1:9\/\{header:Location\}/);
});

test('a link of a report is named by its place, as no host is known', async () => {
  const report = (fetch: object) => ({
    api: { baseUrl: 'https://api.example/' },
    config: {
      jobs: [
        {
          dataType: 'orders',
          await: {
            create: { endpoint: 'reports' },
            poll: { endpoint: 'reports/{id}' },
            done: { path: 'status', equals: 'done' },
            fetch,
          },
        },
      ],
    },
  });
  const { stdout } = await plan([], report({ path: 'result.urls' }));
  assert.match(stdout, /\n {2}page 1 {2}GET \{result\.urls\} of the last poll\n/);
  const { stdout: fetched } = await plan([], report({ endpoint: 'reports/{id}/files', path: 'urls' }));
  assert.match(fetched, /\n {2}page 1 {2}GET \{urls\} of the response to `fetch`\n/);
  const { stdout: text } = await plan(['--json'], report({ path: 'urls' }));
  const [{ link, first }] = JSON.parse(text).iterations[0].jobs;
  assert.equal([link, first], ['{urls} of the last poll', undefined]);
});

test('a job with `revalidate` says which headers a state adds', async () => {
  const { stdout } = await plan([], {
    api: { baseUrl: 'https://api.example/' },
    config: { jobs: [{ endpoint: 'users', revalidate: true }] },
  });
  assert.match(stdout, /\n {2}adds {4}If-None-Match and If-Modified-Since, where the state has them of a page/);
});

test('nothing is sent, not even a login', async () => {
  const api = await startApi(() => json({}));
  try {
    const authentication = {
      type: 'login',
      loginRequest: { endpoint: 'login' },
      apiRequest: { headers: { T: { response: 't' } } },
    };
    const { exit, stdout } = await plan([], {
      api: { baseUrl: `${api.origin}/`, authentication },
      config: { jobs: [{ endpoint: 'users' }] },
    });
    assert.is(exit, 0);
    assert.match(stdout, 'api.authentication.apiRequest.headers.T');
    assert.is(api.requests.length, 0);
  } finally {
    await api.close();
  }
});

test('follows a recording page by page, and names a request that is not in it', () =>
  inTemporary(async (folder) => {
    const path = join(folder, 'run.jsonl');
    const api = await startApi(({ target }) => json(target.includes('page=1') ? items(1, 2) : items(3, 1)));
    const given = {
      api: { baseUrl: `${api.origin}/`, pagination: { method: 'pagenum', limit: 2 } },
      config: { '#key': { env: 'KEY' }, jobs: [{ endpoint: 'users', params: { note: { attr: '#key' } } }] },
    };
    const stdin = JSON.stringify(given);
    await commandHere(['run', '-', '--to', 'null:', '--record', path], { stdin, env: { KEY: 'hunter2-hunter2' } });
    await api.close();
    const { exit, stdout } = await plan(['--replay', path], given);
    assert.is(exit, 0);
    const lines = stdout.slice(stdout.indexOf('recorded pages')).replaceAll(api.origin, 'O').split('\n');
    assert.equal(
      lines.filter((line) => !line.includes('User-Agent')),
      [
        'recorded pages',
        'users, page 1',
        '  request   GET O/users?note=***&page=1&limit=2',
        '    note        ***                    config.jobs[0].params.note: {"attr":"#key"}',
        '    page        1                      api.pagination',
        '    limit       2                      api.pagination',
        '  response  status 200, 2 items',
        '',
        'users, page 2',
        '  request   GET O/users?note=***&page=2&limit=2',
        '    page  2    api.pagination',
        '    all other values as before',
        '  response  status 200, 1 item',
        '  ends      a page shorter than the limit (1 of 2)',
        '',
      ],
    );
    const { followed } = JSON.parse((await plan(['--replay', path, '--json'], given)).stdout);
    assert.equal(
      followed.map((each: { page: number; items: number }) => [each.page, each.items]),
      [
        [1, 2],
        [2, 1],
      ],
    );
    const changed = await plan(['--replay', path, '--set', 'config.jobs[0].params.q=1'], given);
    assert.is(changed.exit, 1);
    assert.match(changed.stderr, 'ERR_REPLAY');
  }));

test('a configuration with problems is refused as by validate', async () => {
  const { exit, stderr, stdout } = await plan([], { api: {}, config: { jobs: [] } });
  assert.equal([exit, stdout], [1, '']);
  assert.match(stderr, /standard input: .*\n(?:.*\n)*.*ERR_CONFIG/);
});

test('an expression that fails names its job', async () => {
  const jobs = [{ endpoint: 'users', params: { a: { function: 'hash', args: ['no such', 'x'] } } }];
  const { exit, stderr } = await plan([], { ...document, config: { jobs } });
  assert.is(exit, 1);
  assert.match(stderr, /ERR_FUNCTION|ERR_CONFIG/);
});

const strict = {
  api: {
    baseUrl: 'https://api.example/v1/',
    retryConfig: { maxRetries: 0 },
    http: { rateLimitHeaders: false, rateLimit: ['2/s', '100/min'], ignoreErrors: [404, 410] },
    authentication: {
      type: 'login',
      loginRequest: { endpoint: 'login', params: { who: 'a' } },
      apiRequest: { headers: { T: { response: 't' } } },
    },
  },
  image_parameters: {
    allowed_hosts: [{ host: 'api.example' }, { scheme: 'https', host: 'b.example', port: 8443, endpoint: '/x' }],
  },
  cache: { ttl: 60 },
  config: { jobs: [{ endpoint: 'users', params: { who: 'b', list: ['x', 'y'] } }] },
};

test('the rules of every request come first', async () => {
  const { stdout } = await plan([], strict);
  assert.equal(stdout.split('\n').slice(0, 7), [
    'API:     https://api.example/v1/',
    'retries: none',
    'rates:   at most 2 in 1 s and 100 in 60 s',
    'encodings: requests ask for compressed responses',
    'pages of errors: 404, 410',
    'allowed hosts: *://api.example, https://b.example:8443/x',
    'cache:   responses are used again for 60 s',
  ]);
});

test('a name is explained in the login too, and a list by its own name', async () => {
  const who = (await plan(['--explain', 'who'], strict)).stdout;
  assert.match(who, /^login {2}GET .*\n {2}parameter \(query\) who: a\n(?:.*\n)+users, page 1 .*\n.* who: b\n/);
  const { exit, stdout } = await plan(['--explain', 'List'], strict);
  assert.is(exit, 0);
  assert.match(stdout, /parameter \(query\) list\[0\]: x\n.*\n.*parameter \(query\) list\[1\]: y\n/);
});

test('a list of a job over one of the defaults is explained as merged', async () => {
  const api = { baseUrl: 'https://api.example/', http: { defaultOptions: { params: { list: ['a', 'b'] } } } };
  const config = { jobs: [{ endpoint: 'users', params: { list: ['x'] } }] };
  const { stdout } = await plan(['--explain', 'list[0]'], { api, config });
  assert.match(stdout, /from +config\.jobs\[0\]\.params\.list +\["x"\]\n +merged over +api\.http\.defaultOptions/);
});

test('a function that fails names the job', async () => {
  const params = { at: { function: 'date', args: ['Y', 'soon'] } };
  const { exit, stderr } = await plan([], { ...strict, config: { jobs: [{ endpoint: 'users', params }] } });
  assert.is(exit, 1);
  assert.match(stderr, /config\.jobs\[0\]\.params\.at: function "date": .*\n {2}job {6}users\n/);
});

test('follows one job of a recording, one name, and links to another origin', () =>
  inTemporary(async (folder) => {
    const path = join(folder, 'run.jsonl');
    const other = await startApi(() => json({ data: items(2, 1) }));
    const next = `${other.origin}/more?cursor=c2`;
    const api = await startApi(() => json({ data: items(1, 1), next }));
    const given = {
      api: { baseUrl: `${api.origin}/`, pagination: { method: 'response.url', urlKey: 'next' } },
      config: { jobs: [{ endpoint: 'users', params: { limit: 7 } }, { endpoint: 'events' }] },
    };
    await commandHere(['run', '-', '--to', 'null:', '--record', path], { stdin: JSON.stringify(given) });
    await Promise.all([api.close(), other.close()]);
    const follow = async (...words: readonly string[]) => {
      const { stdout } = await plan(['--replay', path, '--job', 'users', ...words], given);
      return stdout.slice(stdout.indexOf('recorded pages')).replaceAll(api.origin, 'O').replaceAll(other.origin, 'P');
    };
    const whole = await follow();
    assert.match(whole, /users, page 2\n {2}request {3}GET P\/more\?cursor=c2\n {4}another origin: no credentials/);
    assert.not.match(whole, 'events, page');
    const limit = await follow('--explain', 'limit');
    assert.match(limit, /users, page 1\n.*\n {4}limit {2}7 {4}config\.jobs\[0\]\.params\.limit\n/);
    assert.not.match(limit, 'cursor  ');
  }));

for (const [dataField, text] of [
  ['.', 'the whole response'],
  ['data.users', 'data.users'],
  [undefined, 'found in the response'],
] as const) {
  test(`items at ${dataField ?? 'no dataField'} are ${text}`, async () => {
    const { stdout } = await plan([], {
      ...document,
      config: { ...document.config, jobs: [{ endpoint: 'users', dataField }] },
    });
    assert.match(stdout, `  items   ${text}, to users\n`);
  });
}

test.run();
