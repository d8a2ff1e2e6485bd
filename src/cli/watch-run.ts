/** A run whose pages are shown and not stored: what `preview` and `plan --replay` have in common. */
import type { Receipt } from '../core/model/page.js';
import type { Secrets } from '../core/model/secrets.js';
import { type WatchedPage, watchExchanges } from '../recording/watch.js';
import { extract } from '../run/extract.js';
import type { ExtractOptions } from '../run/options.js';
import { prepare } from '../tools/text/errors.js';
import type { ParsedArguments } from './arguments.js';
import type { CommandResult } from './command.js';
import type { Document } from './document.js';
import { executeRun } from './execute-run.js';
import { type OpenExchanges, withExchanges } from './open-exchanges.js';
import { readJobOptions } from './read-run-options.js';
import type { Report } from './report.js';
import type { Shell } from './shell.js';

export interface WatchedRun extends Document {
  /** Opens the recording; undefined: there is none. */
  readonly open: (() => Promise<OpenExchanges>) | undefined;
  /** More options than those of all commands. */
  readonly options: ExtractOptions;
  /** Called with each page when it is complete. */
  page(receipt: Receipt, watched: WatchedPage, mask: Secrets['mask']): void;
}

export interface WatchContext {
  readonly args: ParsedArguments;
  readonly shell: Shell;
  readonly report: Report;
}

/**
 * Runs the jobs that the arguments name. Resolves with the failure of the run, if it fails. Rejects with problems of
 * the configuration and of the recording.
 */
export function watchRun({ label, content, open, options, page }: WatchedRun, context: WatchContext) {
  const { args, shell, report } = context;
  return withExchanges({ open, content }, context, async (exchanges, env): Promise<CommandResult> => {
    const watch = watchExchanges(exchanges);
    const extraction = await prepare(label, () =>
      extract(content, { ...readJobOptions(args), env, exchanges: watch, notify: report.notice, ...options }),
    );
    const { mask } = extraction;
    report.maskWith(mask);
    const onPage = (receipt: Receipt) => page(receipt, watch.pageOf(receipt.job), mask);
    return executeRun(extraction, { page: onPage, notify: report.notice }, shell);
  });
}
