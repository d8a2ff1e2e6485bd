/** `api.http.rateLimit` in a run: in virtual time, when each request is sent, for all senders. */

import { asyncScheduler, filter, firstValueFrom, Subject } from 'rxjs';
import { Agent, buildConnector } from 'undici';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { memory } from '../../sinks/index.js';
import { ExtractError } from '../../src/core/errors/errors.js';
import type { Notice } from '../../src/core/model/notice.js';
import { createRateLimiter, type RateLimiter, type RateLimiterContext } from '../../src/http/rate-limiter.js';
import type { Activity } from '../../src/page/progress.js';
import { extract, run } from '../../src/run/extract.js';
import type { RunOptions } from '../../src/run/options.js';
import { type Answer, json, startApi } from '../loopback/api.js';
import { rejection } from '../sinks/lib.js';
import { configOf, login, pagenum, password } from '../support/mock-network.js';
import { startClock } from '../support/virtual-clock.js';
import { unchecked } from '../unchecked.js';

interface Sent {
  readonly at: number;
  readonly target: string;
}

/** So many turns of the event loop in which nothing happens are taken for: all wait for the time to pass. */
const quietTurns = 25;

interface Timed extends RunOptions {
  /** Until a connection is there, in ms of the clock. */
  readonly connecting?: number;
}

/**
 * Runs against the server; the clock advances by `step` ms when everything waits. Times of `sent` count from 0, and are
 * those of writing to a connection.
 */
async function timed(answer: Answer, config: (origin: string) => object, step: number, given: Timed = {}) {
  const { connecting = 0, ...options } = given;
  const api = await startApi(answer);
  const clock = startClock();
  const start = Date.now();
  const sent: Sent[] = [];
  const activities: Activity[] = [];
  let underWay = 0;
  let quiet = 0;
  const over = () => {
    underWay -= 1;
    quiet = 0;
  };
  const atOnce = buildConnector({});
  const connect: typeof atOnce = (target, callback) => {
    if (connecting === 0) return atOnce(target, callback);
    underWay -= 1;
    return asyncScheduler.schedule(() => {
      underWay += 1;
      quiet = 0;
      atOnce(target, callback);
    }, connecting);
  };
  const agent = new Agent({ connect });
  const dispatcher = agent.compose((dispatch) => (request, handler) => {
    underWay += 1;
    return dispatch(
      request,
      listening(handler, {
        onRequestStart: () => void sent.push({ at: Date.now() - start, target: request.path }),
        onResponseEnd: over,
        onResponseError: over,
      }),
    );
  });
  const turn = () => {
    quiet = underWay > 0 ? 0 : quiet + 1;
    if (quiet > quietTurns) clock.pass(step);
    turning = setImmediate(turn);
  };
  let turning = setImmediate(turn);
  const onActivity = (activity: Activity) => {
    quiet = 0;
    activities.push(activity);
  };
  const to = memory();
  try {
    const ran = run(unchecked(config(`${api.origin}/`)), { to, dispatcher, onActivity, ...options });
    const thrown = await ran.then(
      () => undefined,
      (error: unknown) => error,
    );
    return { sent, activities, items: to.items(), thrown };
  } finally {
    clearImmediate(turning);
    clock.stop();
    await agent.close();
    await api.close();
  }
}

/** The handler, these called before its own. */
const listening = <H extends object>(handler: H, before: Readonly<Record<string, () => void>>): H =>
  new Proxy(handler, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return (...given: readonly unknown[]) => {
        before[String(name)]?.();
        return Reflect.apply(value, target, given);
      };
    },
  });

/** Fails where a window of `ms` holds more than `most`. */
function assertWithin(sent: readonly Sent[], most: number, ms: number): void {
  for (const [index, { at }] of sent.entries()) {
    const beyond = sent[index + most];
    if (beyond !== undefined) assert.ok(beyond.at - at >= ms, `${most + 1} from ${at} to ${beyond.at}`);
  }
}

const limited = (rateLimit: unknown, more: object = {}) => ({ ...more, http: { rateLimit } });
const pages: Answer = ({ target }) => json(target.includes('page=5') ? [] : [{ target }]);

test('pages of jobs side by side keep the rates together, and use them up', async () => {
  const jobs = ['a', 'b', 'c'].map((endpoint) => ({ endpoint }));
  const { sent, items } = await timed(
    pages,
    (baseUrl) => configOf(jobs, { baseUrl, ...limited(['3/100s', '1/10s'], pagenum()) }),
    10_100,
    { concurrency: 3 },
  );
  assert.equal([sent.length, items.length], [15, 12]);
  assertWithin(sent, 3, 100_000);
  assertWithin(sent, 1, 10_000);
  assert.is(sent.at(-1)?.at, 424_200, 'five rounds of three, each a hundredth longer');
});

