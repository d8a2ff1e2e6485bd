/** What every command of the command line is made of. */
import type { Summary } from '../run/job-stats.js';
import type { Options, ParsedArguments } from './arguments.js';
import type { Report } from './report.js';
import type { Shell, Signal } from './shell.js';

export interface Command {
  readonly name: string;
  readonly summary: string;
  /** Has no CONFIG. */
  readonly takesNothing?: true;
  readonly options: Options;
  /** What `rxtract NAME --help` shows below the options. */
  details(): Promise<string>;
  /** Settles when all is done. A failure before there is anything to sum up may be thrown. */
  execute(words: ParsedArguments, shell: Shell, report: Report): Promise<CommandResult>;
}

/** How a command ended: well, unless `failure` or `signal` is there. */
export interface CommandResult {
  readonly summary: Summary;
  readonly failure?: unknown;
  readonly signal?: Signal;
}
