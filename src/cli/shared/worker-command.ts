/** `rxtract worker`: a process that stays, and works at the runs of a board. */
import { flagsOf } from '../../core/options/flags.js';
import { usageError } from '../../core/util/check-value.js';
import { counted, grouped } from '../../tools/text/format.js';
import { type ParsedArguments, readFlags } from '../arguments.js';
import { type Command, exitCode } from '../command.js';
import type { Report } from '../report.js';
import { loadEngine } from '../run.js';
import { logRows, watchRows } from '../run-flags.js';
import type { Shell, Signal } from '../shell.js';
import type { MetricsWatch } from '../watch-metrics.js';
import { workerRows } from './shared-flags.js';

const details = `Examples
  rxtract worker 'postgres://rx:\${PGPASSWORD}@localhost/jobs'
  rxtract worker postgres://localhost/jobs --slots 8 --log json

ADDRESS is that of the board, postgres://[USER[:PASSWORD]@]HOST[:PORT]/DB, as of --on of \`rxtract run\`. '\${NAME}' in it
is a variable of the environment. The worker may start before any run, and before the tables are there. It waits while
the PostgreSQL is away, and continues then.

A configuration and its options come from the board. What they name, such as {"env": "NAME"}, files and destinations, is
that of this machine. RXTRACT_KEY is the key that secrets and logins are encrypted with, the same for all workers.

Interrupt: the first Ctrl-C or SIGTERM gives its tasks back, after the pages in progress, and ends with exit code 0. The
second ends at once.
`;

const { metrics, metricsPush } = watchRows;

const rows = { ...workerRows, metrics, metricsPush, ...logRows };

export const worker: Command = {
  name: 'worker',
  summary: 'stay, and work at the runs of a board',
  argument: 'ADDRESS',
  argumentOneOf: ['postgres://'],
  options: flagsOf(rows),
  details: async () => details,
  async execute(args, shell, report) {
    const [address, extra] = args.positionals;
    if (address === undefined) throw usageError('worker needs the address of a board, postgres://HOST/DB');
    if (extra !== undefined) throw usageError(`unexpected argument "${extra}" after "worker ADDRESS"`);
    const { slots, lease, commands, cacheFolder } = readFlags(args, rows);
    const engine = await loadEngine(shell);
    const { loadPostgres, openBoard, startSharedWorker } = await import('./at-board.js');
    const board = openBoard(address, { args, shell, report, place: 'worker', lease });
    await loadPostgres(); // A board that is away is asked again; a package that is missing does not come.
    const watched = await metricsOf(engine, args, shell, report);
    watched?.watchBoard(board);
    const counts = { done: 0, failed: 0, left: 0 };
    const say = (code: string, message: string) => report.notice({ level: 'info', code, message });
    try {
      const own = startSharedWorker({
        address,
        board,
        slots,
        lease,
        commands,
        observe: watched?.observe,
        saysTasks: true,
        shell,
        report,
        cacheFolder,
        onEvent(event) {
          if (event.type === 'page') report.page(event.receipt, engine.now());
          else if (event.type === 'done') counts.done += 1;
          else if (event.type === 'given-back') counts[typeof event.why === 'object' ? 'failed' : 'left'] += 1;
        },
      });
      say('worker-started', `the worker ${own.name} does up to ${counted(slots, 'task')} at once`);
      const signal = await Promise.race([firstSignal(shell), own.done]);
      say(
        'interrupted',
        `${signal}: giving tasks back after the pages in progress; a second signal ends the worker at once`,
      );
      await own.stop();
      const { done, failed, left } = counts;
      say('worker-ended', `${counted(done, 'task')} done, ${grouped(failed)} failed, ${grouped(left)} given back`);
      await watched?.push();
      return {};
    } finally {
      await watched?.close();
      board.end();
    }
  },
};

function metricsOf(
  engine: Awaited<ReturnType<typeof loadEngine>>,
  args: ParsedArguments,
  { env }: Pick<Shell, 'env'>,
  report: Report,
): Promise<MetricsWatch | undefined> {
  const { createMetrics: create, metricsPush: createPush, createLocalServers, watchMetrics } = engine;
  return watchMetrics(args, report, { servers: createLocalServers(), env, create, createPush });
}

/** A second signal ends the process. */
function firstSignal({ onSignal, exit }: Pick<Shell, 'onSignal' | 'exit'>): Promise<Signal> {
  return new Promise((resolve) => {
    let isFirst = true;
    onSignal((signal) => {
      if (!isFirst) exit(exitCode({ signal }));
      isFirst = false;
      resolve(signal);
    });
  });
}
