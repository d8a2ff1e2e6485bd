/** The sink http against a loopback server: bodies, keys, retries, faults, and the conformance kit. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables in addresses are the subject.

import { once } from 'node:events';
import { createServer } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { batchOf } from '../../sinks/batch.js';
import { checkSink } from '../../sinks/conformance.js';
import type { RefusedItem, Sink } from '../../sinks/contract.js';
import { sinkFromUri } from '../../sinks/registry.js';
import { type Answer, headerOf, type RecordedRequest, startApi } from '../loopback/api.js';
import { aMinute, calm, pageEnd, rejection } from './lib.js';

const accepted: Answer = () => ({ status: 204 });
const place = { job: 'j', run: 'r', walk: '0', page: 0, offset: 0 };

async function withReceiver(
  answer: Answer,
  work: (uri: (rest: string) => string, requests: readonly RecordedRequest[]) => Promise<void>,
): Promise<void> {
  const api = await startApi(answer);
  try {
    await work((rest) => `${api.origin}${rest}`, api.requests);
  } finally {
    await api.close();
  }
}

/** Writes one page and ends the run. */
async function put(sink: Sink, items: readonly unknown[], dataType = 't'): Promise<void> {
  await sink.resume?.({ run: 'r', epoch: 1, isStored: false, phase: 'writing', checkpoints: new Map(), startedAt: 0 });
  await sink.open?.(dataType, 'j', { address: 'http://api.example.com/' });
  await sink.write(batchOf(dataType, items, place), calm);
  await sink.commit?.(pageEnd(dataType), calm);
  await sink.close();
}

