/** What a command says while it works, to people as text or to programs as JSON, all of it masked. */
import { type ExtractError, remedyFor } from '../core/errors/errors.js';
import type { Display } from './live/display.js';
import type { Logger } from './logger.js';
import { jsonReport } from './report-json.js';
import { printable, textReport } from './report-text.js';
import type { Shell } from './shell.js';

export interface Report extends Logger {
  /** Hides the secrets of a configuration from now on. Before one has been read, nothing of its values is said. */
  maskWith(mask: (text: string) => string): void;
  /**
   * Loads the live display: where standard error is a terminal that can, and text is wanted. From its `show` on pages
   * are shown there and lines stand above it; the summary takes its place.
   */
  live(): Promise<Pick<Display, 'show' | 'hear' | 'end'> | undefined>;
}

/**
 * Looks at the words themselves for `--log json` and `--quiet`, as a wrong command line too is told the way it asks
 * for.
 */
export function createReport(words: readonly string[], { stderr, env }: Shell): Report {
  let hide = withoutUserInformation(words);
  const isJson = words.some(
    (word, index) => word === '--log=json' || (word === 'json' && words[index - 1] === '--log'),
  );
  const quiet = words.includes('--quiet');
  const isRich = stderr.isTTY === true && !isSet(env.NO_COLOR) && env.TERM !== 'dumb';
  let display: Display | undefined;
  const voice = (isJson ? jsonReport : textReport)({
    write: (line) => (display === undefined ? void stderr.write(`${line}\n`) : display.say(line)),
    mask: (text) => hide(text),
    quiet,
    debug: isSet(env.RXTRACT_DEBUG),
    color: isRich,
  });
  return {
    ...voice,
    page: (receipt, at) => (display === undefined ? voice.page(receipt, at) : display.take(receipt)),
    summary(summary, exit) {
      display?.end();
      voice.summary(summary, exit);
    },
    async live() {
      if (isJson || quiet || !isRich) return undefined;
      const { openDisplay } = await import('./live/open.js');
      display = openDisplay(stderr, (name) => printable(hide(name)));
      return display;
    },
    maskWith(mask) {
      hide = mask;
    },
  };
}

/** Until there are secrets to mask by: a message that quotes a word leaves out `user:password` of an address in it. */
function withoutUserInformation(words: readonly string[]): (text: string) => string {
  const found = words.flatMap((word) => /(?:^|=|\/\/)([^/=]*:.+)@/.exec(word)?.[1] ?? []);
  return (text) => found.reduce((masked, each) => masked.replaceAll(each, '***'), text);
}

const isSet = (variable: string | undefined): boolean => variable !== undefined && variable !== '';

/** What to do about an error; a wrong command line is sent to the help of its command. */
export function remedyOf(error: ExtractError, command?: string): string {
  if (error.code !== 'ERR_USAGE' || command === undefined) return remedyFor(error);
  return `See \`rxtract ${command} --help\`.`;
}
