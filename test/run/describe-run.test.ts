/** What a run of many processes begins with. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { describeRun } from '../../src/run/describe-run.js';
import { newStore, transactionSink } from '../sinks/kinds.js';

const configuration = {
  api: { baseUrl: 'http://127.0.0.1:9/' },
  config: {
    jobs: [
      { endpoint: 'users', children: [{ endpoint: 'users/{id}', dataType: 'details', placeholders: { id: 'id' } }] },
      { endpoint: 'events' },
    ],
  },
};

test('the jobs are the top-level ones', async () => {
  const to = { ...transactionSink(newStore()), leave() {} };
  const { begin, jobs } = await describeRun(configuration, { to });
  assert.equal(jobs, [{ job: 0 }, { job: 2 }]);
  assert.equal([begin.type, begin.epoch, begin.sinks], ['begin', 0, ['transaction']]);
});

test('a divided job has parts: the windows and elements that the run asks for', async () => {
  const { begin, jobs } = await describeRun(
    {
      ...configuration,
      iterations: [{ region: 'x' }, { region: 'y' }],
      config: {
        jobs: [
          {
            endpoint: 'rows',
            each: { area: ['a', 'b', 'c'] },
            windows: { from: 0, to: 20, step: 10, params: { from: 'start', to: 'end' } },
          },
          { endpoint: 'areas/{id}', each: { id: [1, 2] } },
        ],
      },
    } as never,
    {},
  );
  assert.equal(jobs, [
    { job: 0, parts: { child: 0, count: 6 } },
    { job: 1, parts: { child: 0, count: 2 } },
    { job: 2, parts: { child: 0, count: 6 } },
    { job: 3, parts: { child: 0, count: 2 } },
  ]);
  assert.ok(begin.startedAt > 0);
});

test.run();
