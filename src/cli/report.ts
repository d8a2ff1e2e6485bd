/** Reports the progress and result of a command, as text for people or JSON for programs, all of it masked. */
import { type ExtractError, remedyFor } from '../core/errors/errors.js';
import type { Secrets } from '../core/model/secrets.js';
import type { Display } from '../tools/live/display.js';
import type { ProgressLog } from '../tools/live/progress-log.js';
import type { Logger } from '../tools/log/logger.js';
import { jsonReport } from '../tools/log/report-json.js';
import { textReport } from '../tools/log/report-text.js';
import { hasColor, type Shell } from './shell.js';

export interface Report extends Logger {
  /** Masks the secrets of a configuration from now on. Before one was read, none of its values is reported. */
  maskWith(mask: Secrets['mask']): void;
  /** The store of the secrets of addresses, masked from now on. The first call makes it: help loads none. */
  secretsIn(create: () => Secrets): Pick<Secrets, 'add'>;
  /** Masks all that is known, for what a command shows elsewhere. */
  readonly mask: Secrets['mask'];
  /**
   * Loads the live display, if standard error is a capable terminal and text is wanted. After its `show`, pages are
   * shown there and lines above it; the summary replaces it. Elsewhere it loads what logs progress. Undefined: neither
   * is wanted.
   */
  live(place: LivePlace): Promise<Live | undefined>;
}

/** Shows the progress of a run. `onActivity`: of the display alone, as it is called for each chunk. */
export type Live = Pick<Display, 'show' | 'onOutlook' | 'onShared' | 'end'> & Partial<Pick<Display, 'onActivity'>>;

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
  const masks = createMasks(args);
  const { mask } = masks;
  const isJson = args.some((word, index) => word === '--log=json' || (word === 'json' && args[index - 1] === '--log'));
  const quiet = args.includes('--quiet');
  const isRich = hasColor(stderr, env);
  let display: Display | undefined;
  let progress: ProgressLog | undefined;
  const logger = (isJson ? jsonReport : textReport)({
    write: (line) => (display === undefined ? void stderr.write(`${line}\n`) : display.print(line)),
    mask,
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
        const { createProgressLog } = await import('../tools/live/progress-log.js');
        progress = createProgressLog(logger.progress, {
          isTimed,
          writeTasks: (message) => logger.notice({ level: 'info', code: 'tasks', message }),
        });
        return progress;
      }
      const { openDisplay } = await import('../tools/live/display.js');
      display = openDisplay(stderr, mask);
      return display;
    },
    ...masks,
  };
}

/** What is known to be secret: values of a configuration, and those of addresses. */
function createMasks(args: readonly string[]): Pick<Report, 'maskWith' | 'secretsIn' | 'mask'> {
  let ofAddresses: Secrets | undefined;
  let ofConfiguration = withoutUserInformation(args);
  return {
    maskWith(mask) {
      ofConfiguration = mask;
    },
    secretsIn(create) {
      ofAddresses ??= create();
      return ofAddresses;
    },
    mask(text, end) {
      const masked = ofConfiguration(text, end);
      return ofAddresses?.mask(masked, end) ?? masked;
    },
  };
}

/** Before secrets are known: removes `user:password` of an address in an argument that a message quotes. */
function withoutUserInformation(args: readonly string[]): Secrets['mask'] {
  const userInformation = args.flatMap((word) => /(?:^|=|\/\/)([^/=]*:.+)@/.exec(word)?.[1] ?? []);
  return (text, end) => userInformation.reduce((masked, each) => replaced(masked, each, end), text);
}

function replaced(text: string, secret: string, end: 'whole' | 'cut' = 'whole'): string {
  const masked = text.replaceAll(secret, '***');
  if (end === 'whole') return masked;
  const cut = Array.from(secret, (_, at) => secret.slice(0, at + 1)).findLast((start) => masked.endsWith(start));
  return cut === undefined ? masked : `${masked.slice(0, -cut.length)}***`;
}

/** Of a terminal that does not say how wide it is. */
const usualColumns = 80;

const isSet = (variable: string | undefined): boolean => variable !== undefined && variable !== '';

/** What to do about an error; for a wrong command line, the help of its command. */
export function commandRemedy(error: ExtractError, command?: string): string {
  if (error.code !== 'ERR_USAGE' || command === undefined || error.where.remedy !== undefined) return remedyFor(error);
  return `See \`rxtract ${command} --help\`.`;
}
