/** The engine for code: which jobs run, in what order and how many at once, and how a run is left. */
import { inspect } from 'node:util';
import { lastValueFrom, toArray } from 'rxjs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { memory } from '../../sinks/index.js';
import type { Batch } from '../../src/core/model/batch.js';
import type { Receipt } from '../../src/core/model/page.js';
import { extract, run } from '../../src/run/extract.js';
import { startApi } from '../loopback/api.js';
import { calm, rejection, turns } from '../sinks/lib.js';
import {
  assertHidden,
  configOf,
  home,
  json,
  listener,
  login,
  onNetwork,
  pagenum,
  password,
} from '../support/mock-network.js';

const letters = ['a', 'b', 'c', 'd', 'e', 'f'];
const endpoints = letters.map((endpoint) => ({ endpoint }));
const onePageEach = Object.fromEntries(letters.map((name) => [`GET /${name}`, json([{ name }])]));

test(
  'runs jobs in listed order, one request at a time',
  onNetwork(onePageEach, async (network) => {
    const to = memory();
    const { jobs, outputs } = await run(configOf(endpoints), { to, dispatcher: network.dispatcher });
    assert.equal(
      network.lines(),
      letters.map((name) => `GET /${name}`),
    );
    assert.is(network.inFlight.most, 1);
    assert.equal(
      to.items(),
      letters.map((name) => ({ name })),
    );
    assert.equal(jobs[0], {
      job: 'a',
      dataType: 'a',
      requests: 1,
      pages: 1,
      items: 1,
      bytes: '{"name":"a"}\n'.length,
      retries: 0,
      stop: 'no pagination',
    });
    assert.equal(outputs, to.summary?.());
  }),
);

for (const concurrency of [2, 3]) {
  test(
    `requests at most ${concurrency} pages at once, and that many if it can`,
    onNetwork(onePageEach, async ({ dispatcher, inFlight }) => {
      const to = memory();
      await run(configOf(endpoints), { to, dispatcher, concurrency });
      assert.is(inFlight.most, concurrency);
      assert.is(to.items().length, letters.length);
    }),
  );
}

const twoPages = (name: string) => ({
  [`GET /${name}?limit=2&page=1`]: json([name + 1, name + 2]),
  [`GET /${name}?limit=2&page=2`]: json([name + 3]),
});

test(
  'keeps the order within a data type when jobs go side by side',
  onNetwork({ ...twoPages('a'), ...twoPages('b') }, async ({ dispatcher, inFlight }) => {
    const to = memory();
    await run(configOf([{ endpoint: 'a' }, { endpoint: 'b' }], pagenum(2)), { to, dispatcher, concurrency: 2 });
    assert.is(inFlight.most, 2);
    assert.equal(to.items('a'), ['a1', 'a2', 'a3']);
    assert.equal(to.items('b'), ['b1', 'b2', 'b3']);
  }),
);

/** A list of about `megabytes` items of 1 KiB. */
const large = (name: string, megabytes: number) =>
  Array.from({ length: megabytes * 1024 }, (_, index) => ({ name, index, filling: 'x'.repeat(990) }));

test(
  'lets jobs that share a data type alternate only at the ends of pages',
  onNetwork(
    { 'GET /a': json(large('a', 3)), 'GET /b': json(large('b', 3)), 'GET /c': json(large('c', 3)) },
    async ({ dispatcher }) => {
      const jobs = ['a', 'b', 'c'].map((endpoint) => ({ endpoint, dataType: 'all' }));
      const order: string[] = [];
      const take = async ({ job }: Batch) => {
        order.push(job);
        await turns(2);
      };
      await run(configOf(jobs), { to: take, dispatcher, concurrency: 3 });
      assert.ok(order.length >= 9, 'several batches a page');
      const changes = order.filter((job, at) => job !== order[at - 1]);
      assert.is(changes.length, 3, order.join(' '));
    },
  ),
);

test(
  'never has more than one page under way and one batch outstanding when an asynchronous function is slow',
  onNetwork(
    Object.fromEntries([1, 2, 3, 4].map((page) => [`GET /a?page=${page}`, json(page < 4 ? large(`p${page}`, 3) : [])])),
    async ({ dispatcher, asked }) => {
      const seen = { outstanding: 0, most: 0, items: 0, ahead: 0 };
      const receipts: Receipt[] = [];
      const take = async ({ count }: Batch) => {
        seen.outstanding += 1;
        seen.most = Math.max(seen.most, seen.outstanding);
        await turns(10); // Time enough for an engine that ran ahead.
        seen.ahead = Math.max(seen.ahead, asked.length - receipts.length);
        seen.items += count;
        seen.outstanding -= 1;
      };
      const onReceipt = (receipt: Receipt) => {
        assert.is(seen.outstanding, 0, 'a receipt is given when all of the page was taken');
        receipts.push(receipt);
      };
      await run(configOf([{ endpoint: 'a' }], pagenum()), { to: take, dispatcher, onReceipt });
      assert.equal(seen, { outstanding: 0, most: 1, items: 3 * 3 * 1024, ahead: 1 });
      assert.is(receipts.length, 4);
    },
  ),
);

