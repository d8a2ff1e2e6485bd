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

test.run();
