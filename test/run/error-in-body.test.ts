/** A successful response that says that it failed: a warning, and it never replaces an earlier output. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ndjson } from '../../sinks/files/ndjson.js';
import { memory } from '../../sinks/memory.js';
import { run } from '../../src/run/extract.js';
import type { RunOptions } from '../../src/run/options.js';
import { memoryStore } from '../checkpoint/memory-store.js';
import { filesIn, inFolder, rejection } from '../sinks/lib.js';
import { configOf, json, listener, type MockReply, onNetwork } from '../support/mock-network.js';

const failure = json({ status: 'failure', error: { code: 500, message: 'maintenance' }, items: [] });
const two = '{"id":1}\n{"id":2}\n';
const jobs = [{ endpoint: 'users', dataField: 'items' }];

/** Runs the job into a folder with two items of an earlier run. */
async function play(dir: string, replies: readonly MockReply[], options: RunOptions = {}, api?: object) {
  const { codes, notices, notify } = listener();
  writeFileSync(join(dir, 'users.ndjson'), two);
  const routes = Object.fromEntries(
    replies.map((each, page) => [`GET /users${api === undefined ? '' : `?page=${page + 1}`}`, each]),
  );
  await onNetwork(routes, async ({ dispatcher }) => {
    await run(configOf(jobs, api), { to: ndjson(dir), dispatcher, notify, ...options });
  })();
  return { codes: codes(), notices };
}

test(
  'a first run has two items, a second one an error with status 200: the file of two items stays',
  inFolder(async (dir) => {
    const items = json({ status: 'success', error: null, items: [{ id: 1 }, { id: 2 }] });
    await onNetwork({ 'GET /users': [items, failure] }, async ({ dispatcher }) => {
      const { notices, notify } = listener();
      const options = { dispatcher, notify };
      await run(configOf(jobs), { ...options, to: ndjson(dir) });
      assert.equal([filesIn(dir), notices.length], [{ 'users.ndjson': two }, 0]);

      await run(configOf(jobs), { ...options, to: ndjson(dir) });
      assert.equal(filesIn(dir), { 'users.ndjson': two });
      assert.equal(
        notices.map(({ level, code, message, job, page }) => ({ level, code, message, job, page })),
        [
          {
            level: 'warning',
            code: 'error-in-body',
            message: 'the response has no items and says that it failed ("error"): maintenance',
            job: 'users',
            page: 0,
          },
          {
            level: 'warning',
            code: 'not-replaced',
            message: `"${join(dir, 'users.ndjson')}" keeps the items of an earlier run: this one has none, and a response said that it failed. If it did not, end the job there with a rule of \`responseRules\``,
            job: 'users',
            page: undefined,
          },
        ],
      );
    })();
  }),
);

for (const options of [{ replaceEmpty: true }, { dataFolder: true }, { store: memoryStore() }]) {
  test(
    `nothing else replaces the file: ${Object.keys(options).join()}`,
    inFolder(async (dir) => {
      const { codes } = await play(dir, [failure], options);
      assert.equal(codes, ['error-in-body', 'not-replaced']);
      assert.is(filesIn(dir)['users.ndjson'], two);
    }),
  );
}

test(
  'it is an error under strict, and nothing is published',
  inFolder(async (dir) => {
    await rejection(
      play(dir, [failure], { strict: true }),
      'ERR_STRICT',
      /says that it failed \("error"\): maintenance/,
    );
    assert.is(filesIn(dir)['users.ndjson'], two);
  }),
);

test(
  'a failure on an earlier page keeps the file, also after a resume',
  inFolder(async (dir) => {
    writeFileSync(join(dir, 'users.ndjson'), two);
    const pagination = { method: 'response.param', responseParam: 'next', queryParam: 'after' };
    const config = configOf(jobs, { pagination, retryConfig: { maxRetries: 0 } });
    const store = memoryStore();
    const page = json({ error: 'busy', next: 'a', items: [] });
    const routes = { 'GET /users': page, 'GET /users?after=a': [{ status: 500 }, json({ items: [] })] };
    await onNetwork(routes, async ({ dispatcher }) => {
      const { codes, notify } = listener();
      const options = { dispatcher, notify };
      await rejection(run(config, { ...options, to: ndjson(dir), store }), 'ERR_STATUS', /500/);
      const resumed = { ...options, to: ndjson(dir), store: memoryStore(store.held), resume: true };
      await run(config, resumed);
      assert.ok(codes().includes('not-replaced'));
    })();
    assert.equal(filesIn(dir), { 'users.ndjson': two });
  }),
);

test(
  'with items it is a warning, and the items are written',
  inFolder(async (dir) => {
    const partly = json({ errors: [{ message: 'one shard is down' }], items: [{ id: 3 }] });
    const { codes, notices } = await play(dir, [partly]);
    assert.equal(codes, ['error-in-body']);
    assert.is(notices[0]?.message, 'the response has 1 item and says that it failed ("errors"): one shard is down');
    assert.equal(filesIn(dir), { 'users.ndjson': '{"id":3}\n' });
  }),
);

test('a secret in the text of an error is masked', async () => {
  const { notices, notify } = listener();
  const config = configOf([{ endpoint: 'users', params: { key: { attr: '#key' } } }], {}, { '#key': 's3cret-word' });
  const reply = json({ error: 'the key s3cret-word is not valid' });
  await onNetwork({ 'GET /users?key=s3cret-word': reply }, async ({ dispatcher }) => {
    await run(config, { to: memory(), dispatcher, notify });
  })();
  assert.match(notices[0]?.message ?? '', /: the key \*+ is not valid$/);
});

test('a status that is ignored, and lines of JSON, are not examined', async () => {
  const { codes, notify } = listener();
  const lines = {
    headers: { 'content-type': 'application/x-ndjson' },
    body: '{"id":1,"error":"x"}\n{"id":2,"error":"y"}\n',
  };
  const routes = { 'GET /users': { ...json({ error: 'gone' }), status: 410 }, 'GET /log': lines };
  await onNetwork(routes, async ({ dispatcher }) => {
    const api = { http: { ignoreErrors: [410] } };
    await run(configOf([{ endpoint: 'users' }, { endpoint: 'log' }], api), { to: memory(), dispatcher, notify });
  })();
  assert.equal(codes(), ['no-list']);
});

test.run();
