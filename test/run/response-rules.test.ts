/** Rules on responses: what becomes of pages that meet them, and of what is already written. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ndjson } from '../../sinks/files/ndjson.js';
import { memory } from '../../sinks/memory.js';
import type { ExtractError } from '../../src/core/errors/errors.js';
import { run } from '../../src/run/extract.js';
import type { RunOptions } from '../../src/run/options.js';
import { filesIn, inFolder, rejection } from '../sinks/lib.js';
import { configOf, json, listener, type MockRoutes, onNetwork } from '../support/mock-network.js';
import { startClock } from '../support/virtual-clock.js';

const key = 'then';
/** A rule for `"status": "failure"`, unless `more` has another condition. */
const rule = (action: string, more: object = {}) => ({
  when: { path: 'status', equals: 'failure' },
  [key]: action,
  message: { path: 'error.message' },
  ...more,
});

const failure = { status: 'failure', error: { message: 'busy' }, retry_after: 30 };
const items = (...ids: readonly number[]) => json({ status: 'success', items: ids.map((id) => ({ id })) });

interface Played extends RunOptions {
  readonly routes: MockRoutes;
  readonly rules: readonly object[];
  readonly api?: object;
  readonly job?: object;
}

/** Runs a job; each wait for a retry passes at once. */
async function play({ routes, rules, api, job, ...options }: Played) {
  const { codes, notices, notify } = listener();
  const clock = startClock();
  const to = memory();
  const config = configOf([{ endpoint: 'users', dataField: 'items', ...job }], { responseRules: rules, ...api });
  let failed: ExtractError | undefined;
  let stop: string | undefined;
  let asked: readonly string[] = [];
  try {
    await onNetwork(routes, async ({ dispatcher, lines }) => {
      const noticed: RunOptions['notify'] = (notice) => {
        notify(notice);
        if (notice.code === 'retry') clock.passSoon(60_000);
      };
      const running = run(config, { to, dispatcher, notify: noticed, ...options });
      const summary = await running.catch((thrown: ExtractError) => {
        failed = thrown;
        return undefined;
      });
      asked = lines();
      stop = summary?.jobs[0]?.stop;
    })();
  } finally {
    clock.stop();
  }
  return { stop, items: to.items(), codes: codes(), notices, failed, asked };
}

test(
  'fail ends the run with the text of the response, and nothing is published',
  inFolder(async (dir) => {
    writeFileSync(join(dir, 'users.ndjson'), '{"id":1}\n');
    const page = json({ ...failure, items: [{ id: 7 }] });
    const { failed } = await play({ routes: { 'GET /users': page }, rules: [rule('fail')], to: ndjson(dir) });
    assert.is(failed?.code, 'ERR_RESPONSE');
    assert.match(failed?.message ?? '', /^api\.responseRules\[0\]: the response is a failure \(status 200\): busy$/);
    assert.equal([failed?.where.job, failed?.where.page], ['users', 0]);
    assert.match(failed?.where.request ?? '', /^GET https:\/\/api\.example\/users$/);
    assert.is(filesIn(dir)['users.ndjson'], '{"id":1}\n');
    assert.is(filesIn(dir)['users.ndjson.partial'], '', 'its item was taken back');
  }),
);

