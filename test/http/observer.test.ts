/** Several observers of a run: each sees all of it. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { asExtractError } from '../../src/core/errors/errors.js';
import { joinObservers, type RunObserver } from '../../src/http/observer.js';
import { watchedCommit } from '../../src/run/walk/page-watches.js';
import { recordTraces } from '../run/traces/span-tree.js';

test('each of several observers sees jobs, pages, commits and logins, and how they fail', async () => {
  const all = [await recordTraces(), await recordTraces()];
  const observer = joinObservers(all.map(({ traces }) => traces.observer((text) => text))) as RunObserver;
  const failure = new Error('why');
  observer.begin({ jobs: () => [] });
  const job = observer.job('users');
  const page = job.page(0);
  const request = page.request({ method: 'GET', server: { host: 'h', port: 1 }, url: () => 'http://h:1/' });
  request.responds(200);
  request.ends('ERR_BODY_CUT');
  page.fails(failure);
  const below = job.job('posts');
  const other = below.page(0);
  await watchedCommit(other, async () => 1);
  await watchedCommit(other, () => Promise.reject(failure)).catch(() => {});
  assert.throws(() =>
    watchedCommit(other, () => {
      throw failure;
    }),
  );
  assert.is(
    watchedCommit(other, () => 2),
    2,
  );
  other.succeeds({ count: 1, bytes: 2 });
  below.ends(undefined);
  job.ends(failure);
  observer.login({ host: 'h', port: 1 }).succeeds({ expiresAt: 0 });
  observer.login({ host: 'h', port: 1 }).fails(failure);
  observer.remembers([]);
  observer.end(failure);
  const { code } = asExtractError(failure);
  for (const { tree } of all) {
    assert.equal(
      [...tree()].sort(),
      [
        `run type=${code} failed`,
        `  job users type=${code} failed`,
        `    page page=0 type=${code} failed`,
        '      GET status_code=200 type=ERR_BODY_CUT failed',
        '    job posts',
        '      page page=0 items=1',
        '        commit',
        `        commit type=${code} failed`,
        `        commit type=${code} failed`,
        '        commit',
        '  login',
        `  login type=${code} failed`,
      ].sort(),
    );
  }
});

test.run();
