/** Shows a run page by page and stores none: what `preview` and `plan --replay` have in common. */
import type { ExactObject } from '../core/json/exact.js';
import type { Secrets } from '../core/model/secrets.js';
import { defined } from '../core/util/defined.js';
import type { ExtractOptions } from '../run/options.js';
import { commandRows, jobRows } from '../run/run-options.js';
import type { WatchedRun } from '../run/watch-run.js';
import { prepare } from '../tools/text/errors.js';
import { type ParsedArguments, readFlags } from './arguments.js';
import type { CommandResult } from './command.js';
import type { Document } from './document.js';
import { executeRun } from './execute-run.js';
import { type OpenExchanges, withExchanges } from './open-exchanges.js';
import type { Report } from './report.js';
import type { Shell } from './shell.js';

export interface ShownRun<Page> extends Document {
  /** Opens the recording; undefined: there is none. */
  readonly open: (() => Promise<OpenExchanges>) | undefined;
  /** More options than those of all commands. */
  readonly options?: ExtractOptions;
  start(content: ExactObject, options: ExtractOptions): WatchedRun<Page>;
  /** Called with each page when it is complete. */
  page(page: Page, mask: Secrets['mask']): void;
}

export interface ShowContext {
  readonly args: ParsedArguments;
  readonly shell: Shell;
  readonly report: Report;
}

/**
 * Runs the jobs that the arguments name. Resolves with the failure of the run, if it fails. Rejects with problems of
 * the configuration and of the recording.
 */
export function showRun<Page>({ label, content, open, options, start, page }: ShownRun<Page>, context: ShowContext) {
  const { args, shell, report } = context;
  return withExchanges({ open, content }, context, async (exchanges, env): Promise<CommandResult> => {
    const flags = readFlags(args, { ...jobRows, ...commandRows });
    const given = { ...flags, env, notify: report.notice, ...options, ...defined({ exchanges }) };
    const run = await prepare(label, () => start(content, given));
    report.maskWith(run.mask);
    return executeRun(run, { page: (each) => page(each, run.mask), notify: report.notice }, shell);
  });
}
