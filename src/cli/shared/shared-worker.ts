/** A worker of this process at a board: that of `rxtract worker`, and that of `rxtract run --on`. */
import { hostname } from 'node:os';
import type { Board } from '../../checkpoint/board/board.js';
import { sharingAt } from '../../checkpoint/board/board-address.js';
import type { Notice } from '../../core/model/notice.js';
import { cacheFolder } from '../../core/util/cache-folder.js';
import { defined } from '../../core/util/defined.js';
import type { Observe } from '../../http/observer.js';
import { resolveWork } from '../../run/shared/resolve-work.js';
import { startWorker, type WorkerEvent } from '../../run/shared/worker.js';
import { contextOf } from '../open-sinks.js';
import type { Report } from '../report.js';
import type { Shell } from '../shell.js';

export interface SharedWorkerOptions {
  readonly address: string;
  readonly board: Board;
  /** So many tasks at once. */
  readonly slots: number;
  /** In ms. */
  readonly lease: number;
  /** Absent: in the cache folder of the user. */
  readonly cacheFolder?: string | undefined;
  /** False: configurations that open files or run programs are refused. */
  readonly commands?: boolean;
  /** What watches its tasks. */
  readonly observe?: Observe | undefined;
  readonly shell: Shell;
  readonly report: Report;
  readonly onEvent?: (event: WorkerEvent) => void;
  /** Says which tasks it takes, and which are done. */
  readonly saysTasks?: boolean;
}

export interface SharedWorker {
  /** Rejects if the board refuses the worker. */
  readonly done: Promise<void>;
  /** At the board. */
  readonly name: string;
  /** Gives its tasks back, after the pages in progress. */
  stop(): Promise<void>;
}

/** Starts at once, whether or not the board can be reached. Throws ERR_USAGE for a variable that is no key. */
export function startSharedWorker(options: SharedWorkerOptions): SharedWorker {
  const {
    address,
    board,
    slots,
    lease,
    cacheFolder: given,
    commands,
    observe,
    shell,
    report,
    onEvent,
    saysTasks = false,
  } = options;
  const { env } = shell;
  const sharing = sharingAt(address, contextOf(shell, report));
  const notify = noticesOfTasks(report);
  const own = { env, notify, ...defined({ cacheFolder: given ?? cacheFolder(env), commands, observe }) };
  const name = `${hostname()}/${process.pid}`;
  const notice = noticeOfEvent(report, saysTasks);
  const worker = startWorker({
    board,
    name,
    slots,
    lease,
    resolve: resolveWork(sharing, own),
    report(event) {
      notice(event);
      onEvent?.(event);
    },
  });
  const done = worker.done.finally(sharing.end);
  done.catch(() => {}); // `stop` rejects too
  return {
    name,
    done,
    async stop() {
      await Promise.all([worker.stop(), done]);
    },
  };
}

/** Each task is the resume of its journal, which is no news. */
const noticesOfTasks =
  ({ notice }: Pick<Report, 'notice'>) =>
  (each: Notice): void => {
    if (each.code !== 'resumed') notice(each);
  };

const noticeOfEvent = ({ notice }: Pick<Report, 'notice'>, saysTasks: boolean) => {
  const say = (code: string, message: string) => notice({ level: 'info', code, message });
  return (event: WorkerEvent): void => {
    if (event.type === 'away') say('board-away', `${event.error.message}; asking again until it can be reached`);
    else if (event.type === 'back') say('board-back', 'the board can be reached again');
    else if (saysTasks && event.type === 'taken') say('task-taken', `${placeOf(event)}: taken`);
    else if (saysTasks && event.type === 'done') say('task-done', `${placeOf(event)}: done`);
    else if (event.type === 'lost')
      say('task-lost', `${placeOf(event)}: another worker has it, or the run was cancelled`);
    else if (event.type === 'given-back' && typeof event.why === 'object')
      say('task-failed', `${placeOf(event)}: ${event.why.error}`);
  };
};

const placeOf = ({ lease: { run, task } }: Exclude<WorkerEvent, { type: 'away' | 'back' }>): string =>
  `task ${task} of the run "${run}"`;
