/** Runs that are recorded, and their replays: the same bytes, no connection, no wait, and clear errors. */
import { randomBytes } from 'node:crypto';
import { appendFile, chmod, mkdir, open, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mock } from 'node:test';
import { gzipSync } from 'node:zlib';
import { asyncScheduler } from 'rxjs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ndjson } from '../../sinks/index.js';
import type { ExtractError } from '../../src/core/errors/errors.js';
import type { Notice } from '../../src/core/model/notice.js';
import type { Exchanges, ExchangesSummary } from '../../src/http/exchanges.js';
import { recordExchanges } from '../../src/recording/record.js';
import { replayExchanges } from '../../src/recording/replay.js';
import { run } from '../../src/run/extract.js';
import type { RunOptions } from '../../src/run/options.js';
import { filesIn, inTemporary } from '../blackbox/command.js';
import { type Answer, items, json, startApi } from '../loopback/api.js';
import { failure } from '../support/failure.js';
import { unchecked } from '../unchecked.js';

interface Ran {
  readonly files: Readonly<Record<string, string>>;
  readonly jobs: unknown;
  readonly failure: Pick<ExtractError, 'code' | 'message'> | undefined;
  readonly notices: readonly string[];
  readonly exchanges: ExchangesSummary;
}

/** A folder with the output of each run, and the recording. */
interface Place {
  readonly path: string;
  ran(document: object, exchanges: Exchanges, options?: RunOptions): Promise<Ran>;
}

const inPlace = (work: (place: Place) => Promise<void>) => () =>
  inTemporary((folder) => {
    let count = 0;
    return work({
      path: join(folder, 'recording.jsonl'),
      async ran(document, exchanges, options = {}) {
        count += 1;
        const out = join(folder, `out${count}`);
        const notices: Notice[] = [];
        const notify = (notice: Notice) => void notices.push(notice);
        const result = await run(unchecked(document), { to: ndjson(out), notify, exchanges, ...options }).then(
          ({ jobs }) => ({ jobs, failure: undefined }),
          ({ code, message }: ExtractError) => ({ jobs: undefined, failure: { code, message } }),
        );
        const summary = await exchanges.close();
        const said = notices.map(({ code, message }) => `${code}: ${message}`);
        return { ...result, files: await filesIn(out), notices: said, exchanges: summary };
      },
    });
  });

/** Records a run against the API, then ends the API. */
async function recordRun(
  { path, ran }: Place,
  answer: Answer,
  document: (origin: string) => object,
  options: RunOptions = {},
) {
  const api = await startApi(answer);
  try {
    return {
      ...(await ran(document(api.origin), await recordExchanges(path), options)),
      document: document(api.origin),
    };
  } finally {
    await api.close();
  }
}

const pages =
  (size: number, last: number): Answer =>
  ({ target }) => {
    const { searchParams } = new URL(target, 'http://h');
    const page = Number(searchParams.get('page') ?? 1);
    return json({ data: page > last ? [] : items(page * size, size) });
  };

const users = (origin: string, api: object = {}, job: object = {}) => ({
  api: { baseUrl: `${origin}/`, pagination: { method: 'pagenum', limit: 10 }, ...api },
  config: { jobs: [{ endpoint: 'users', dataField: 'data', ...job }] },
});

test(
  'a replay gives the same bytes, a hundred times, and neither connects nor waits',
  inPlace(async (place) => {
    const job = { params: { at: { function: 'date', args: ['Y-m-d H:i:s', { time: 'currentStart' }] } } };
    const recorded = await recordRun(place, pages(10, 4), (origin) => users(origin, {}, job));
    assert.is(recorded.failure, undefined);
    assert.equal(recorded.exchanges, { exchanges: 5, masked: 0, unused: 0 });
    for (let count = 0; count < 100; count += 1) {
      const { files, jobs, exchanges } = await place.ran(recorded.document, await replayExchanges(place.path));
      assert.equal(
        { files, jobs, exchanges },
        {
          files: recorded.files,
          jobs: recorded.jobs,
          exchanges: { exchanges: 5, masked: 0, unused: 0, unusedRequests: [] },
        },
      );
    }
  }),
);

interface Case {
  readonly what: string;
  readonly answer: Answer;
  readonly document?: (origin: string) => object;
  readonly options?: RunOptions;
}

