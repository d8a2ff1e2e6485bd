/** `rxtract run --on`: submits the run to a board, works at it, and shows it until it has ended. */
import { basename } from 'node:path';
import { withoutSecrets } from '../../../sinks/open-addresses.js';
import { type Board, type RunSpec, type RunStatus, usualLease } from '../../checkpoint/board/board.js';
import { ExtractError } from '../../core/errors/errors.js';
import type { JobSummary } from '../../core/model/job-stats.js';
import { usageError } from '../../core/util/check-value.js';
import { defined } from '../../core/util/defined.js';
import type { ExtractOptions } from '../../run/options.js';
import { flagRows } from '../../run/run-options.js';
import { stateOf } from '../../run/shared/state-of-run.js';
import { summaryOfDone } from '../../run/shared/summary-of-done.js';
import { type GivenRun, prepareShare, submitOrJoin } from '../../tools/board/submit-run.js';
import { watchShared } from '../../tools/board/watch-shared.js';
import type { SharedProgress } from '../../tools/live/shared-progress.js';
import { prepare } from '../../tools/text/errors.js';
import { counted } from '../../tools/text/format.js';
import { quotedForShell } from '../../tools/text/lines.js';
import { type ParsedArguments, readFlags } from '../arguments.js';
import type { CommandResult } from '../command.js';
import { readDocument } from '../document.js';
import { executeInterruptible, type Interruption } from '../execute-run.js';
import { deadLetterAddress, openItemErrors, openSinks } from '../open-sinks.js';
import type { Report } from '../report.js';
import { stateRows } from '../run-flags.js';
import { openShape, warnOfPassword } from '../run-jobs.js';
import type { Shell } from '../shell.js';
import type { MetricsWatch } from '../watch-metrics.js';
import { openBoard } from './open-board.js';
import { refusedFlags } from './refused-flags.js';
import { onBoardRows } from './shared-flags.js';
import { type SharedWorker, startSharedWorker } from './shared-worker.js';

interface BoardRun extends GivenRun {
  readonly address: string;
  readonly args: ParsedArguments;
  readonly shell: Shell;
  readonly report: Report;
  readonly board: Board;
  readonly spec: RunSpec;
  readonly metrics: MetricsWatch | undefined;
  /** None has begun. */
  readonly jobs: readonly JobSummary[];
}

interface RunOnBoardContext extends Pick<BoardRun, 'args' | 'shell' | 'report' | 'metrics'> {
  /** For the name of the run, in epoch ms. */
  readonly now: number;
}

/** Runs the jobs that the arguments name. Resolves when the run has ended, or with --detach when it is submitted. */
export async function runOnBoard(context: RunOnBoardContext): Promise<CommandResult> {
  const { args, shell, report, metrics, now } = context;
  const { on: address = '', name = usualName(args.positionals[0], now), detach, block } = readFlags(args, onBoardRows);
  warnOfPassword(args, report);
  // Their messages have the names of flags.
  openSinks(args, shell, report);
  openItemErrors(args, shell, report);
  const board = openBoard(address, { args, shell, report, place: '--on' });
  const stopWatching = metrics?.watchBoard(board);
  try {
    const { label, content: configuration } = await readDocument(args, shell, report.notice);
    const state = await stateOf(board, stateNameIn(args), name);
    const options = await optionsOf(args, shell, report);
    const given = { name, configuration, options, block, state, refused: refusedFlags(args) };
    const { spec, jobs, mask } = await prepare(label, () => prepareShare(given));
    report.maskWith(mask);
    const how = await submitOrJoin(board, spec, shell.env);
    const what = how === 'submitted' ? 'submitted' : 'it is at the board already, and has not ended';
    report.notice({ level: 'info', code: how, message: `the run "${name}": ${what}` });
    if (detach !== true) {
      const result = await attend({ ...given, address, args, shell, report, metrics, board, spec, jobs });
      await metrics?.push();
      return result;
    }
    shell.stdout.write(`${name}\n`);
    return {};
  } finally {
    stopWatching?.();
    board.end();
  }
}

/** With --on, a state is one of the board. Throws ERR_USAGE. */
function stateNameIn(args: ParsedArguments): string | undefined {
  const { state } = readFlags(args, stateRows);
  if (state === undefined || !/[/\\]/.test(state)) return state;
  throw usageError(
    `with --on, --state is the name of a state at the board, such as "orders", and not a folder or an address: found "${withoutSecrets(state)}"`,
  );
}

