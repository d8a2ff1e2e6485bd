/** Schedules the walks of iterations. */
import { lastValueFrom, toArray } from 'rxjs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { JobConfig } from '../../src/config/config.js';
import { createScheduler, type SchedulerContext } from '../../src/run/scheduler.js';

test('no client is made for an iteration whose jobs are done, or are those of other tasks', async () => {
  let leased = 0;
  const jobs = ['a', 'b'].map((name) => ({ name, children: [] }) as unknown as JobConfig);
  const iteration = {
    jobs,
    lease() {
      leased += 1;
      return { client: {}, release() {} };
    },
  };
  const context = { iterations: [iteration], jobs, journal: { walkOf: () => 'done' } };
  const schedule = createScheduler({
    context,
    totals: {},
    bounds: {},
    concurrency: 1,
    session: undefined,
  } as never as SchedulerContext);
  assert.equal(await lastValueFrom(schedule(jobs, () => context as never).pipe(toArray())), []);
  assert.is(leased, 0);
});

test.run();