test(
  'runs the chosen jobs alone, in listed order',
  onNetwork({ 'GET /a': json([1]), 'GET /c': json([3]) }, async ({ dispatcher }) => {
    const to = memory();
    const { jobs } = await run(configOf(endpoints), { to, dispatcher, jobs: ['c', 'a'] });
    assert.equal(to.items(), [1, 3]);
    assert.equal(
      jobs.map(({ job }) => job),
      ['a', 'c'],
    );
  }),
);

test('rejects an unknown job, with the nearest name and all others', async () => {
  const jobs = [{ endpoint: 'users' }, { endpoint: 'orders' }];
  const error = await rejection(
    () => run(configOf(jobs), { jobs: ['order'] }),
    'ERR_USAGE',
    /no job "order".*did you mean "orders"/,
  );
  assert.match(error.message, '"users", "orders"');
});

test('rejects the name of a child, and names its top-level job, at any depth', async () => {
  const grandchild = { endpoint: 'lines/{id}', dataType: 'lines', placeholders: { id: 'id' } };
  const child = { endpoint: 'orders/{id}', dataType: 'orders', placeholders: { id: 'id' }, children: [grandchild] };
  const jobs = configOf([{ endpoint: 'users', children: [child] }, { endpoint: 'events' }]);
  for (const name of ['orders', 'lines']) {
    const said = new RegExp(`"${name}" is a child job of "users"`);
    await rejection(() => run(jobs, { jobs: [name] }), 'ERR_USAGE', said);
    await rejection(async () => extract(jobs).job(name), 'ERR_USAGE', said);
  }
  assert.is(extract(jobs).job('events').name, 'events');
});

test('rejects a concurrency that is no integer from 1 up', async () => {
  for (const concurrency of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
    await rejection(async () => extract(configOf(endpoints), { concurrency }), 'ERR_USAGE', /concurrency/);
  }
});

test(
  'requests nothing before a subscription, and runs once',
  onNetwork({ 'GET /a': json([1]) }, async ({ dispatcher, asked }) => {
    const to = memory();
    const { receipts, summary } = extract(configOf([{ endpoint: 'a' }]), { to, dispatcher });
    await turns();
    assert.is(asked.length, 0);
    assert.is(summary().jobs[0]?.stop, 'not started');

    assert.is((await lastValueFrom(receipts)).count, 1);
    await rejection(lastValueFrom(receipts), 'ERR_USAGE', /once/);
    assert.is(asked.length, 1);
    assert.equal(to.items(), [1]);
  }),
);

test(
  'walks one job alone and leaves the sink open',
  onNetwork(twoPages('b'), async ({ dispatcher }) => {
    const to = memory();
    const { jobs } = extract(configOf([{ endpoint: 'a' }, { endpoint: 'b' }], pagenum(2)), { to, dispatcher });
    const walk = jobs.find(({ name }) => name === 'b');
    assert.ok(walk);
    const receipts = await lastValueFrom(walk.receipts.pipe(toArray()));
    assert.equal(
      receipts.map(({ index, count, stop }) => [index, count, stop === undefined]),
      [
        [0, 2, true],
        [1, 1, false],
      ],
    );
    const [first] = to.batches;
    assert.ok(first);
    await to.write(first, calm); // Not closed: it takes another batch.
  }),
);

test(
  'masks the errors of a job that is walked alone too',
  onNetwork({ 'GET /a': json([1]) }, async ({ dispatcher }) => {
    const to = () => {
      throw new Error('refused by correct horse');
    };
    const { jobs } = extract(configOf([{ endpoint: 'a' }], {}, password), { dispatcher, to });
    const [job] = jobs;
    assert.ok(job);
    const error = await rejection(lastValueFrom(job.receipts), 'ERR_SINK', /refused by \*\*\*/);
    assertHidden('correct horse', [error.stack, inspect(error)]);
  }),
);

test(
  'counts and drops items without a sink',
  onNetwork({ 'GET /a': json([1, 2, 3]) }, async ({ dispatcher }) => {
    const { jobs } = await run(configOf([{ endpoint: 'a' }]), { dispatcher });
    assert.is(jobs[0]?.items, 3);
  }),
);

test('under strict rejects the warnings of a configuration before any request, all at once', async () => {
  const config = configOf([{ endpoint: 'a', methd: 'POST' }], { autentication: null });
  const error = await rejection(() => run(config, { strict: true }), 'ERR_STRICT', /1 more/);
  assert.is(error.problems.length, 2);
});

for (const [what, value, message] of [
  ['a function', () => 1, 'config.jobs.0.params.p: a function cannot be written as JSON'],
  ['a number that is none', Number.NaN, 'config.jobs.0.params.p: NaN cannot be written as JSON'],
  ['an undefined element', [1, undefined], 'config.jobs.0.params.p.1: undefined cannot be written as JSON'],
  ['a circle', circle(), 'config.jobs.0: a circular structure cannot be written as JSON'],
] as const) {
  test(`rejects ${what} in a configuration by its path`, async () => {
    const config = configOf([{ endpoint: 'a', params: { p: value } }]);
    const error = await rejection(() => run(config), 'ERR_CONFIG');
    assert.is(error.message, message);
  });
}

