/** The search for a configuration as a function: no shell, no file. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Notice } from '../../../src/core/model/notice.js';
import { findConfiguration } from '../../../src/tools/init/run-init.js';
import { items, json, startApi } from '../../loopback/api.js';
import { failure } from '../../support/failure.js';

const usual = { maxRequests: 20 };

test('a source gives a configuration, and notices say how', async () => {
  const api = await startApi(() => json({ users: items(1, 3) }));
  const notices: Notice[] = [];
  const found = await findConfiguration([`${api.origin}/people`], {
    ...usual,
    notify: (notice) => void notices.push(notice),
  });
  await api.close();
  assert.match(found.text, '"dataField": "users"');
  assert.equal([found.dataType, found.hasPages, found.variables], ['people', false, {}]);
  assert.is(found.sent, api.requests.length);
  assert.ok(notices.some(({ message }) => message === 'items: 3 at "users"'));
});

test('questions, variables and options are values and functions', async () => {
  const api = await startApi(() => json({ users: items(1, 3), groups: items(1, 2) }));
  const seen: Readonly<Record<string, string>>[] = [];
  const found = await findConfiguration([`${api.origin}/all`], {
    ...usual,
    env: { TOKEN: 'a-long-token' },
    headers: [`Authorization: Bearer \${TOKEN}`],
    list: 'groups',
    questions: { ask: async () => 'teams', choose: async () => undefined, confirm: async () => false },
    onVariables: (values) => void seen.push(values),
  });
  await api.close();
  assert.is(found.dataType, 'teams');
  assert.equal([found.variables, seen], [{ TOKEN: 'a-long-token' }, [{ TOKEN: 'a-long-token' }]]);
  assert.not.match(found.text, 'a-long-token');
});

test('a signal ends it with its reason', async () => {
  const interrupt = new AbortController();
  const reason = new Error('enough');
  const api = await startApi(() => {
    interrupt.abort(reason);
    return json(items(1, 3));
  });
  const thrown = await findConfiguration([api.origin], { ...usual, signal: interrupt.signal }).catch(
    (error: unknown) => error,
  );
  await api.close();
  assert.is(thrown, reason);
  assert.match((await failure(findConfiguration([], usual))).message, /^SOURCE is missing/);
});

test.run();