test('a page is a request of lines, with its key', () =>
  withReceiver(accepted, async (uri, requests) => {
    const sink = sinkFromUri(uri('/in/{dataType}/{job}?x=%2F{dataType}'));
    await put(sink, [{ a: 1 }, 'č'], 'a b/c');
    const [request] = requests;
    assert.ok(request);
    assert.equal(
      [request.method, request.target, request.body],
      ['POST', '/in/a%20b%2Fc/j?x=%2Fa%20b%2Fc', '{"a":1}\n"č"\n'],
    );
    assert.is(headerOf(request, 'content-type'), 'application/x-ndjson');
    assert.match(headerOf(request, 'idempotency-key') ?? '', /^[\w-]{16}-0-2-[\w-]{8}$/);
    assert.match(headerOf(request, 'user-agent') ?? '', /^rxtract\//);
    assert.equal(
      sink.summary?.().map(({ items }) => items),
      [2],
    );
    assert.is(sink.recovery, undefined);
  }));

test('a list, another method, headers and a user', () =>
  withReceiver(accepted, async (uri, requests) => {
    const address = `${uri('/')}#format=json&method=PUT&header.X-Key=\${KEY}&header.X-Path=a%26b`.replace(
      '//',
      '//joe:${WORD}@',
    );
    const sink = sinkFromUri(address, { env: { KEY: 'k=1&2', WORD: 'p@ss' } });
    await put(sink, [1, [2]]);
    const [request] = requests;
    assert.ok(request);
    assert.equal([request.method, request.body], ['PUT', '[1,[2]]']);
    assert.is(headerOf(request, 'x-key'), 'k=1&2');
    assert.is(headerOf(request, 'x-path'), 'a&b');
    assert.is(headerOf(request, 'authorization'), `Basic ${Buffer.from('joe:p@ss').toString('base64')}`);
    assert.is(headerOf(request, 'content-type'), 'application/json');
    assert.match(sink.name ?? '', /^http:\/\/\*\*\*@127.0.0.1:\d+\/#format=json&method=PUT&header.X-Key=\*\*\*/);
    assert.ok(sink.secrets?.includes('k=1&2') && sink.secrets.includes('p@ss'));
  }));

test('events have the content type of their batch', () =>
  withReceiver(accepted, async (uri, requests) => {
    await put(sinkFromUri(uri('/#format=json&envelope=cloudevents')), [{ a: 1 }]);
    await put(sinkFromUri(uri('/#envelope=cloudevents')), [{ a: 1 }]);
    assert.equal(
      requests.map((each) => headerOf(each, 'content-type')),
      ['application/cloudevents-batch+json', 'application/x-ndjson'],
    );
    assert.is(JSON.parse(requests[0]?.body ?? '')[0].source, 'http://api.example.com/#j');
  }));

/** Body and key of each request of a page that arrives in these batches. */
async function requestsOf(options: string, batches: readonly number[], size = 1) {
  let seen: readonly (readonly [string, string | undefined])[] = [];
  await withReceiver(accepted, async (uri, requests) => {
    const sink = sinkFromUri(uri(`/#${options}`));
    let offset = 0;
    for (const count of batches) {
      const items = Array.from({ length: count }, (_, n) => 'x'.repeat(size - 1) + ((offset + n) % 10));
      await sink.write(batchOf('t', items, { ...place, offset }), calm);
      offset += count;
    }
    await sink.commit?.(pageEnd('t'), calm);
    await sink.close();
    seen = requests.map((each) => [each.body, headerOf(each, 'idempotency-key')] as const);
  });
  return seen;
}

test('a page is cut alike, however its items arrive', async () => {
  const once = await requestsOf('items=4', [10]);
  assert.equal(
    once.map(([body]) => body.split('\n').length - 1),
    [4, 4, 2],
  );
  for (const batches of [
    [1, 9],
    [4, 6],
    [3, 3, 4],
    [5, 5],
    [1, 1, 1, 1, 1, 1, 1, 1, 1, 1],
  ]) {
    assert.equal(await requestsOf('items=4', batches), once, String(batches));
  }
  const bySize = await requestsOf('bytes=50', [10], 20);
  assert.equal(
    bySize.map(([body]) => body.length),
    [46, 46, 46, 46, 46],
  );
  assert.equal(await requestsOf('bytes=50', [3, 7], 20), bySize);
  assert.is((await requestsOf('bytes=10', [2], 20)).length, 2);
});

test('a page, and a place, of another kind begins another request', () =>
  withReceiver(accepted, async (uri, requests) => {
    const sink = sinkFromUri(uri('/'));
    for (const other of [{}, { page: 1 }, { walk: '1' }, { run: 'x' }, { offset: 5 }]) {
      await sink.write(batchOf('t', [1], { ...place, ...other }), calm);
    }
    await sink.close();
    assert.is(requests.length, 5);
  }));

test('a receiver that is busy, or that breaks a connection, gets the request again', () =>
  withReceiver(
    (_, index) => {
      if (index === 0) return { status: 503, headers: { 'retry-after': '0' } };
      if (index === 1)
        return {
          status: 429,
          headers: { 'retry-after': 'Sun, 22 Nov 2026 14:00:00 GMT', date: 'Sun, 22 Nov 2026 14:00:00 GMT' },
        };
      if (index === 2) return { body: (response) => void response.destroy() };
      return index === 3 ? { status: 429, headers: { 'retry-after': 'soon' } } : { status: 200, body: 'ok' };
    },
    async (uri, requests) => {
      await put(sinkFromUri(uri('/')), [1]);
      assert.is(requests.length, 5);
      assert.is(new Set(requests.map((each) => headerOf(each, 'idempotency-key'))).size, 1);
    },
  ));

const refusals: readonly [answer: Answer, message: RegExp][] = [
  [
    () => ({ status: 400, body: 'no  such\ncolumn' }),
    /^http: item 0 of the page \(from 0\) gets status 400 from http:\/\/127.0.0.1:\d+\/in: no such column$/,
  ],
  [() => ({ status: 404 }), /\/in: status 404 \(item 0 of the page, from 0\)$/],
  [() => ({ status: 302, headers: { location: '/x' } }), /status 302 \(item 0 of the page, from 0\)$/],
  [() => ({ status: 503, headers: { 'retry-after': '9999' } }), /status 503 \(item 0 of the page, from 0\)$/],
];
for (const [index, [answer, message]] of refusals.entries()) {
  test(`a refusal ends the run (${index})`, () =>
    withReceiver(answer, async (uri, requests) => {
      const sink = sinkFromUri(uri('/in?key=secret'));
      await rejection(put(sink, [1]), 'ERR_SINK', message);
      assert.is(requests.length, 1);
      await sink.abort(undefined);
    }));
}

test('an interrupted run does not wait for a busy receiver', () =>
  withReceiver(
    () => ({ status: 503, headers: { 'retry-after': '300' } }),
    async (uri) => {
      const sink = sinkFromUri(uri('/'));
      const controller = new AbortController();
      await sink.write(batchOf('t', [1], place), calm);
      const committing = rejection(async () => sink.commit?.(pageEnd('t'), controller.signal), 'ERR_ABORTED');
      setImmediate(() => controller.abort());
      await committing;
      await sink.abort(undefined);
    },
  ));

test('a receiver that is not there is an error before the first request', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  server.close();
  await once(server, 'close');
  const sink = sinkFromUri(`http://127.0.0.1:${port}/x`);
  await rejection(put(sink, [1]), 'ERR_SINK', /^http: cannot connect to 127.0.0.1:\d+: connection refused/);
  await rejection(async () => sink.check?.(), 'ERR_SINK', /^http: cannot connect to 127.0.0.1:\d+: connection refused/);
});

test('a check sends OPTIONS, and finds rejected credentials', () =>
  withReceiver(
    ({ headers }) => ({ status: headers.some(([, value]) => value === 'right') ? 405 : 401 }),
    async (uri, requests) => {
      await sinkFromUri(uri('/{dataType}#header.X-Key=right')).check?.();
      await rejection(
        async () => sinkFromUri(uri('/in#header.X-Key=wrong')).check?.(),
        'ERR_SINK',
        /\/in rejects the credentials \(status 401\)$/,
      );
      assert.equal(
        requests.map(({ method, target }) => [method, target]),
        [
          ['OPTIONS', '/'],
          ['OPTIONS', '/in'],
        ],
      );
    },
  ));

test('addresses that are wrong', async () => {
  const create = (uri: string) => () => sinkFromUri(uri);
  await rejection(create('http://h/{item.a}'), 'ERR_USAGE', /^http: the path: unknown placeholder "\{item.a\}"/);
  await rejection(create('http://a,b/'), 'ERR_USAGE', /expected one host/);
  await rejection(create('https://h/#format=xml'), 'ERR_USAGE', /expected ndjson or json/);
  await rejection(create('https://h/#header.a b=x'), 'ERR_USAGE', /"a b" is not a name of a header/);
  await rejection(create('https://h/#header.a=x%0Ay'), 'ERR_USAGE', /no line breaks/);
  await rejection(create('https://h/#window=5'), 'ERR_USAGE', /window needs idempotent=true/);
  await rejection(create('https://h/#formt=json'), 'ERR_USAGE', /did you mean "format"\?$/);
  assert.is(sinkFromUri('https://h').name, 'https://h');
});

/** A receiver that keeps lines by path, and drops a request whose key it has had. */
function keeping(drops: boolean) {
  const lines = new Map<string, string[]>();
  const keys = new Set<string>();
  const answer: Answer = (request) => {
    const key = headerOf(request, 'idempotency-key') ?? '';
    const isKnown = drops && keys.has(key);
    keys.add(key);
    if (!isKnown)
      lines.set(request.target, [...(lines.get(request.target) ?? []), ...request.body.split('\n').slice(0, -1)]);
    return { status: 204 };
  };
  return { answer, read: async (dataType: string) => lines.get(`/${dataType}`) ?? [] };
}

for (const options of ['', '#idempotent=true&window=60&items=2']) {
  test(`keeps every rule of the kit ${options}`, async () => {
    const { answer, read } = keeping(options !== '');
    await withReceiver(answer, async (uri) => {
      const make = () => sinkFromUri(uri(`/{dataType}${options}`));
      const checks = await checkSink(make, read, { tooLong: aMinute });
      assert.equal(
        checks.filter(({ outcome }) => outcome === 'fail'),
        [],
      );
      assert.equal([make().recovery, make().window], options === '' ? [undefined, undefined] : ['ids', 60_000]);
    });
  });
}

const refuses =
  (status: number, bad: (body: string) => boolean): Answer =>
  ({ body }) => ({
    status: bad(body) ? status : 204,
    ...(bad(body) ? { body: 'bad item' } : {}),
  });

for (const status of [400, 413, 422]) {
  test(`items that the receiver refuses with ${status} are found by halves, and left out`, () =>
    withReceiver(
      refuses(status, (body) => /"n":[37]\b/.test(body)),
      async (uri, requests) => {
        const sink = sinkFromUri(uri('/#items=8'));
        const found: RefusedItem[] = [];
        await sink.open?.('t', 'j', { onItemError: (each) => void found.push(each) });
        const items = Array.from({ length: 10 }, (_, n) => ({ n }));
        await sink.write(batchOf('t', items, place), calm);
        await sink.prepare?.(pageEnd('t'), calm);
        const before = requests.length;
        await sink.commit?.(pageEnd('t'), calm);
        assert.is(requests.length, before);
        await sink.close();
        const arrived = requests
          .filter(({ body }) => !/"n":[37]\b/.test(body))
          .flatMap(({ body }) => body.match(/\d/g));
        assert.equal(arrived, ['0', '1', '2', '4', '5', '6', '8', '9']);
        assert.equal(
          found.map(({ batch, index }) => [batch.offset + index, batch.page, batch.count]),
          [
            [3, 0, 1],
            [7, 0, 1],
          ],
        );
        assert.match(
          found[0]?.reason ?? '',
          new RegExp(`^gets status ${status} from http://127.0.0.1:\\d+/: bad item$`),
        );
        assert.equal(
          sink.summary?.().map((each) => each.items),
          [8],
        );
      },
    ));
}

test('without a handler a refused request ends the run, and is not split: its items are named', () =>
  withReceiver(
    refuses(422, (body) => body.includes('"bad"')),
    async (uri, requests) => {
      const error = await rejection(
        put(sinkFromUri(uri('/in?k=secret#items=3')), [1, 2, 3, 'bad', 5]),
        'ERR_SINK',
        /^http: POST http:\/\/127.0.0.1:\d+\/in: status 422: bad item \(items 3 to 4 of the page, from 0\)$/,
      );
      assert.equal([error.where.job, error.where.page], ['j', 0]);
      assert.match(error.where.remedy ?? '', 'finds such items');
      assert.is(requests.length, 2);
      const single = await rejection(
        put(sinkFromUri(uri('/in#items=1')), [1, 'bad']),
        'ERR_SINK',
        /^http: item 1 of the page \(from 0\) gets status 422 from http:\/\/127.0.0.1:\d+\/in: bad item$/,
      );
      assert.match(single.where.remedy ?? '', '--on-item-error skip');
    },
  ));

for (const [status, remedy] of [
  [401, 'Check user, password and headers'],
  [404, 'Check the path'],
  [302, 'Redirects are not followed'],
  [409, ''],
  [415, 'Check `format`'],
] as const) {
  test(`the status ${status} names the items of its request, and what to do`, () =>
    withReceiver(
      refuses(status, () => true),
      async (uri, requests) => {
        const error = await rejection(
          put(sinkFromUri(uri('/')), [1, 2]),
          'ERR_SINK',
          new RegExp(`: status ${status}: bad item \\(items 0 to 1 of the page, from 0\\)$`),
        );
        assert.ok(
          (error.where.remedy ?? '').startsWith(remedy) && (error.where.remedy !== undefined) === (remedy !== ''),
        );
        assert.is(requests.length, 1);
        await rejection(put(sinkFromUri(uri('/#items=1')), [1, 2]), 'ERR_SINK', /\(item 0 of the page, from 0\)$/);
      },
    ));
}

test('a receiver that refuses one item keeps the rules on refused items', () => {
  const store = new Map<string, string[]>();
  const answer: Answer = ({ body, target }) => {
    if (body.includes('"bad"')) return { status: 422 };
    const lines = store.get(target.slice(1)) ?? [];
    store.set(target.slice(1), [...lines, ...body.split('\n').filter((line) => line !== '')]);
    return { status: 204 };
  };
  return withReceiver(answer, async (uri) => {
    const make = () => sinkFromUri(uri('/{dataType}'));
    const checks = await checkSink(make, async (name) => store.get(name) ?? [], {
      ...{ refused: { bad: 1 }, tooLong: aMinute },
    });
    assert.equal(
      checks.filter(({ outcome }) => outcome === 'fail'),
      [],
    );
    assert.is(
      checks.filter(({ name, outcome }) => /refused|refuses/.test(name) && outcome === 'pass').length >= 2,
      true,
    );
  });
});

test.run();
