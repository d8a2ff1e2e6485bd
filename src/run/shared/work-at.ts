/** Works at the tasks of a board in this process, from code. */
import { usualLease } from '../../checkpoint/board/board.js';
import { boardAt, sharingAt } from '../../checkpoint/board/board-address.js';
import type { EnvironmentVariables } from '../../config/env.js';
import type { Notify } from '../../core/model/notice.js';
import { defined } from '../../core/util/defined.js';
import type { ExtractOptions } from '../options.js';
import { resolveWork } from './resolve-work.js';
import { contextOf } from './submitted-run.js';
import { startWorker, type Worker, type WorkerEvent } from './worker.js';

const usualSlots = 2;

/** The options of a worker in this process. */
export interface WorkAtOptions {
  /** How many tasks it runs at once. Default: 2. */
  readonly slots?: number;
  /** How long it has a task without a sign of life, in ms; then other workers can take it. Default: 30,000. */
  readonly lease?: number;
  /** Variables of configurations, and `RXTRACT_KEY`. */
  readonly env?: EnvironmentVariables;
  readonly notify?: Notify;
  /** What watches its tasks, such as metrics: each task is a run to it. */
  readonly observe?: NonNullable<ExtractOptions['observe']>;
  /** Of its response cache. */
  readonly cacheFolder?: string;
  /** False: configurations that open files or run programs are refused. */
  readonly commands?: boolean;
  readonly onEvent?: (event: WorkerEvent) => void;
}

/**
 * Works at the tasks of a board until `stop`. It starts at once, whether or not the board can be reached, and whether
 * or not there is a run. Throws ERR_USAGE for an address or a key that is none.
 * docs/08-in-code.md#in-several-processes.
 */
export function workAt(address: string, options: WorkAtOptions = {}): Worker {
  const { slots = usualSlots, lease = usualLease, env = {}, notify, observe, cacheFolder, commands, onEvent } = options;
  const context = contextOf({ env, ...defined({ notify }) });
  const [board, sharing] = [boardAt(address, context, lease), sharingAt(address, context)];
  const worker = startWorker({
    board,
    slots,
    lease,
    resolve: resolveWork(sharing, { ...context, ...defined({ observe, cacheFolder, commands }) }),
    ...defined({ report: onEvent }),
  });
  const done = worker.done.finally(async () => {
    board.end();
    await sharing.end();
  });
  return {
    done,
    async stop() {
      await worker.stop();
      await done;
    },
  };
}
