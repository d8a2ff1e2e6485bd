/** Runs with a cache against a real server: which requests are repeated, and which responses come from files. */
import { readFileSync, statSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ExtractError } from '../../../src/core/errors/errors.js';
import { json, type Reply } from '../../loopback/api.js';
import { rejection } from '../../sinks/lib.js';
import { inSetting, numbered } from './setting.js';

test(
  'a second run has its pages from files, counts no request for them, and shows that',
  inSetting(
    (_, index) => json(index === 0 ? [1] : []),
    async ({ play }) => {
      const pages = { api: { pagination: { method: 'pagenum', limit: 1 } } };
      const first = await play(pages);
      assert.equal([first.items, first.asked], [[1], ['GET /a?page=1&limit=1', 'GET /a?page=2&limit=1']]);
      assert.equal([first.jobs[0]?.requests, first.jobs[0]?.cached], [2, undefined]);
      const second = await play(pages);
      assert.equal([second.items, second.asked], [[1], []]);
      assert.equal(
        second.receipts.map(({ requests, cached }) => [requests, cached]),
        [
          [0, true],
          [0, true],
        ],
      );
      assert.equal([second.jobs[0]?.requests, second.jobs[0]?.cached, second.jobs[0]?.pages], [0, 2, 2]);
    },
  ),
);

for (const [method, asked] of [
  ['GET', 1],
  ['HEAD', 1],
  ['POST', 2],
  ['FORM', 2],
  ['PUT', 2],
  ['PATCH', 2],
  ['DELETE', 2],
] as const) {
  test(
    `${method} is requested ${asked === 1 ? 'once' : 'each time'}`,
    inSetting(numbered, async ({ api, play }) => {
      for (let times = 0; times < 2; times += 1) await play({ config: { jobs: [{ endpoint: 'a', method }] } });
      assert.is(api.requests.length, asked);
    }),
  );
}

const basic = (username: string, password: string) => ({
  api: { authentication: { type: 'basic' } },
  config: { username, '#password': password },
});
const key = { api: { authentication: { type: 'api-key', name: 'X-Key', value: { attr: '#key' } } } };
const aws = (secret: string) => ({
  aws: {
    signature: {
      credentials: { accessKeyId: 'AKID', '#secretKey': secret, serviceName: 'es', regionName: 'eu-central-1' },
    },
  },
});
const hosts = (list: readonly object[]) => ({ image_parameters: { allowed_hosts: list } });
const headers = (all: object) => ({ api: { http: { headers: all } } });
const params = (all: object) => ({ config: { jobs: [{ endpoint: 'a', params: all }] } });
const job = (more: object) => ({ config: { jobs: [{ endpoint: 'a', ...more }] } });

const changes: readonly (readonly [change: string, first: object, second: object])[] = [
  ['a user', basic('ada', 'secret-1'), basic('bob', 'secret-1')],
  ['a password', basic('ada', 'secret-1'), basic('ada', 'secret-2')],
  ['a key', { ...key, config: { '#key': 'secret-1' } }, { ...key, config: { '#key': 'secret-2' } }],
  ['a type of authentication', {}, { ...key, config: { '#key': 'secret-1' } }],
  ['the old place of parameters', {}, { api: { authentication: { type: 'query' }, query: { key: '1' } } }],
  ['a key for AWS', aws('secret-1'), aws('secret-2')],
  ['a header', headers({ 'Accept-Language': 'en' }), headers({ 'Accept-Language': 'de' })],
  ['a header more', {}, headers({ Authorization: 'Bearer secret-1' })],
  ['a parameter', params({ n: 1 }), params({ n: 2 })],
  ['a number written otherwise', params({ n: 1 }), params({ n: '1.0' })],
  ['the order of parameters', params({ a: 1, b: 2 }), params({ b: 2, a: 1 })],
  ['the method', {}, job({ method: 'HEAD' })],
  ['an origin that may have credentials', {}, { api: { http: { credentialOrigins: ['https://files.example'] } } }],
  ['an allowed host', hosts([]), hosts([{ host: '127.0.0.1' }])],
];

for (const [change, first, second] of changes) {
  test(
    `${change} changed requests anew, and changed back does not`,
    inSetting(numbered, async ({ play }) => {
      await play(first);
      assert.is((await play(second)).asked.length, 1);
      assert.equal(
        [await play(first), await play(second)].flatMap(({ asked }) => asked),
        [],
      );
    }),
  );
}

const same: readonly (readonly [change: string, first: object, second: object])[] = [
  ['where the items are', {}, job({ dataField: '.' })],
  ['the data type', {}, job({ dataType: 'b' })],
  ['`debug`', {}, { config: { debug: true } }],
  ['the case and order of headers', headers({ 'X-A': '1', 'X-B': '2' }), headers({ 'x-b': '2', 'x-a': '1' })],
];

