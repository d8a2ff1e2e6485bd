/** What a command says while it works, to people as text or to programs as JSON, all of it masked. */
import { type ExtractError, errorCodes } from '../errors.js';
import { jsonReport } from './report-json.js';
import { textReport } from './report-text.js';
import type { Shell } from './shell.js';
import type { Voice } from './voice.js';

export interface Report extends Voice {
  /** Hides the secrets of a configuration from now on. Before one has been read, nothing of its values is said. */
  maskWith(mask: (text: string) => string): void;
}

/** Looks at the words themselves for `--log json` and `--quiet`, as a wrong command line too is told the way it asks for. */
export function createReport(words: readonly string[], { stderr, env }: Shell): Report {
  let hide = (text: string): string => text;
  const isJson = words.some(
    (word, index) => word === '--log=json' || (word === 'json' && words[index - 1] === '--log'),
  );
  const voice = (isJson ? jsonReport : textReport)({
    write: (line) => void stderr.write(`${line}\n`),
    mask: (text) => hide(text),
    quiet: words.includes('--quiet'),
    debug: isSet(env.RXTRACT_DEBUG),
    color: stderr.isTTY === true && !isSet(env.NO_COLOR) && env.TERM !== 'dumb',
  });
  return {
    ...voice,
    maskWith(mask) {
      hide = mask;
    },
  };
}

const isSet = (variable: string | undefined): boolean => variable !== undefined && variable !== '';

/** What to do about an error; a wrong command line is sent to the help of its command. */
export function remedyOf({ code }: ExtractError, command?: string): string {
  if (code !== 'ERR_USAGE' || command === undefined) return errorCodes[code].remedy;
  return `See \`rxtract ${command} --help\`.`;
}