const big = json({ data: Array.from({ length: 6000 }, (_, id) => ({ id, text: 'ä'.repeat(100) })) });
const counted = (): Answer => {
  let requests = 0;
  return () => {
    requests += 1;
    return requests === 1 ? { status: 503, body: 'busy' } : json({ data: [{ requests }] });
  };
};
const children = (origin: string) => ({
  api: { baseUrl: `${origin}/`, pagination: { method: 'pagenum', limit: 10 } },
  config: {
    jobs: [
      {
        endpoint: 'users',
        dataField: 'data',
        children: [
          { endpoint: 'users/{id}/orders', dataField: 'data', dataType: 'orders', placeholders: { id: 'id' } },
        ],
      },
    ],
  },
});
const once = { retryConfig: { maxRetries: 0 }, pagination: { method: 'pagenum', limit: 10 } };

const cases: readonly Case[] = [
  { what: 'a body of several parts', answer: () => big },
  {
    what: 'a compressed body',
    answer: () => ({
      headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
      body: gzipSync(JSON.stringify({ data: items(1, 9) })),
    }),
  },
  {
    what: 'retries with jitter, and the time after them',
    answer: counted(),
    document: (origin) =>
      users(
        origin,
        { retryConfig: { maxRetries: 3, maxDelay: 0.01, jitter: 'full' } },
        { params: { t: { function: 'time' } } },
      ),
  },
  {
    what: 'a redirect',
    answer: ({ target }) =>
      target === '/there' ? json({ data: items(1, 3) }) : { status: 302, headers: { location: '/there' } },
  },
  {
    what: 'a status that ends the run',
    answer: () => ({ status: 404, body: 'no such page' }),
    document: (origin) => users(origin, once),
  },
  {
    what: 'a connection that ends without a response',
    answer: () => ({ body: (response) => void response.socket?.destroy() }),
    document: (origin) => users(origin, once),
  },
  {
    what: 'a body that is cut',
    answer: () => ({
      headers: { 'content-type': 'application/json', 'content-length': '100' },
      body: (response) => void response.write('{"data":[{"id":1}', () => response.destroy()),
    }),
    document: (origin) => users(origin, once),
  },
  {
    what: 'a body that is no UTF-8',
    answer: () => ({
      headers: { 'content-type': 'application/json' },
      body: Buffer.from([0x5b, 0x22, 0xff, 0x22, 0x5d]),
    }),
    document: (origin) => users(origin, once, { dataField: '' }),
  },
  { what: 'a response without a body', answer: () => ({ status: 204 }) },
  { what: 'a limit on items', answer: () => big, options: { maxItems: 7 } },
  { what: 'a limit on bytes', answer: () => big, options: { maxBodyBytes: 1000 } },
  { what: 'child jobs', answer: pages(3, 2), document: children },
  { what: 'child jobs side by side', answer: pages(9, 2), document: children, options: { concurrency: 4 } },
  { what: 'pages ahead', answer: pages(10, 7), options: { prefetch: 3 } },
  {
    what: 'a login, its expiry, and another one',
    answer: ({ target }, index) =>
      target === '/login'
        ? json({ token: `token-${index}`, expires_in: 0 })
        : pages(10, 2)({ target, method: 'GET', headers: [], body: '' }, index),
    document: (origin) =>
      users(origin, {
        authentication: {
          type: 'login',
          loginRequest: { endpoint: 'login', method: 'POST' },
          apiRequest: { headers: { 'X-Token': { response: 'token' } } },
          expires: { response: 'expires_in', relative: true },
        },
      }),
  },
];

for (const { what, answer, document = users, options = {} } of cases) {
  test(
    `a replay ends as the run did: ${what}`,
    inPlace(async (place) => {
      const { document: used, exchanges, ...recorded } = await recordRun(place, answer, document, options);
      const { exchanges: summary, ...replayed } = await place.ran(used, await replayExchanges(place.path), options);
      assert.equal(replayed, recorded);
      assert.is(summary.exchanges + summary.unused, exchanges.exchanges);
    }),
  );
}

