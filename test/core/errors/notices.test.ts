import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createNotices, strictError } from '../../../src/core/errors/notices.js';
import type { Notice } from '../../../src/core/model/notice.js';
import { createSecrets } from '../../../src/core/secrets/secrets.js';
import { rejection } from '../../sinks/lib.js';
import { assertHidden } from '../../support/mock-network.js';

const warning: Notice = { level: 'warning', code: 'no-list', message: 'no list', job: 'users', page: 0 };

function noticesWith(strict = false) {
  const received: Notice[] = [];
  const secrets = createSecrets();
  secrets.add('hidden value');
  return { received, notify: createNotices({ notify: (notice) => void received.push(notice), secrets, strict }) };
}

test('passes a warning once a job, whatever the page', () => {
  const { received, notify } = noticesWith();
  const warnings = [warning, { ...warning, page: 1 }, { ...warning, job: 'orders' }, { ...warning, message: 'other' }];
  for (const each of [...warnings, ...warnings]) notify(each);
  assert.equal(received, [warning, { ...warning, job: 'orders' }, { ...warning, message: 'other' }]);
});

test('passes other notices every time', () => {
  const { received, notify } = noticesWith(true);
  for (const level of ['info', 'info', 'debug', 'debug'] as const) notify({ ...warning, level });
  assert.is(received.length, 4);
});

test('masks every message', () => {
  const { received, notify } = noticesWith();
  for (const level of ['info', 'warning'] as const) notify({ ...warning, level, message: 'a hidden value' });
  assert.equal(
    received.map(({ message }) => message),
    ['a ***', 'a ***'],
  );
});

test('throws the first warning under strict, masked, with its place', async () => {
  const { received, notify } = noticesWith(true);
  const error = await rejection(
    async () => notify({ ...warning, message: 'a hidden value' }),
    'ERR_STRICT',
    /a \*\*\*/,
  );
  assert.equal(error.where, { job: 'users', page: 0 });
  assert.equal(received, []);
  assertHidden('hidden value', [JSON.stringify(error), error.stack]);
});

test('gathers several warnings in one error', () => {
  const error = strictError([{ level: 'warning', code: 'unknown-key', message: 'first' }, warning]);
  assert.is(error.message, 'first (and 1 more)');
  assert.equal(error.where, {});
  assert.equal(error.problems, [
    { path: 'unknown-key', message: 'first' },
    { path: 'no-list', message: 'no list' },
  ]);
});

test.run();
