/** The questions to a board of examples/workers/dashboard.sql: each says what its comment does. */
import { readFileSync } from 'node:fs';
import { test as run } from 'uvu';
import * as assert from 'uvu/assert';
import { boardAt, sharingAt } from '../../src/checkpoint/board/board-address.js';
import { format } from '../../src/checkpoint/records.js';
import { version } from '../../src/core/util/version.js';
import { postgresMissing } from '../support/servers.js';
import { testWhere } from '../where.js';
import { withPostgres } from './postgres-lib.js';

const test = testWhere(postgresMissing);

/** The statements by the first word of their comments. */
function questions(): ReadonlyMap<string, string> {
  const text = readFileSync(new URL('../../examples/workers/dashboard.sql', import.meta.url), 'utf8');
  const parts = text.split(/^-- (?=[A-Z]\w+: )/m).slice(1);
  return new Map(parts.map((part) => [part.slice(0, part.indexOf(':')), part.slice(part.search(/^SELECT/m))]));
}

test('the questions of the dashboard answer what is at the board', () =>
  withPostgres(async ({ uri, sql }) => {
    const board = boardAt(uri(), { env: {} });
    const sharing = sharingAt(uri(), { env: {} });
    try {
      await sharing.prepare();
      const jobs = Array.from({ length: 5 }, (_, job) => ({ job }));
      const begin = {
        type: 'begin',
        format,
        version,
        run: 'abc',
        epoch: 0,
        sinks: [],
        startedAt: 5,
        marks: {},
      } as const;
      await board.submit({ name: 'nightly', begin, jobs, work: '{}' });
      const leases = [
        await board.take('one'),
        await board.take('one'),
        await board.take('two'),
        await board.take('two'),
      ];
      const [first, second, third] = leases;
      assert.ok(first && second && third);
      await board.giveBack(first, { error: 'status 500', delay: 3_600_000 });
      await sql(`UPDATE rxtract.tasks SET until = now() - interval '1 s' WHERE task = '${second.task}'`);
      await sql(
        `UPDATE rxtract.tasks SET state = 'failed', fails = 5, error = 'status 404' WHERE task = '${third.task}'`,
      );
      const limiter = sharing.limiter({ key: 'https://api.example.com', rates: [], longestHold: 60_000 });
      (await limiter.pass({}, new AbortController().signal)).begin();
      await limiter.around(async () => ({ status: 429, headers: { 'retry-after': '30' } }));
      await sharing.end();
      await sql(`INSERT INTO rxtract.logins (key, generation, written, refusals, refused_until)
        VALUES ('digest', 3, now(), 2, now() + interval '1 min')`);
      const asked = questions();
      assert.equal([...asked.keys()], ['Runs', 'Queue', 'Workers', 'Failures', 'Rates', 'Logins', 'Sizes']);
      const answer = async (name: string) => await sql(asked.get(name) ?? '');
      const [runs] = await answer('Runs');
      assert.equal([runs?.run, runs?.ended, runs?.cancelled], ['nightly', null, false]);
      assert.equal([runs?.ready, runs?.leased, runs?.done, runs?.failed].map(Number), [3, 2, 0, 1]);
      const [queue] = await answer('Queue');
      assert.equal([queue?.ready, queue?.waiting, queue?.leased, queue?.passed].map(Number), [2, 1, 1, 1]);
      const workers = await answer('Workers');
      assert.equal(
        workers.map(({ worker, tasks }) => [worker, Number(tasks)]),
        [
          ['one', 1],
          ['two', 1],
        ],
      );
      assert.ok(Number(workers[0]?.lease_left) < 0 && Number(workers[1]?.lease_left) > 0);
      assert.equal(
        (await answer('Failures')).map(({ state, fails, error }) => [state, fails, error]),
        [
          ['failed', 5, 'status 404'],
          ['ready', 1, 'status 500'],
        ],
      );
      const [rate] = await answer('Rates');
      assert.equal([rate?.api, Number(rate?.requests)], ['https://api.example.com', 1]);
      assert.ok(Number(rate?.wait) > 0 && Number(rate?.wait) <= 30);
      const [login] = await answer('Logins');
      assert.equal(
        [login?.login, Number(login?.logins), login?.is_logging_in, login?.refusals],
        ['digest', 3, false, 2],
      );
      assert.ok(login?.next_login instanceof Date);
      const sizes = await answer('Sizes');
      assert.ok(sizes.some(({ name, bytes }) => name === 'tasks' && Number(bytes) > 0));
    } finally {
      board.end();
    }
  }));

run.run();