for (const [change, first, second] of same) {
  test(
    `${change} changed does not ask anew`,
    inSetting(numbered, async ({ play }) => {
      await play(first);
      assert.equal((await play(second)).asked, []);
    }),
  );
}

const login = {
  authentication: {
    type: 'login',
    loginRequest: { endpoint: 'login', method: 'GET', params: { user: { attr: 'user' } } },
    apiRequest: { headers: { 'X-Token': { response: 'token' } } },
  },
};

test(
  'a login is made each time, and its pages are those of its account, whatever the token',
  inSetting(
    ({ target }, index) => (target.startsWith('/login') ? json({ token: `token-${index}` }) : json([index])),
    async ({ play }) => {
      const as = (user: string) => play({ api: login, config: { user } });
      assert.equal((await as('ada')).asked, ['GET /login?user=ada', 'GET /a']);
      const again = await as('ada');
      assert.equal([again.asked, again.receipts[0]?.requests], [['GET /login?user=ada'], 1]);
      assert.equal((await as('bob')).asked, ['GET /login?user=bob', 'GET /a']);
    },
  ),
);

test(
  'a signature made anew each time, as of OAuth 1 or AWS, does not ask anew',
  inSetting(numbered, async ({ play }) => {
    const credentials = {
      appKey: 'app',
      '#appSecret': 'secret',
      '#data': '{"oauth_token":"a","oauth_token_secret":"b"}',
    };
    const oauth = { api: { authentication: { type: 'oauth10' } }, authorization: { oauth_api: { credentials } } };
    for (const signed of [oauth, aws('secret-1')]) {
      assert.is((await play(signed)).asked.length, 1);
      assert.equal((await play(signed)).asked, []);
    }
  }),
);

const openEnded = ({ socket }: ServerResponse): void => void socket?.end('HTTP/1.1 200 OK\r\n\r\n[1]');

const ignoring = { api: { http: { ignoreErrors: [404, 500] } } };
const unkept: readonly (readonly [answer: string, reply: Reply, more: object])[] = [
  ['an ignored 404', json({ error: 'none' }, { status: 404 }), ignoring],
  ['an ignored 500', json({ error: 'late' }, { status: 500 }), ignoring],
  ['a 300 that leads nowhere', json([1], { status: 300 }), {}],
  ['a body whose end nothing shows but that of the connection', { body: openEnded }, {}],
  ['a 202 that is tried again', json([1], { status: 202 }), { api: { retryConfig: { http: { codes: [202] } } } }],
];

for (const [answer, reply, more] of unkept) {
  test(
    `${answer} is not stored`,
    inSetting(
      () => reply,
      async ({ play, names }) => {
        for (let times = 0; times < 2; times += 1) assert.is((await play(more)).asked.length, 1);
        assert.equal(names(), []);
      },
    ),
  );
}

test(
  'a 202 stored before it was listed for retries is requested again',
  inSetting(
    () => json([1], { status: 202 }),
    async ({ play }) => {
      await play();
      assert.is((await play({ api: { retryConfig: { http: { codes: [202] } } } })).asked.length, 1);
    },
  ),
);

