/** How many arguments a function takes: one rule for whoever calls it and for whoever checks a configuration. */
import type { Argument } from './function.js';

/** Returns what is expected, such as `2 arguments (a, b)`, if the number of arguments is wrong. */
export function miscounted(args: readonly Argument[], given: number): string | undefined {
  const least = args.filter(({ optional, variadic }) => optional === undefined && variadic === undefined).length;
  const most = args.some(({ variadic }) => variadic === true) ? Number.POSITIVE_INFINITY : args.length;
  return given >= least && given <= most ? undefined : countText(args, least, most);
}

function countText(args: readonly Argument[], least: number, most: number): string {
  if (args.length === 0) return 'no arguments';
  const open = most === Number.POSITIVE_INFINITY ? `${least} or more` : `${least} to ${most}`;
  const number = least === most ? String(least) : open;
  const names = args.map(({ name }) => name).join(', ');
  return `${number} ${number === '1' ? 'argument' : 'arguments'} (${names})`;
}
