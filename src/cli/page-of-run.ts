/** `rxtract run --ui`: the run at hand on a page of this machine, as long as the command takes. */
import { asExtractError } from '../core/errors/errors.js';
import { usageError } from '../core/util/check-value.js';
import { jsonReport } from '../tools/log/report-json.js';
import { browserCommand, openBrowser } from '../tools/ui/open-browser.js';
import { pageFiles } from '../tools/ui/page-files.js';
import { servedPage } from '../tools/ui/page-html.js';
import { servePage } from '../tools/ui/page-server.js';
import { createRunFeed, type RunFeed } from '../tools/ui/run-feed.js';
import { watchRoutes } from '../tools/ui/run-routes.js';
import type { ParsedArguments } from './arguments.js';
import { type CommandResult, exitCode } from './command.js';
import { commandRemedy, type Report } from './report.js';
import type { Shell, Signal } from './shell.js';

export interface RunPage {
  readonly feed: RunFeed;
  /** Shows a run. `work` gets a shell that the page can interrupt, and a report that it reads. */
  follow(work: (shell: Shell, report: Report) => Promise<CommandResult>): Promise<CommandResult>;
  close(): Promise<void>;
}

/** Prints the address. Rejects with ERR_USAGE for a run of other processes. */
export async function openRunPage(args: ParsedArguments, shell: Shell, report: Report): Promise<RunPage> {
  if (args.has('on')) throw usageError('--ui shows a run of this process: it cannot be used with --on');
  const label = args.positionals[0] ?? 'a data folder';
  const feed = createRunFeed();
  const log = jsonReport({ write: feed.log, mask: report.mask, quiet: false, debug: false, color: false });
  const listeners = new Set<(signal: Signal) => void>();
  const stop = () => {
    for (const each of listeners) each('SIGINT');
  };
  const files = await pageFiles();
  const page = (token: string) => servedPage(files, { title: `${label} - rxtract`, mode: 'watch', token });
  const server = await servePage({ port: 0, page, routes: watchRoutes(feed, stop), mask: report.mask });
  report.notice({ level: 'info', code: 'ui', message: `the run is shown at ${server.address}` });
  if (shell.isInteractive) openBrowser(browserCommand(process.platform, server.addressOnce()));
  const end = (result: CommandResult) => {
    const { failure, summary } = result;
    if (failure !== undefined) log.error(asExtractError(failure), commandRemedy(asExtractError(failure), 'run'));
    if (summary !== undefined) log.summary(summary, exitCode(result));
    feed.finish(exitCode(result));
  };
  return {
    feed,
    async follow(work) {
      feed.open(label);
      const result = await work(interruptible(shell, listeners), reading(report, log)).catch((failure: unknown) => {
        end({ failure });
        throw failure;
      });
      end(result);
      return result;
    },
    async close() {
      feed.close();
      await server.close();
    },
  };
}

const interruptible = (shell: Shell, listeners: Set<(signal: Signal) => void>): Shell => ({
  ...shell,
  onSignal(listener) {
    listeners.add(listener);
    const stop = shell.onSignal(listener);
    return () => {
      listeners.delete(listener);
      stop();
    };
  },
});

const reading = (report: Report, log: Pick<Report, 'notice' | 'page'>): Report => ({
  ...report,
  notice(notice) {
    log.notice(notice);
    report.notice(notice);
  },
  page(receipt, at) {
    log.page(receipt, at);
    report.page(receipt, at);
  },
});
