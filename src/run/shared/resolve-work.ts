/** What a worker runs the tasks of a board with. */
import type { sharingAt } from '../../checkpoint/board/board-address.js';
import { keyOf } from '../../checkpoint/board/shared-key.js';
import type { Resolve } from './task-runner.js';
import { readWork, taskOptions, type WorkerContext } from './work.js';
import { createWorkerShare, type WorkerShare } from './worker-share.js';

/** All tasks have one limiter for each API, and one login. Throws ERR_USAGE for a variable that is no key. */
export function resolveWork(
  sharing: ReturnType<typeof sharingAt>,
  context: Omit<WorkerContext, keyof WorkerShare>,
): Resolve {
  const key = keyOf(context.env);
  const share = createWorkerShare(sharing.limiter, key === undefined ? undefined : sharing.logins(key));
  return async (spec) => {
    await sharing.prepare();
    const work = readWork(spec, context.env);
    return { configuration: work.configuration, options: taskOptions(spec.name, work, { ...share, ...context }) };
  };
}
