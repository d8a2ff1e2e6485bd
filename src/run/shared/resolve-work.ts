/** What a worker runs the tasks of a board with. */
import type { sharingAt } from '../../checkpoint/board/board-address.js';
import { keyOf } from '../../checkpoint/board/shared-key.js';
import type { EnvironmentVariables } from '../../config/env.js';
import type { ExtractOptions } from '../options.js';
import type { Resolve } from './task-runner.js';
import { readWork, taskOptions } from './work.js';
import { createWorkerShare } from './worker-share.js';

/** Options of each run that are of the worker. */
export interface WorkerContext extends Pick<ExtractOptions, 'notify' | 'cacheFolder' | 'commands'> {
  /** With `RXTRACT_KEY`. */
  readonly env: EnvironmentVariables;
}

/** All tasks have one limiter for each API, and one login. Throws ERR_USAGE for a variable that is no key. */
export function resolveWork(sharing: ReturnType<typeof sharingAt>, context: WorkerContext): Resolve {
  const key = keyOf(context.env);
  const share = createWorkerShare(sharing.limiter, key === undefined ? undefined : sharing.logins(key));
  return async (spec) => {
    await sharing.prepare();
    const work = readWork(spec, context.env);
    return { configuration: work.configuration, options: taskOptions(spec.name, work, { ...share, ...context }) };
  };
}
