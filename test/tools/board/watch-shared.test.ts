/** Watching a run at a board, in virtual time: until it has ended, is removed, or the command is interrupted. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Board, RunStatus } from '../../../src/checkpoint/board/board.js';
import { ExtractError } from '../../../src/core/errors/errors.js';
import { watchShared } from '../../../src/tools/board/watch-shared.js';
import type { SharedProgress } from '../../../src/tools/live/shared-progress.js';
import { rejection } from '../../sinks/lib.js';
import { startClock } from '../../support/virtual-clock.js';

type Answer = Partial<RunStatus> | 'away' | 'broken' | undefined;

const idle: Partial<RunStatus> = { tasks: { ready: 2, leased: 0, done: 0, failed: 0 }, workers: [] };
const active: Partial<RunStatus> = {
  tasks: { ready: 1, leased: 1, done: 0, failed: 0 },
  workers: [{ name: 'host/1', tasks: 1 }],
};
const done: Partial<RunStatus> = { state: 'done', tasks: { ready: 0, leased: 0, done: 2, failed: 0 } };

/** Watches a board that answers so, one after the other. `onWait`: called with the number of each wait. */
async function watch(
  answers: readonly Answer[],
  onWait: (count: number, controller: AbortController) => void = () => {},
) {
  const clock = startClock();
  const controller = new AbortController();
  const notices: string[] = [];
  const waits: number[] = [];
  const seen: SharedProgress[] = [];
  const left = [...answers];
  const board: Pick<Board, 'status' | 'totals'> = {
    async status(name) {
      const answer = left.length > 1 ? left.shift() : left[0];
      if (answer === 'away') throw new ExtractError('ERR_STATE', 'connection refused');
      if (answer === 'broken') throw new Error('broken');
      if (answer === undefined) return undefined;
      const rest = { name, state: 'running', version: '1', submittedAt: 0, errors: [], workers: [] } as const;
      return { ...rest, tasks: { ready: 0, leased: 0, done: 0, failed: 0 }, ...answer };
    },
    totals: async () => [{ job: 1, requests: 1, pages: 2, items: 3, bytes: 4, retries: 5 }],
  };
  try {
    const ending = watchShared(board, 'nightly', {
      jobNames: ['users', 'orders'],
      notify: ({ code }) => void notices.push(code),
      onProgress: (progress) => void seen.push(progress),
      signal: controller.signal,
      async wait(ms) {
        waits.push(ms);
        clock.pass(ms);
        onWait(waits.length, controller);
        controller.signal.throwIfAborted();
      },
    });
    const result = await ending.catch((thrown: unknown) => thrown);
    return { result, notices, waits, seen };
  } finally {
    clock.stop();
  }
}

test('it ends with the run, and passes on what the jobs have come to, by their names', async () => {
  const { result, seen, notices } = await watch([active, active, done]);
  assert.is((result as RunStatus).state, 'done');
  assert.equal(notices, []);
  assert.is(seen.length, 3);
  assert.equal(seen[0]?.totals, [{ job: 'orders', requests: 1, pages: 2, items: 3, bytes: 4, retries: 5 }]);
  assert.equal(seen[0]?.workers, active.workers);
});

test('a long run is asked for once a second, a short one more often', async () => {
  const { waits } = await watch([...Array.from({ length: 200 }, () => active), done]);
  assert.is(waits[0], 100);
  assert.is(waits.at(-1), 1000);
});

test('a board that is away is asked again, and said once', async () => {
  const { result, notices } = await watch(['away', 'away', active, 'away', done]);
  assert.is((result as RunStatus).state, 'done');
  assert.equal(notices, ['board-away', 'board-back', 'board-away', 'board-back']);
});

test('other failures end it', async () => {
  assert.match(String((await watch(['broken'])).result), /broken/);
});

test('a run that is removed is an error', async () => {
  await rejection(Promise.reject((await watch([active, undefined])).result), 'ERR_USAGE', /"nightly" was removed/);
});

test('a run of which no task is taken for 10 seconds needs a worker, which is said once until one comes', async () => {
  const many = (answer: Answer) => Array.from({ length: 150 }, () => answer);
  assert.equal((await watch([...many(idle), done])).notices, ['no-worker']);
  assert.equal((await watch([...many(idle), active, ...many(idle), done])).notices, ['no-worker', 'no-worker']);
  assert.equal((await watch([...many(active), done])).notices, []);
  const nothing = { ...idle, tasks: { ready: 0, leased: 0, done: 1, failed: 0 } };
  assert.equal((await watch([...many(nothing), done])).notices, []);
});

test('an interrupt ends it with its reason, also while the board is asked', async () => {
  const reason = new ExtractError('ERR_ABORTED', 'interrupted by SIGINT');
  const { result } = await watch([active], (count, controller) => count === 3 && controller.abort(reason));
  assert.is(result, reason);
  const controller = new AbortController();
  const never: Pick<Board, 'status' | 'totals'> = { status: () => new Promise(() => {}), totals: async () => [] };
  const options = { jobNames: [], notify: () => {}, onProgress: () => {}, signal: controller.signal };
  const ending = watchShared(never, 'nightly', options);
  controller.abort(reason);
  assert.is(await ending.catch((thrown: unknown) => thrown), reason);
});

test.run();