test(
  'only the final response of a retried page is stored',
  inSetting(
    (_, index) =>
      index === 0
        ? json({ wait: true }, { status: 429, headers: { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' } })
        : json([index]),
    async ({ play }) => {
      const more = { api: { retryConfig: { maxRetries: 1 } } };
      assert.equal((await play(more)).items, [1]);
      const again = await play(more);
      assert.equal([again.items, again.asked], [[1], []]);
    },
  ),
);

test(
  'the target of redirects is stored with the request, and a relative link is resolved there',
  inSetting(
    ({ target }) => {
      if (target === '/a') return { status: 302, headers: { location: '/deep/b' } };
      return target === '/deep/b' ? json([1], { headers: { link: '<c>; rel="next"' } }) : json([2]);
    },
    async ({ play }) => {
      const more = { api: { pagination: { method: 'link-header' } } };
      const first = await play(more);
      assert.equal(
        [first.items, first.asked],
        [
          [1, 2],
          ['GET /a', 'GET /deep/b', 'GET /deep/c'],
        ],
      );
      const second = await play(more);
      assert.equal([second.items, second.asked], [[1, 2], []]);
    },
  ),
);

test(
  'headers that lead on are kept, those of the session are not',
  inSetting(
    ({ target }) =>
      target === '/a'
        ? json([1], { headers: { link: '</b>; rel="next"', 'set-cookie': 'session=secret-1' } })
        : json([2]),
    async ({ play, folder, names }) => {
      const more = { api: { pagination: { method: 'link-header' } } };
      await play(more);
      const { items, asked } = await play(more);
      assert.equal([items, asked], [[1, 2], []]);
      for (const name of names()) assert.not.match(readFileSync(join(folder, name), 'utf8'), 'secret-1');
    },
  ),
);

test(
  'files are readable by their owner alone, and neither names nor contents show what was sent',
  inSetting(
    () => json([1]),
    async ({ play, api, folder, names }) => {
      const baseUrl = `${api.origin.replace('//', '//ada:secret-1@')}/`;
      const config = { jobs: [{ endpoint: 'a', params: { key: { attr: '#key' } } }], '#key': 'secret-2' };
      await play({ api: { baseUrl, http: { headers: { 'X-Key': 'secret-3' } } }, config });
      const [name = '', ...others] = names();
      assert.equal(others, []);
      assert.match(name, /^[\da-f]{64}$/);
      assert.not.match(readFileSync(join(folder, name), 'latin1'), /secret-|ada/);
      if (process.platform === 'win32') return;
      assert.is(statSync(join(folder, name)).mode & 0o777, 0o600);
      assert.is(statSync(folder).mode & 0o777, 0o700);
    },
  ),
);

test(
  'two who ask the same at once both ask, and one file is left',
  inSetting(
    async (_, index) => {
      await new Promise((resolve) => setImmediate(resolve));
      return json([index]);
    },
    async ({ play, names }) => {
      const jobs = [
        { endpoint: 'a', dataType: 'x' },
        { endpoint: 'a', dataType: 'y', dataField: '.' },
      ];
      const results = await Promise.all([play({ config: { jobs } }, { concurrency: 2 }), play()]);
      assert.ok(results.every(({ items }) => items.length > 0));
      assert.is(names().length, 1);
      assert.match(names()[0] ?? '', /^[\da-f]{64}$/);
    },
  ),
);

test(
  'of two jobs that ask the same one after the other the second has it from the cache',
  inSetting(numbered, async ({ play }) => {
    const jobs = [
      { endpoint: 'a', dataType: 'x' },
      { endpoint: 'a', dataType: 'y' },
    ];
    const { items, asked, jobs: rows } = await play({ config: { jobs } });
    assert.equal([items, asked], [[1, 1], ['GET /a']]);
    assert.equal(
      rows.map(({ cached }) => cached),
      [undefined, 1],
    );
  }),
);

test(
  'invalid JSON fails each time, and is not stored',
  inSetting(
    () => json('', { body: '[1, 2' }),
    async ({ play, api, names }) => {
      for (let times = 1; times <= 2; times += 1) {
        await rejection(play(), 'ERR_JSON');
        assert.is(api.requests.length, times);
      }
      assert.equal(names(), []);
    },
  ),
);

test(
  'a broken body is not stored, nor is its error',
  inSetting(
    () => ({
      headers: { 'content-type': 'application/json', 'content-length': '100' },
      body: (response) => {
        response.write('[1, 2, ');
        setImmediate(() => response.destroy());
      },
    }),
    async ({ play, names }) => {
      await rejection(play(), 'ERR_BODY_CUT');
      assert.equal(names(), []);
    },
  ),
);

test(
  'a page that the sink rejects half way is not stored',
  inSetting(
    () => json(Array.from({ length: 40_000 }, (_, id) => ({ id, text: 'x'.repeat(50) }))),
    async ({ play, names }) => {
      const to = () => {
        throw new ExtractError('ERR_SINK', 'the disk is full');
      };
      await rejection(play({}, { to }), 'ERR_SINK');
      assert.equal(names(), []);
    },
  ),
);

test(
  'with `debug` a cached response is reported with its age, instead of a request',
  inSetting(numbered, async ({ play, api }) => {
    const reported = async () => {
      const { notices } = await play({ config: { debug: true } });
      return notices.map(({ code, message }) => [code, message.replace(/\d+ s old/, 'N s old')]);
    };
    assert.equal(await reported(), [['request', `GET ${api.origin}/a`]]);
    assert.equal(await reported(), [['cached', `GET ${api.origin}/a: from the cache, N s old`]]);
  }),
);

for (const off of [null, false, 0, '', '0', [], {}]) {
  test(
    `${JSON.stringify(off)} is no cache`,
    inSetting(numbered, async ({ play, folder }) => {
      for (let times = 0; times < 2; times += 1) assert.is((await play({ cache: off })).asked.length, 1);
      assert.throws(() => statSync(folder), /ENOENT/);
    }),
  );
}

test(
  'without a folder nothing is kept, with a warning',
  inSetting(numbered, async ({ play }) => {
    for (let times = 0; times < 2; times += 1) {
      const { asked, codes } = await play({}, { cacheFolder: undefined });
      assert.equal([asked.length, codes], [1, ['cache-not-used']]);
    }
  }),
);

test(
  'a folder that is no path is rejected',
  inSetting(numbered, async ({ play }) => {
    for (const cacheFolder of ['', 5]) await rejection(play({}, { cacheFolder }), 'ERR_USAGE', /cacheFolder/);
  }),
);

test.run();
