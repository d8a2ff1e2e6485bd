/** Reports the progress and result of a command, as text for people or JSON for programs, all of it masked. */
import { type ExtractError, remedyFor } from '../core/errors/errors.js';
import type { Display } from './live/display.js';
import type { ProgressLog } from './live/progress-log.js';
import type { Logger } from './logger.js';
import { jsonReport } from './report-json.js';
import { printable, textReport } from './report-text.js';
import { hasColor } from './screen.js';
import type { Shell } from './shell.js';

export interface Report extends Logger {
  /** Masks the secrets of a configuration from now on. Before one was read, none of its values is reported. */
  maskWith(mask: (text: string) => string): void;
  /**
   * Loads the live display, if standard error is a capable terminal and text is wanted. After its `show`, pages are
   * shown there and lines above it; the summary replaces it. Elsewhere it loads what logs progress. Undefined: neither
   * is wanted.
   */
  live(place: LivePlace): Promise<Live | undefined>;
}

/** Shows the progress of a run. `onActivity`: of the display alone, as it is called for each chunk. */
export type Live = Pick<Display, 'show' | 'onOutlook' | 'end'> & Partial<Pick<Display, 'onActivity'>>;

export interface LivePlace {
  /** Nothing else writes to the terminal. */
  readonly isFree: boolean;
  /** Timers do not move the time of the run. */
  readonly isTimed: boolean;
}

/**
 * Searches the raw arguments for `--log json` and `--quiet`, so that a wrong command line is reported in the requested
 * format too.
 */
export function createReport(args: readonly string[], { stderr, env }: Shell): Report {
  let hide = withoutUserInformation(args);
  const isJson = args.some((word, index) => word === '--log=json' || (word === 'json' && args[index - 1] === '--log'));
  const quiet = args.includes('--quiet');
  const isRich = hasColor(stderr, env);
  let display: Display | undefined;
  let progress: ProgressLog | undefined;
  const logger = (isJson ? jsonReport : textReport)({
    write: (line) => (display === undefined ? void stderr.write(`${line}\n`) : display.print(line)),
    mask: (text) => hide(text),
    quiet,
    debug: isSet(env.RXTRACT_DEBUG),
    color: isRich,
    ...(stderr.isTTY === true ? { columns: () => stderr.columns || usualColumns } : {}),
  });
  return {
    ...logger,
    page(receipt, at) {
      progress?.onReceipt(receipt, at);
      if (display === undefined) logger.page(receipt, at);
      else display.onReceipt(receipt);
    },
    summary(summary, exit) {
      display?.end();
      progress?.end();
      logger.summary(summary, exit);
    },
    async live({ isFree, isTimed }) {
      if (quiet) return undefined;
      if (isJson || !isRich || !isFree || !isTimed) {
        const { createProgressLog } = await import('./live/progress-log.js');
        progress = createProgressLog(logger.progress, { isTimed });
        return progress;
      }
      const { openDisplay } = await import('./live/display.js');
      display = openDisplay(stderr, (name) => printable(hide(name)));
      return display;
    },
    maskWith(mask) {
      hide = mask;
    },
  };
}

/** Before secrets are known: removes `user:password` of an address in an argument that a message quotes. */
function withoutUserInformation(args: readonly string[]): (text: string) => string {
  const userInformation = args.flatMap((word) => /(?:^|=|\/\/)([^/=]*:.+)@/.exec(word)?.[1] ?? []);
  return (text) => userInformation.reduce((masked, each) => masked.replaceAll(each, '***'), text);
}

/** Of a terminal that does not say how wide it is. */
const usualColumns = 80;

const isSet = (variable: string | undefined): boolean => variable !== undefined && variable !== '';

/** What to do about an error; for a wrong command line, the help of its command. */
export function commandRemedy(error: ExtractError, command?: string): string {
  if (error.code !== 'ERR_USAGE' || command === undefined || error.where.remedy !== undefined) return remedyFor(error);
  return `See \`rxtract ${command} --help\`.`;
}