test('retry asks again, and items of the failure are taken back', async () => {
  const routes = { 'GET /users': [json({ ...failure, items: [{ id: 7 }] }), items(1, 2)] };
  const played = await play({ routes, rules: [rule('retry')] });
  assert.equal(played.items, [{ id: 1 }, { id: 2 }]);
  assert.match(played.notices[0]?.message ?? '', /\(status 200\): busy; retrying in 1 s \(1 of 10/);
});

test('the retries of a rule are bounded by maxRetries', async () => {
  const api = { retryConfig: { maxRetries: 2 } };
  const { failed, asked } = await play({
    routes: { 'GET /users': [1, 2, 3].map(() => json(failure)) },
    rules: [rule('retry')],
    api,
  });
  assert.is(failed?.code, 'ERR_RESPONSE');
  assert.is(asked.length, 3);
});

for (const [what, wait, seconds] of [
  ['a path', { path: 'retry_after' }, 30],
  ['a header', { header: 'X-Wait' }, 20],
  ['a number', { seconds: 7 }, 7],
  ['a path that is not there', { path: 'none' }, 1],
] as const) {
  test(`wait takes the time from ${what}`, async () => {
    const busy = json(failure);
    const routes = { 'GET /users': [{ ...busy, headers: { ...busy.headers, 'x-wait': '20' } }, items(1)] };
    const { notices, items: got } = await play({ routes, rules: [rule('wait', { wait })] });
    assert.match(notices[0]?.message ?? '', new RegExp(`retrying in ${seconds} s`));
    assert.equal(got, [{ id: 1 }]);
  });
}

const pagination = { method: 'pagenum' };

test('end makes it the last page, and its items count', async () => {
  const routes = {
    'GET /users?page=1': items(1, 2),
    'GET /users?page=2': json({ ...failure, items: [{ id: 3 }, { id: 4 }] }),
  };
  const { items: got, stop, codes } = await play({ routes, rules: [rule('end')], api: { pagination } });
  assert.equal(
    got,
    [1, 2, 3, 4].map((id) => ({ id })),
  );
  assert.equal([stop, codes], ['api.responseRules[0]: busy', []]);
});

test('skip leaves the page out, and the job goes on with the next one', async () => {
  const routes = {
    'GET /users?page=1': items(1, 2),
    'GET /users?page=2': json({ ...failure, items: [{ id: 9 }] }),
    'GET /users?page=3': items(3),
    'GET /users?page=4': items(),
  };
  const { items: got, codes, notices } = await play({ routes, rules: [rule('skip')], api: { pagination } });
  assert.equal(
    got,
    [1, 2, 3].map((id) => ({ id })),
  );
  assert.equal(codes, []);
  assert.ok(notices.some(({ code, page }) => code === 'page-skipped' && page === 1));
});

test('pages that are left out without end are a loop', async () => {
  const pages = Array.from({ length: 20 }, (_, page) => [`GET /users?page=${page + 1}`, json({ ...failure, page })]);
  const { failed } = await play({ routes: Object.fromEntries(pages), rules: [rule('skip')], api: { pagination } });
  assert.equal([failed?.code, failed?.where.page], ['ERR_LOOP', 19]);
});

test(
  'a job whose only page is left out keeps the earlier output',
  inFolder(async (dir) => {
    writeFileSync(join(dir, 'users.ndjson'), '{"id":1}\n');
    await play({ routes: { 'GET /users': json({ ...failure, items: [] }) }, rules: [rule('skip')], to: ndjson(dir) });
    assert.is(filesIn(dir)['users.ndjson'], '{"id":1}\n');
  }),
);

test('login logs in again, and sends the request with the new credentials', async () => {
  const authentication = {
    type: 'login',
    loginRequest: { endpoint: 'login' },
    apiRequest: { headers: { 'X-Token': { response: 'token' } } },
  };
  const routes = {
    'GET /login': [json({ token: 'first-token' }), json({ token: 'second-token' })],
    'GET /users': [json({ errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] }), items(1)],
  };
  const when = { path: 'errors.0.extensions.code', equals: 'UNAUTHENTICATED' };
  const { items: got, asked } = await play({ routes, rules: [rule('login', { when })], api: { authentication } });
  assert.equal(got, [{ id: 1 }]);
  assert.equal(asked, ['GET /login', 'GET /users', 'GET /login', 'GET /users']);
});

test('GraphQL: errors beside data are an error by a rule', async () => {
  const reply = json({ data: { users: [{ id: 1 }] }, errors: [{ message: 'no access to field "mail"' }] });
  const rules = [
    rule('fail', { when: { path: 'errors', exists: true }, message: { path: ['errors', '0', 'message'] } }),
  ];
  const { failed } = await play({ routes: { 'GET /users': reply }, rules, job: { dataField: 'data.users' } });
  assert.match(failed?.message ?? '', /: no access to field "mail"$/);
});