/** What workers get: addresses in place of sinks. */
async function optionsOf(args: ParsedArguments, shell: Shell, { notice }: Report): Promise<ExtractOptions> {
  const [to, letters, rule] = [args.list('to'), deadLetterAddress(args), args.last('on-item-error')];
  const onItemError = letters === undefined ? rule : { deadLetter: letters };
  const options = { to: to.length === 0 ? ['ndjson:out'] : to, env: shell.env, notify: notice };
  return {
    ...readFlags(args, flagRows),
    ...options,
    ...defined({ onItemError, shape: await openShape(args) }),
  } as ExtractOptions; // `openItemErrors` has read the rule
}

/** `orders-20261128-010003` of `conf/orders.json`. */
function usualName(path = '-', now: number): string {
  const time = new Date(now)
    .toISOString()
    .replace(/[-:]|\..*/g, '')
    .replace('T', '-');
  return `${path === '-' ? 'run' : basename(path).replace(/\.jsonc?$/i, '')}-${time}`;
}

/** Works at the run, and shows it until it has ended. */
function attend(run: BoardRun): Promise<CommandResult> {
  const { board, spec, jobs, shell, report } = run;
  let progress: SharedProgress | undefined;
  return executeInterruptible(
    { ...shell, notify: report.notice, interruption: interruption(spec.name) },
    async (signal) => {
      const live = await report.live({ isFree: true, isTimed: true });
      live?.show(() => jobs);
      const worker = ownWorker(run);
      try {
        const status = await watchShared(board, spec.name, {
          jobNames: jobs.map(({ job }) => job),
          notify: report.notice,
          signal,
          onProgress(next) {
            progress = next;
            live?.onShared(next);
          },
        });
        return await resultOf(run, status, progress);
      } finally {
        await worker?.stop();
      }
    },
  );
}

/** The worker of this process; undefined: others do all. */
function ownWorker({ address, args, shell, report, metrics, board }: BoardRun): SharedWorker | undefined {
  const { workers } = readFlags(args, onBoardRows);
  if (workers === 0) return undefined;
  const observe = metrics?.observe;
  return startSharedWorker({ address, board, slots: workers, lease: usualLease, observe, shell, report });
}

async function resultOf(
  run: BoardRun,
  status: RunStatus,
  progress: SharedProgress | undefined,
): Promise<CommandResult> {
  const { name, state, tasks, errors } = status;
  if (state === 'done') return { summary: await summaryOfDone(run.board, run.spec, run.configuration, run.options) };
  const summary = { ran: true, jobs: jobsSoFar(run, progress), outputs: [] };
  if (state === 'cancelled') {
    return {
      summary,
      failure: new ExtractError('ERR_ABORTED', `the run "${name}" was cancelled`, { remedy: retryRemedy(name) }),
    };
  }
  const all = tasks.ready + tasks.leased + tasks.done + tasks.failed;
  const reasons = errors.map(({ task, error }) => `${task}: ${error}`);
  const message = [`${tasks.failed} of ${counted(all, 'task')} of the run "${name}" failed`, ...reasons].join('\n');
  return { summary, failure: new ExtractError('ERR_TASKS', message) };
}

/** The counts of jobs that have not ended. */
function jobsSoFar({ jobs }: BoardRun, progress: SharedProgress | undefined): readonly JobSummary[] {
  const totals = new Map(progress?.totals.map((own) => [own.job, own]));
  return jobs.map((job) =>
    totals.has(job.job) ? { ...job, ...totals.get(job.job), stop: 'not all tasks are done' } : job,
  );
}

const retryRemedy = (name: string) => `\`rxtract retry\` with the address of --on and "${name}" continues it.`;

/** What an interrupt says: the run itself goes on. */
const interruption =
  (name: string): Interruption =>
  (signal) => ({
    message: `${signal}: this process leaves the run, its tasks after the current page; a second signal ends it at once`,
    failure: new ExtractError(
      'ERR_ABORTED',
      `interrupted by ${signal}; the run "${name}" stays at the board, and workers continue it`,
      {
        remedy: `The same command with --name ${quotedForShell(name)} shows it again and works at it; \`rxtract cancel\` ends it.`,
      },
    ),
  });
