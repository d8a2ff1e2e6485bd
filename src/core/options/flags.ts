/** Rows of options as flags of a command: their names, and what help and completion say of them. */
import type { OptionRow, OptionRows } from './kind.js';
import { flag } from './kinds.js';
import { writtenDefault } from './object-kinds.js';

/** The rows of options by the names of their flags, such as `max-items` for `maxItems`. */
export const flagsOf = (rows: OptionRows): OptionRows =>
  Object.fromEntries(
    Object.entries(rows).map(([name, row]) => {
      const excludes = row.excludes?.map((other) => flagName(other, rows[other]));
      return [flagName(name, row), excludes === undefined ? row : { ...row, excludes }];
    }),
  );

/** `max-items` for `maxItems`. */
export const flagName = (name: string, row: OptionRow | undefined): string =>
  row?.flag ?? name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** What stands for the value of a flag in the help; undefined: it has none. */
export const valueName = ({ kind, value }: OptionRow): string | undefined =>
  kind === flag ? undefined : (value ?? kind.text?.value ?? kind.each?.text?.value ?? 'TEXT');

/** What the help says of a flag: without links, with its default. */
export function aboutFlag(row: OptionRow): string {
  const { summary, otherwise = writtenDefault(row), kind } = row;
  const repeated = isRepeatable(row) ? '; may be repeated' : '';
  const usual = otherwise === undefined || kind === flag ? '' : ` (default: ${otherwise})`;
  return `${withoutLinks(summary)}${repeated}${usual}`;
}

const withoutLinks = (text: string): string => text.replace(/\[([^\]]+)\]\([^)]*\)/g, '$1');

/** Whether a flag may be repeated. */
export const isRepeatable = ({ kind }: OptionRow): boolean => kind.each !== undefined;