test('the first rule that applies counts, those of the job first', async () => {
  const job = { responseRules: [rule('end', { when: { path: 'error.message', matches: '^bu' } })] };
  const { stop, failed } = await play({ routes: { 'GET /users': json(failure) }, rules: [rule('fail')], job });
  assert.equal([stop, failed], ['config.jobs[0].responseRules[0]: busy', undefined]);
});

test('a rule without a status is for successful responses, one with a status is judged before a retry', async () => {
  const when = { status: '400-599', path: 'status', equals: 'failure' };
  const missing = { ...json(failure), status: 503 };
  const first = await play({ routes: { 'GET /users': [missing, items(1)] }, rules: [rule('fail')] });
  assert.equal([first.notices[0]?.code, first.failed, first.items], ['retry', undefined, [{ id: 1 }]]);
  const second = await play({ routes: { 'GET /users': missing }, rules: [rule('fail', { when })] });
  assert.match(second.failed?.message ?? '', /\(status 503\): busy$/);
  assert.match(second.failed?.where.request ?? '', /users$/);
  const third = await play({ routes: { 'GET /users': missing }, rules: [rule('end', { when })] });
  assert.equal([third.stop, third.codes, third.items], ['api.responseRules[0]: busy', [], []]);
  const fourth = await play({
    routes: { 'GET /users': [missing, items(1)] },
    rules: [rule('wait', { when, wait: { path: 'retry_after' } })],
  });
  assert.match(fourth.notices[0]?.message ?? '', /retrying in 30 s, according to the rule/);
});

test('a failure that no rule fits is one as ever, with its body', async () => {
  const when = { status: 404, path: 'code', equals: 'NONE' };
  const reply = { status: 404, headers: { 'content-type': 'text/html' }, body: '<h1>gone</h1>' };
  const { failed } = await play({ routes: { 'GET /users': reply }, rules: [rule('end', { when })] });
  assert.match(failed?.message ?? '', /failed with status 404: <h1>gone<\/h1>$/);
});

test('a status alone: a child without the object is left out', async () => {
  const routes = {
    'GET /users': json([{ id: 1 }, { id: 2 }]),
    'GET /users/1': { status: 404, body: 'no such user' },
    'GET /users/2': json([{ name: 'Bo' }]),
  };
  const child = { endpoint: 'users/{id}', placeholders: { id: 'id' }, dataType: 'details' };
  const job = { dataField: undefined, children: [child] };
  const { items: got, failed } = await play({ routes, rules: [rule('skip', { when: { status: 404 } })], job });
  assert.equal([failed, got], [undefined, [{ id: 1 }, { id: 2 }, { name: 'Bo', parent_id: 2 }]]);
});

test('a secret in the text of a response is masked', async () => {
  const config = configOf(
    [{ endpoint: 'users', params: { key: { attr: '#key' } } }],
    { responseRules: [rule('fail', { when: { path: 'error', exists: true }, message: { path: 'error' } })] },
    { '#key': 's3cret-word' },
  );
  await onNetwork({ 'GET /users?key=s3cret-word': json({ error: 'bad key s3cret-word' }) }, async ({ dispatcher }) => {
    await rejection(run(config, { to: memory(), dispatcher }), 'ERR_RESPONSE', /: bad key \*+$/);
  })();
});

test('rules apply to pages that are requested ahead', async () => {
  const routes = {
    'GET /users?page=1': items(1, 2),
    'GET /users?page=2': { ...json(failure), status: 404 },
  };
  const when = { status: 404 };
  const { items: got, failed } = await play({
    routes,
    rules: [rule('end', { when })],
    api: { pagination: { ...pagination, prefetch: 1 } },
  });
  assert.equal([failed, got], [undefined, [{ id: 1 }, { id: 2 }]]);
});

test.run();