test('jobs take turns: one with many requests in line does not delay another by more than one', async () => {
  const child = (name: string) => ({ endpoint: `${name}/{id}`, dataType: `${name}-child`, placeholders: { id: 'id' } });
  const answer: Answer = ({ target }) =>
    json(target === '/a' ? Array.from({ length: 8 }, (_, id) => ({ id })) : target.includes('page=4') ? [] : [target]);
  const { sent } = await timed(
    answer,
    (baseUrl) =>
      configOf(
        [
          { endpoint: 'a', children: [child('a')] },
          { endpoint: 'b', scroller: 'pages' },
        ],
        {
          baseUrl,
          ...limited('1/1s', { pagination: { method: 'multiple', scrollers: { pages: { method: 'pagenum' } } } }),
        },
      ),
    1000,
    { concurrency: 10 },
  );
  const ofB = sent.flatMap(({ target }, index) => (target.startsWith('/b') ? [index] : []));
  assert.is(ofB.length, 4);
  for (const [index, at] of ofB.entries()) assert.ok(at - (ofB[index - 1] ?? -1) <= 3, `${ofB}`);
});

test('logins, attempts and redirects count as pages do', async () => {
  let asked = 0;
  const answer: Answer = ({ target }) => {
    if (target === '/login') return json({ token: 't-123456' });
    if (target === '/a') return { status: 302, headers: { Location: '/moved' } };
    asked += 1;
    return asked === 1 ? { status: 503, headers: { 'Retry-After': '-1' } } : json([1]);
  };
  const config = (baseUrl: string) =>
    configOf([{ endpoint: 'a' }], { baseUrl, ...limited('2/10s'), ...login() }, password);
  const { sent, items } = await timed(answer, config, 100);
  assert.equal(items, [1]);
  assert.equal(
    sent.map(({ at, target }) => `${target} ${at}`),
    ['/login 0', '/a 0', '/moved 10100', '/a 10100', '/moved 20200'],
  );
});

test('iterations keep the rate together', async () => {
  const { sent } = await timed(
    pages,
    (baseUrl) => ({
      ...configOf([{ endpoint: 'a' }], { baseUrl, ...limited('1/5s') }),
      iterations: [{ n: 1 }, { n: 2 }, { n: 3 }],
    }),
    1010,
  );
  assert.equal(
    sent.map(({ at }) => at),
    [0, 5050, 10_100],
  );
});

test('requests that wait for connections count from when they are sent, however late', async () => {
  const jobs = ['a', 'b', 'c'].map((endpoint) => ({ endpoint }));
  const { sent } = await timed(pages, (baseUrl) => configOf(jobs, { baseUrl, ...limited('2/10s', pagenum()) }), 100, {
    concurrency: 3,
    connecting: 7000,
  });
  assert.is(sent.length, 15);
  assert.equal(
    sent.slice(0, 4).map(({ at }) => at),
    [7000, 7000, 17_100, 17_100],
  );
  assertWithin(sent, 2, 10_000);
});

test('a request without a connection frees its slot', async () => {
  const config = () => ({
    ...configOf([{ endpoint: 'a' }], {
      baseUrl: 'http://127.0.0.1:1/',
      ...limited('1/1d'),
      retryConfig: { maxRetries: 2 },
    }),
  });
  const { sent, thrown } = await timed(pages, config, 1000);
  await rejection(Promise.reject(thrown), 'ERR_TRANSPORT');
  assert.equal(sent, [], 'and its own next attempts do not wait for a day');
});

test('a waiting request reports that, and then that it waits for the response', async () => {
  const config = (baseUrl: string) => configOf([{ endpoint: 'a' }], { baseUrl, ...limited('1/5s', pagenum()) });
  const { activities } = await timed(pages, config, 1000);
  const states = activities.filter(({ page }) => page === 1).map(({ state }) => state);
  assert.equal(states.slice(0, 4), ['answer', 'limit', 'answer', 'page']);
});

test('an interrupted run leaves the line at once', async () => {
  const leaving = new AbortController();
  const { sent, thrown } = await timed(
    pages,
    (baseUrl) => configOf([{ endpoint: 'a' }], { baseUrl, ...limited('1/1d', pagenum()) }),
    0,
    {
      signal: leaving.signal,
      onActivity: ({ state }) => {
        if (state === 'limit') leaving.abort();
      },
    },
  );
  await rejection(Promise.reject(thrown), 'ERR_ABORTED');
  assert.is(sent.length, 1);
});

