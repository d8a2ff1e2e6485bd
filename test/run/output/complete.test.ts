/** Which data types a run calls complete when it closes its sink: what it does not have is not there any more. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Sink } from '../../../sinks/contract.js';
import { memory } from '../../../sinks/memory.js';
import { run } from '../../../src/run/extract.js';
import type { RunOptions } from '../../../src/run/options.js';
import { configOf, json, type MockRoutes, onNetwork } from '../../support/mock-network.js';

const child = { endpoint: 'users/{id}/notes', dataType: 'notes', dataField: 'data', placeholders: { id: 'id' } };
const jobs = [
  { endpoint: 'users', dataType: 'users', dataField: 'data', children: [child] },
  { endpoint: 'admins', dataType: 'users', dataField: 'data' },
];
const routes = {
  'GET /users': json({ data: [{ id: 1 }] }),
  'GET /users/1/notes': json({ data: [{ text: 'x' }, { text: 'y' }] }),
  'GET /admins': json({ data: [{ id: 2 }, { id: 3 }] }),
};

async function completeOf(
  options: RunOptions,
  replies: MockRoutes = routes,
  given: readonly object[] = jobs,
): Promise<readonly string[]> {
  let found: readonly string[] = [];
  const to: Sink = {
    ...memory(),
    close(closing) {
      found = [...(closing?.complete ?? [])].sort();
    },
  };
  await onNetwork(replies, async ({ dispatcher }) => {
    await run(configOf(given), { to, dispatcher, ...options });
  })();
  return found;
}

test('all data types are, if each job has ended by itself', async () => {
  assert.equal(await completeOf({}), ['notes', 'users']);
});

test('one whose jobs were not all chosen is not', async () => {
  const { 'GET /admins': _, ...asked } = routes;
  assert.equal(await completeOf({ jobs: ['users'] }, asked), ['notes']);
});

test('one whose job a limit has ended is not, and neither is that of its children', async () => {
  assert.equal(await completeOf({ maxItems: 1 }), []);
});

test('one of which a job asks only for what is new is not', async () => {
  const incremental = { path: 'id', param: 'since', initial: 0 };
  const { 'GET /admins': admins, ...others } = routes;
  const given = [jobs[0] ?? {}, { ...jobs[1], incremental }];
  assert.equal(await completeOf({}, { ...others, 'GET /admins?since=0': admins }, given), ['notes']);
});

test('one of which such a job asks for everything is, unless it leaves out what is newest', async () => {
  const incremental = { path: 'id', param: 'since', initial: 0 };
  const { 'GET /admins': admins, ...others } = routes;
  const replies = { ...others, 'GET /admins?since=0': admins };
  const given = (more: object) => [jobs[0] ?? {}, { ...jobs[1], incremental: { ...incremental, ...more } }];
  assert.equal(await completeOf({ full: true }, replies, given({})), ['notes', 'users']);
  const now = { 'GET /admins': json({ data: [{ id: 1_700_000_000 }] }) };
  const late = { ...others, 'GET /admins?since=0': now['GET /admins'] };
  assert.equal(await completeOf({ full: true }, late, given({ lag: '1m' })), ['notes']);
});

test.run();
