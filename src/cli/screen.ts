/** What a terminal can show: colours, and its columns. */
import type { Shell } from './shell.js';

/** Whether the stream is a terminal with colours, and they are wanted. */
export const hasColor = ({ isTTY }: Pick<Shell['stdout'], 'isTTY'>, { NO_COLOR = '', TERM }: Shell['env']): boolean =>
  isTTY === true && NO_COLOR === '' && TERM !== 'dumb';

/** Fewer columns of standard output are not respected. */
const leastScreen = 40;

/** The columns of standard output, else those of the variable COLUMNS, else `usual`. At least 40. */
export function columnsOf({ stdout, env }: Pick<Shell, 'stdout' | 'env'>, usual: number): number {
  const given = stdout.columns ?? Number(env.COLUMNS ?? usual);
  return Number.isSafeInteger(given) && given > 0 ? Math.max(leastScreen, given) : usual;
}