test('a stopping run does not wait for a queued page, nor count it', async () => {
  const api = await startApi(pages);
  const activities = new Subject<Activity>();
  try {
    const { receipts, stop, closed, summary } = extract(
      configOf([{ endpoint: 'a' }], { baseUrl: `${api.origin}/`, ...limited('1/1d', pagenum()) }),
      { onActivity: (activity) => activities.next(activity) },
    );
    const inLine = firstValueFrom(activities.pipe(filter(({ state }) => state === 'limit')));
    const subscription = receipts.subscribe();
    await inLine;
    await stop();
    subscription.unsubscribe();
    await closed;
    assert.equal(
      [api.requests.length, summary().jobs.map(({ requests, pages: taken }) => [requests, taken])],
      [1, [[1, 1]]],
    );
  } finally {
    await api.close();
  }
});

const none = { 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': '30' };
const untilPage =
  (last: number, headers: (page: number) => Readonly<Record<string, string>>): Answer =>
  ({ target }) => {
    const page = Number(target.split('page=')[1]);
    return json(page > last ? [] : [target], { headers: headers(page) });
  };
const noticesOf = () => {
  const notices: Notice[] = [];
  return { notices, notify: (notice: Notice) => void notices.push(notice) };
};

test('if a response says that no request remains, the next waits until there are more, reported once', async () => {
  const { notices, notify } = noticesOf();
  const { sent, activities } = await timed(
    untilPage(3, () => none),
    (baseUrl) => configOf([{ endpoint: 'a' }], { baseUrl, ...pagenum() }),
    1000,
    { notify },
  );
  assert.equal(
    sent.map(({ at }) => at),
    [0, 30_000, 60_000, 90_000],
  );
  assert.equal(
    activities.flatMap(({ state, page, ms }) => (state === 'limit' ? [[page, ms]] : [])),
    [1, 2, 3].map((page) => [page, 30_000]),
  );
  assert.equal(
    notices.map(({ level, code }) => [level, code]),
    [['info', 'rate-limit']],
  );
  assert.match(notices[0]?.message ?? '', /rate limit exhausted .*: waiting 30 s/);
});

test('the other jobs wait as well, and remaining requests are shared with those in flight', async () => {
  const two = { 'RateLimit-Remaining': '2', 'RateLimit-Reset': '20' };
  let asked = 0;
  const answer: Answer = ({ target }) => {
    asked += 1;
    return json(target.includes('page=3') ? [] : [target], asked === 1 ? { headers: two } : {});
  };
  const { sent } = await timed(
    answer,
    (baseUrl) => configOf([{ endpoint: 'a' }, { endpoint: 'b' }], { baseUrl, ...pagenum() }),
    1000,
    { concurrency: 2 },
  );
  const early = sent.filter(({ at }) => at < 20_000);
  assert.is(early.length, 3, 'two under way at once, and one of the two that remain: the other is under way');
  assert.is(sent.length, 6);
});

const unheeded: readonly (readonly [what: string, api: object, headers: Readonly<Record<string, string>>])[] = [
  ['that is turned off', { http: { rateLimitHeaders: false } }, none],
  ['longer than a wait may be', { retryConfig: { maxDelay: 29 } }, none],
  ['of which nothing can be understood', {}, { ...none, 'X-RateLimit-Reset': 'soon' }],
  ['that some remain', {}, { ...none, 'X-RateLimit-Remaining': '1' }],
];

for (const [what, api, headers] of unheeded) {
  test(`nothing waits for a hint ${what}`, async () => {
    const { notices, notify } = noticesOf();
    const { sent } = await timed(
      untilPage(2, () => headers),
      (baseUrl) => configOf([{ endpoint: 'a' }], { baseUrl, ...pagenum(), ...api }),
      1000,
      { notify },
    );
    assert.equal([sent.map(({ at }) => at), notices], [[0, 0, 0], []]);
  });
}

test('the latest hint counts: if more remain than before, nothing waits', async () => {
  const more = { ...none, 'X-RateLimit-Remaining': '100' };
  let asked = 0;
  const answer: Answer = ({ target }) => {
    asked += 1;
    return json(target.includes('page=3') ? [] : [target], { headers: asked === 1 ? none : more });
  };
  const { sent } = await timed(answer, (baseUrl) => configOf([{ endpoint: 'a' }], { baseUrl, ...pagenum() }), 1000);
  assert.equal(
    sent.map(({ at }) => at),
    [0, 30_000, 30_000],
  );
});

test('a rejection with nothing remaining holds all requests, its own retry too', async () => {
  let asked = 0;
  const answer: Answer = ({ target }) => {
    asked += 1;
    return asked === 1 ? { status: 429, headers: none } : json([target]);
  };
  const { sent } = await timed(answer, (baseUrl) => configOf([{ endpoint: 'a' }], { baseUrl }), 1000);
  assert.equal(
    sent.map(({ at }) => at),
    [0, 30_000],
  );
});

/** The first request is refused for 30 s; the second one, which is under way meanwhile, has `headers`. */
const refusedFirst = (headers: Readonly<Record<string, string>> = {}): Answer => {
  let asked = 0;
  return ({ target }) => {
    asked += 1;
    if (asked === 1) return { status: 429, headers: { 'Retry-After': '30' } };
    return json(target.includes('page=2') ? [] : [target], asked === 2 ? { headers } : {});
  };
};
const twoJobs = (baseUrl: string, http: object = {}) =>
  configOf([{ endpoint: 'a' }, { endpoint: 'b' }], { baseUrl, http, ...pagenum() });

for (const [what, headers] of [
  ['', {}],
  [', also if a response that was under way says that many remain', { ...none, 'X-RateLimit-Remaining': '100' }],
] as const) {
  test(`a refusal that states a wait holds the requests of all jobs${what}`, async () => {
    const { notices, notify } = noticesOf();
    const { sent } = await timed(refusedFirst(headers), (baseUrl) => twoJobs(baseUrl), 1000, {
      concurrency: 2,
      notify,
    });
    assert.equal([sent.length, sent.filter(({ at }) => at < 30_000).length], [5, 2]);
    assert.equal(notices.map(({ code }) => code).sort(), ['rate-limit', 'retry']);
  });
}

test('a refusal holds its own request alone if the configuration ignores what responses say', async () => {
  const off = (baseUrl: string) => twoJobs(baseUrl, { rateLimitHeaders: false });
  const { sent } = await timed(refusedFirst(), off, 1000, { concurrency: 2 });
  assert.equal([sent.length, sent.filter(({ at }) => at < 30_000).length], [5, 3]);
});

test('a function that makes the limiter gets what the configuration asks for, once for all iterations', async () => {
  const asked: unknown[] = [];
  const { notices, notify } = noticesOf();
  const rateLimiter = ({ key, rates, longestHold, retryHeader, notify: say }: RateLimiterContext) => {
    asked.push([key, rates, longestHold, retryHeader]);
    return createRateLimiter({ rates, longestHold, retryHeader, ...(say === undefined ? {} : { notify: say }) });
  };
  let origin = '';
  const config = (baseUrl: string) => {
    origin = new URL(baseUrl).origin;
    const retryConfig = { maxDelay: 60, http: { retryHeader: 'X-Wait' } };
    return {
      ...configOf([{ endpoint: 'a' }], { baseUrl: `${baseUrl}v1/`, retryConfig, ...limited('1/5s') }),
      iterations: [{ n: 1 }, { n: 2 }],
    };
  };
  const { sent } = await timed(pages, config, 1010, { rateLimiter, notify });
  assert.equal(asked, [[origin, [{ most: 1, ms: 5000 }], 60_000, 'X-Wait']]);
  assert.equal([sent.map(({ at }) => at), notices], [[0, 5050], []]);
});

test('a function that makes no limiter is an error before any request', async () => {
  const { sent, thrown } = await timed(pages, (baseUrl) => configOf([{ endpoint: 'a' }], { baseUrl }), 1000, {
    rateLimiter: () => ({}) as never,
  });
  await rejection(Promise.reject(thrown), 'ERR_USAGE', /rateLimiter: expected a function that returns an object/);
  assert.equal(sent, []);
});

test('a request whose slot is too late is not sent, and takes another one', async () => {
  const words: string[] = [];
  const late = [true, true, false];
  const rateLimiter: RateLimiter = {
    pass: () => ({
      isLate: () => late.shift() === true,
      begin: () => void words.push('begin'),
      giveBack: () => void words.push('end'),
    }),
    around: (work) => work(),
  };
  const api = await startApi(pages);
  try {
    const config = configOf([{ endpoint: 'a' }], { baseUrl: `${api.origin}/`, retryConfig: { maxRetries: 0 } });
    const { jobs } = await run(config, { rateLimiter });
    assert.equal([api.requests.length, jobs[0]?.requests], [1, 1]);
    assert.equal(words.slice(0, 4), ['end', 'end', 'begin', 'begin'], 'late, late, sent, answered');
  } finally {
    await api.close();
  }
});

test('what a limiter of the caller throws is the error of the run', async () => {
  const rateLimiter: RateLimiter = {
    pass: () => Promise.reject(new ExtractError('ERR_STATE', 'the server of the rate is not there')),
    around: (work) => work(),
  };
  const ran = run(configOf([{ endpoint: 'a' }]), { rateLimiter });
  await rejection(ran, 'ERR_STATE', /the server of the rate is not there/);
});

test.run();