test(
  'waits cost nothing: a Retry-After of an hour, and the times after it',
  inPlace(async ({ path, ran }) => {
    const startedAt = Date.parse('2020-02-02T02:02:02Z');
    const url = 'http://h.example/users';
    const request = (exchange: number, at: number, address = url) =>
      ({ line: 'request', exchange, at, method: 'GET', url: address, headers: {} }) as const;
    const later = startedAt + 3_600_000;
    const lines = [
      { line: 'recording', format: 1, startedAt, seed: 1 },
      request(1, startedAt),
      { line: 'response', exchange: 1, at: startedAt, status: 429, headers: { 'retry-after': '3600' } },
      { line: 'end', exchange: 1, at: startedAt },
      request(2, later),
      { line: 'response', exchange: 2, at: later, status: 200, headers: { 'content-type': 'application/json' } },
      { line: 'text', exchange: 2, value: '[{"id":1}]' },
      { line: 'end', exchange: 2, at: later },
      request(3, later, 'http://h.example/events?at=1580612522'),
      { line: 'response', exchange: 3, at: later, status: 200, headers: {} },
      { line: 'text', exchange: 3, value: '[]' },
      { line: 'end', exchange: 3, at: later },
    ];
    await writeFile(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    const jobs = [{ endpoint: 'users' }, { endpoint: 'events', params: { at: { function: 'time' } } }];
    const document = { api: { baseUrl: 'http://h.example/' }, config: { jobs } };
    const { failure: failed, files } = await ran(document, await replayExchanges(path));
    assert.is(failed, undefined);
    assert.is(files['users.ndjson'], '{"id":1}\n');
    assert.ok(Math.abs(asyncScheduler.now() - Date.now()) < 10_000, 'the clock is that of the system again');
  }),
);

test(
  'a secret in an item is masked, and counted by run and replay',
  inPlace(async (place) => {
    const secret = 's3cret-value';
    const answer: Answer = () => json({ data: [{ id: 1, echo: `Bearer ${secret}` }] });
    const document = (origin: string) => ({
      ...users(origin),
      config: { '#key': secret, jobs: users(origin).config.jobs },
    });
    const recorded = await recordRun(place, answer, document);
    assert.is(recorded.files['users.ndjson'], `{"id":1,"echo":"Bearer ${secret}"}\n`);
    assert.is(recorded.exchanges.masked, 1);
    assert.not.match(await readFile(place.path, 'utf8'), secret);
    const replayed = await place.ran(recorded.document, await replayExchanges(place.path));
    assert.is(replayed.files['users.ndjson'], '{"id":1,"echo":"Bearer ***"}\n');
    assert.is(replayed.exchanges.masked, 1);
  }),
);

test(
  'a header that a pagination reads is kept whatever its name',
  inPlace(async ({ path, ran }) => {
    const paged: Answer = ({ target }) => {
      const at = Number(new URL(target, 'http://h').searchParams.get('at')?.slice(1) ?? 0);
      const more = at < 2 ? { 'X-Session-Place': `c${at + 1}` } : {};
      return { ...json([{ id: at }]), headers: { ...json([]).headers, 'X-Session-Id': 'of-ada', ...more } };
    };
    const pagination = { method: 'response.header', header: 'X-Session-Place', queryParam: 'at' };
    const scrollers = { method: 'multiple', scrollers: { places: pagination } };
    for (const api of [{ pagination }, { pagination: scrollers }]) {
      const job = { scroller: 'places', dataField: null };
      const recorded = await recordRun({ path, ran }, paged, (origin) => users(origin, api, job));
      const replayed = await ran(recorded.document, await replayExchanges(path));
      assert.is(replayed.failure, undefined);
      assert.equal(replayed.files, recorded.files);
      assert.match(JSON.stringify(recorded.jobs), /"pages":3/);
      assert.not.match(await readFile(path, 'utf8'), /of-ada/);
    }
  }),
);

test(
  'a request that differs is an error that shows the differences',
  inPlace(async (place) => {
    let origin = '';
    await recordRun(place, pages(10, 2), (used) => {
      origin = used;
      return users(used, {}, { params: { q: 'a' } });
    });
    const messageOf = async (changed: object, options: RunOptions = {}) => {
      const { failure: failed } = await place.ran(changed, await replayExchanges(place.path), options);
      assert.is(failed?.code, 'ERR_REPLAY');
      return failed?.message.replaceAll(origin, 'O').replaceAll(place.path, 'R').split('\n');
    };
    assert.equal(await messageOf(users(origin, {}, { params: { q: 'b' } })), [
      'GET O/users?q=b&page=1&limit=10: R has no such request',
      'The nearest one is GET O/users?q=a&page=1&limit=10',
      'parameter "q": b, recorded a',
    ]);
    const headers = { Accept: 'text/csv' };
    assert.equal(await messageOf(users(origin, { http: { headers } }, { params: { q: 'a' } })), [
      'GET O/users?q=a&page=1&limit=10: R has no such request',
      'The nearest one is GET O/users?q=a&page=1&limit=10',
      'header "accept": text/csv, recorded none',
    ]);
    const [job] = users(origin, {}, { params: { q: 'a' } }).config.jobs;
    const twice = { ...users(origin), config: { jobs: [job, { ...job, id: 'again', dataType: 'again' }] } };
    assert.equal(await messageOf(twice), [
      'GET O/users?q=a&page=1&limit=10: R has no such request',
      'Its only response is replayed already.',
      'All recorded requests are replayed already.',
    ]);
  }),
);

test(
  'a response that the recorded run did not read to its end is named',
  inPlace(async ({ path, ran }) => {
    const request = { line: 'request', exchange: 1, at: 1, method: 'GET', url: 'http://h.example/users', headers: {} };
    const lines = [
      { line: 'recording', format: 1, startedAt: 1, seed: 1 },
      request,
      { line: 'response', exchange: 1, at: 1, status: 200, headers: {} },
      { line: 'text', exchange: 1, value: '[{"id":1},' },
      { line: 'left', exchange: 1, at: 1 },
    ];
    const document = { api: { baseUrl: 'http://h.example/' }, config: { jobs: [{ endpoint: 'users' }] } };
    const messageOf = async (kept: readonly object[]) => {
      await writeFile(path, kept.map((line) => `${JSON.stringify(line)}\n`).join(''));
      const { failure: failed } = await ran(document, await replayExchanges(path));
      assert.is(failed?.code, 'ERR_RECORDING');
      return failed?.message.replaceAll(path, 'R');
    };
    const url = 'http://h.example/users';
    assert.is(await messageOf(lines), `R: the recorded run ended within this response: ${url}`);
    assert.is(await messageOf(lines.slice(0, 4)), `R: the recorded run ended within this response: ${url}`);
    assert.is(await messageOf(lines.slice(0, 2)), `R: the recorded run ended before this response: ${url}`);
  }),
);

test(
  'a recording that ends anywhere is replayed up to there, or refused',
  inPlace(async (place) => {
    const { document, files } = await recordRun(place, pages(10, 2), users);
    const whole = await readFile(place.path);
    for (let length = whole.length; length >= 0; length -= 61) {
      await truncate(place.path, length);
      const exchanges = await replayExchanges(place.path).catch((thrown: ExtractError) => thrown);
      if (!('close' in exchanges)) {
        assert.is(exchanges.code, 'ERR_RECORDING');
        continue;
      }
      const { failure: failed, files: again } = await place.ran(document, exchanges);
      if (failed === undefined) assert.equal(again, files);
      else assert.match(failed.code, /^ERR_(RECORDING|REPLAY)$/);
    }
  }),
);

test(
  'only its owner can read a recording; it replaces one, but no other file',
  inPlace(async (place) => {
    const { path } = place;
    await (await recordExchanges(path)).close();
    assert.is((await stat(path)).mode & 0o777, 0o600);
    await chmod(path, 0o644);
    await recordRun(place, pages(2, 2), users);
    assert.is((await stat(path)).mode & 0o777, 0o600);
    await writeFile(path, '{"api":{}}');
    const refused = await failure(recordExchanges(path));
    assert.is(refused.code, 'ERR_RECORDING');
    assert.match(refused.message, /recording\.jsonl: is a file that is no recording, and is not replaced/);
    assert.is(await readFile(path, 'utf8'), '{"api":{}}');
    await writeFile(path, '');
    await (await recordExchanges(path)).close();
    await rm(path);
    await mkdir(path);
    assert.match((await failure(recordExchanges(path))).message, /cannot be replaced/);
    const below = join(path, 'new', 'folder', 'recording.jsonl');
    await (await recordExchanges(below)).close();
    assert.is((await stat(below)).mode & 0o777, 0o600);
    assert.match((await failure(recordExchanges(join(path, '\0')))).message, /cannot be replaced/);
  }),
);

test(
  'a run without a request leaves an earlier recording; one without any exchange says so when it is replayed',
  inPlace(async (place) => {
    const { path, ran } = place;
    await (await recordExchanges(path)).close();
    const { failure: failed } = await ran(users('http://127.0.0.1:1'), await replayExchanges(path));
    assert.match(failed?.message ?? '', 'It has no request at all: record again.');
    await recordRun(place, pages(2, 2), users);
    const earlier = await readFile(path, 'utf8');
    await (await recordExchanges(path)).close();
    assert.is(await readFile(path, 'utf8'), earlier);
  }),
);

const broken: readonly [what: string, change: (path: string) => Promise<void>, message: RegExp][] = [
  ['that is not there', (path) => rm(path), /cannot be read: no such file/],
  ['that is empty', (path) => truncate(path, 0), /is no recording: it has no complete line/],
  [
    'of another format',
    (path) => writeFile(path, '{"line":"recording","format":2,"startedAt":1,"seed":1}\n'),
    /has format 2/,
  ],
  ['that is another file', (path) => writeFile(path, '{"api":{}}\n'), /is no recording$/],
  ['with a line that is none', (path) => appendFile(path, '{"line":"other"}\n'), /line 2 is no line of a recording/],
  ['with two beginnings', async (path) => appendFile(path, await readFile(path)), /line 2 is no line of a recording/],
  ['with text', (path) => appendFile(path, 'text\n'), /line 2 is no line/],
  ['with a number', (path) => appendFile(path, '7\n'), /line 2 is no line/],
  ['with a code that does not exist', (path) => appendFile(path, fault('ERR_NONE')), /line 2 is no line/],
  ['with a line of no request', (path) => appendFile(path, fault('ERR_TRANSPORT')), /line 2 belongs to no request/],
];
const fault = (code: string) =>
  `${JSON.stringify({ line: 'fault', exchange: 1, at: 1, code, message: 'it failed', where: {} })}\n`;

for (const [what, change, message] of broken) {
  test(
    `a recording ${what} is refused`,
    inPlace(async ({ path }) => {
      await (await recordExchanges(path)).close();
      await change(path);
      const refused = await failure(replayExchanges(path));
      assert.is(refused.code, 'ERR_RECORDING');
      assert.match(refused.message, message);
    }),
  );
}

test(
  'a recording that cannot be written ends the run, and its close rejects',
  inPlace(async ({ path, ran }) => {
    const api = await startApi(pages(10, 2));
    const handle = await open(path, 'w');
    const prototype = Object.getPrototypeOf(handle);
    await handle.close();
    await rm(path);
    const full = mock.method(prototype, 'appendFile', async () => {
      throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC', errno: -28 });
    });
    try {
      const exchanges = await recordExchanges(path);
      const close = failure(exchanges.close());
      const again = { ...exchanges, close: async () => ({ exchanges: 0, masked: 0, unused: 0 }) };
      const { failure: failed } = await ran(users(api.origin), again);
      assert.is(failed?.code, 'ERR_RECORDING');
      assert.match(failed?.message ?? '', /recording\.jsonl: cannot be written: no space left on device \(ENOSPC\)/);
      assert.is((await close).code, 'ERR_RECORDING');
    } finally {
      full.mock.restore();
      await api.close();
    }
  }),
);

test('only what makes recordings is accepted in code', async () => {
  const exchanges = { close: async () => ({ exchanges: 0, masked: 0, unused: 0 }) };
  const wrong = await failure(run(unchecked(users('http://h.example')), { exchanges }));
  assert.is(wrong.code, 'ERR_USAGE');
  assert.match(wrong.message, /^exchanges: expected the result of recordExchanges/);
});

test(
  'a body of binary noise passes unchanged, and fails alike',
  inPlace(async (place) => {
    const body = Buffer.concat([Buffer.from('{"data":["'), randomBytes(700_000)]);
    const noisy = () => ({ headers: { 'content-type': 'application/json' }, body });
    const { document, failure: failed } = await recordRun(place, noisy, (origin) => users(origin, once));
    const replayed = await place.ran(document, await replayExchanges(place.path));
    assert.equal(replayed.failure, failed);
  }),
);

test.run();