function circle(): object {
  const members: Record<string, unknown> = {};
  members.self = members;
  return members;
}

test(
  'sends a date as JSON writes it',
  onNetwork({ 'GET /a?since=1970-01-01T00%3A00%3A00.000Z': json([1]) }, async ({ dispatcher }) => {
    const { jobs } = await run(configOf([{ endpoint: 'a', params: { since: new Date(0) } }]), { dispatcher });
    assert.is(jobs[0]?.items, 1);
  }),
);

test('passes on the warnings of a configuration', async () => {
  const { codes, notify } = listener();
  extract(configOf([{ endpoint: 'a', methd: 'POST' }]), { notify });
  assert.equal(codes(), ['unknown-key']);
});

test(
  'distinguishes the failed job from those that ended because of it',
  onNetwork(
    { 'GET /a?limit=2&page=1': { status: 400 }, 'GET /b?limit=2&page=1': json([1, 2]) },
    async ({ dispatcher }) => {
      const config = configOf([{ endpoint: 'a' }, { endpoint: 'b' }], pagenum(2));
      const { receipts, summary } = extract(config, { dispatcher, concurrency: 2 });
      await rejection(lastValueFrom(receipts), 'ERR_STATUS');
      assert.equal(
        summary().jobs.map(({ job, stop }) => [job, stop]),
        [
          ['a', 'failed'],
          ['b', 'another job failed'],
        ],
      );
    },
  ),
);

test('fails at once when its signal has been aborted already', async () => {
  const calls: string[] = [];
  const to = { write: () => {}, close: () => void calls.push('close'), abort: () => void calls.push('abort') };
  const reason = new Error('enough');
  const error = await rejection(run(configOf(endpoints), { to, signal: AbortSignal.abort(reason) }), 'ERR_ABORTED');
  assert.is(error.cause, reason);
  assert.equal(calls, [], 'nothing was opened');
});

/** A server that gives the first page and lets the second hang; `left` settles when the client has gone. */
async function withHangingPage(work: (api: { origin: string; asked: Promise<void>; left: Promise<void> }) => unknown) {
  const asked = deferred();
  const left = deferred();
  const api = await startApi((_, index) => {
    if (index === 0) return { body: '[1,2]' };
    return {
      body: (response) => {
        response.on('close', left.resolve);
        response.write(`[3, "${'x'.repeat(1_200_000)}", 4`, () => asked.resolve());
      },
    };
  });
  try {
    await work({ origin: api.origin, asked: asked.promise, left: left.promise });
  } finally {
    await api.close();
  }
}

function deferred() {
  let resolve = () => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

test('aborts the request in flight and rolls its page back when its subscriber leaves', async () => {
  await withHangingPage(async ({ origin, left }) => {
    const to = memory();
    const begun = deferred();
    const calls: string[] = [];
    const sink = {
      ...to,
      write: async (batch: Batch, signal: AbortSignal) => {
        await to.write(batch, signal);
        if (to.items().length > 2) begun.resolve();
      },
      rollback: async (mark: Parameters<NonNullable<typeof to.rollback>>[0]) => {
        await turns(5);
        await to.rollback?.(mark);
        calls.push('rollback');
      },
      abort: (reason: unknown) => {
        calls.push('abort');
        return to.abort(reason);
      },
    };
    const { receipts, closed, summary } = extract(
      configOf([{ endpoint: 'a' }], { baseUrl: `${origin}/`, ...pagenum(2) }),
      {
        to: sink,
      },
    );
    const subscription = receipts.subscribe();
    await begun.promise;
    assert.is(to.items().length, 4);
    subscription.unsubscribe();
    await left;
    await closed;
    assert.equal(calls, ['rollback', 'abort'], 'the sink was aborted when nothing was under way any more');
    assert.equal(to.items(), [1, 2]);
    assert.equal(
      summary().jobs.map(({ pages, items, requests, stop }) => ({ pages, items, requests, stop })),
      [{ pages: 1, items: 2, requests: 2, stop: 'interrupted' }],
    );
  });
});

test('rejects with ERR_ABORTED when its signal is aborted on the way, the sink at rest', async () => {
  await withHangingPage(async ({ origin, asked, left }) => {
    const to = memory();
    const controller = new AbortController();
    const config = configOf([{ endpoint: 'a' }], { baseUrl: `${origin}/`, ...pagenum(2) });
    const ran = run(config, { to, signal: controller.signal });
    await asked;
    controller.abort();
    await rejection(ran, 'ERR_ABORTED');
    await left;
    assert.equal(to.items(), [1, 2]);
  });
});

test(
  'hides the secrets of its configuration in any text',
  onNetwork({}, async ({ dispatcher }) => {
    const { mask } = extract(configOf([{ endpoint: 'a' }], login(), password), { dispatcher });
    assert.is(mask(`${home}: correct horse`), `${home}: ***`);
  }),
);

test.run();
