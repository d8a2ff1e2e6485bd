/** Parses the arguments of a command by its table of options; errors suggest the nearest name. */

import { parseArgs } from 'node:util';
import { ExtractError } from '../core/errors/errors.js';
import { flagName, valueName } from '../core/options/flags.js';
import type { OptionRow, OptionRows, OptionsOf } from '../core/options/kind.js';
import { flag } from '../core/options/kinds.js';
import { type OptionProblem, readOptions } from '../core/options/read-options.js';
import { usageError } from '../core/util/check-value.js';
import { didYouMean } from '../core/util/suggest.js';

export interface ParsedArguments {
  readonly positionals: readonly string[];
  has(name: string): boolean;
  /** In the order given. */
  list(name: string): readonly string[];
  /** The last of several counts. */
  last(name: string): string | undefined;
}

/** Reads the flags of these options, and fills in defaults. Throws ERR_USAGE with everything that is wrong. */
export function readFlags<const Rows extends OptionRows>(
  args: Pick<ParsedArguments, 'list'>,
  rows: Rows,
): OptionsOf<Rows> {
  const given = Object.entries(rows).flatMap(([name, row]) =>
    args.list(flagName(name, row)).map((text) => [name, row.kind === flag ? switched(name, row) : text] as const),
  );
  const read = readOptions(rows, given, 'text');
  if (read.problems === undefined) return read.options;
  throw usageError(read.problems.map((problem) => problemText(rows, problem)).join('\n'));
}

/** A flag that begins with `no-` says false. */
const switched = (name: string, row: OptionRow): string => (flagName(name, row).startsWith('no-') ? 'false' : 'true');

function problemText(rows: OptionRows, { name, message, mismatch, excluded }: OptionProblem): string {
  const nameOf = (each: string) => `--${flagName(each, rows[each])}`;
  if (excluded !== undefined) return `${nameOf(name)} and ${nameOf(excluded)} exclude each other: remove one of them`;
  if (mismatch === undefined) return `${nameOf(name)}: ${message}`;
  const { expected, found } = mismatch;
  return `${nameOf(name)} ${found === '""' ? `needs ${expected}` : `is ${expected}, found ${found}`}`;
}

/** An error about an option of code, with the names of flags; other errors stay as they are. */
export function ofFlags(error: ExtractError, rows: OptionRows): ExtractError {
  const { code, message, where, problems, cause } = error;
  const { option } = where;
  if (option === undefined) return error;
  const nameOf = (each: string) => (Object.hasOwn(rows, each) ? `--${flagName(each, rows[each])}` : undefined);
  const text = `\`${option}\`${message.slice(option.length)}`.replaceAll(/`(\w+)`/g, (as, each) => nameOf(each) ?? as);
  return new ExtractError(code, text, { ...where, problems, cause });
}

/** The parser of Node moves all arguments for each one that it takes. */
const mostArguments = 10_000;

/** Parses the arguments after the command, and checks the values of its flags. Throws ERR_USAGE. */
export function parseArguments(args: readonly string[], flags: OptionRows): ParsedArguments {
  if (args.length > mostArguments) {
    throw usageError(`the command has ${args.length} arguments: it reads up to ${mostArguments}`);
  }
  const { tokens, positionals } = parseArgs({
    args: [...args],
    options: Object.fromEntries(Object.entries(flags).map(([name, row]) => [name, { type: typeOf(row) }])),
    allowPositionals: true,
    // Strict mode would throw messages without the nearest name.
    strict: false,
    tokens: true,
  });
  const given = new Map<string, string[]>();
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const values = given.get(token.name) ?? [];
    given.set(token.name, values);
    values.push(givenValue(token, flags));
  }
  const list = (name: string): readonly string[] => given.get(name) ?? [];
  readFlags({ list }, flags);
  return { positionals, has: (name) => given.has(name), list, last: (name) => given.get(name)?.at(-1) };
}

const typeOf = (row: OptionRow) => (valueName(row) === undefined ? 'boolean' : 'string');

interface OptionToken {
  readonly name: string;
  readonly rawName: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

function givenValue({ name, rawName, value, inlineValue }: OptionToken, flags: OptionRows): string {
  const row = Object.hasOwn(flags, name) ? flags[name] : undefined;
  if (row === undefined) throw usageError(`unknown option "${rawName}"${nearestOption(rawName, flags)}`);
  const words = valueName(row);
  if (words === undefined) {
    if (value !== undefined) throw usageError(`${rawName} takes no value`);
    return '';
  }
  // `--to --strict` is a forgotten value; `--to=--strict` would be a sink of that name.
  if (value === undefined || (inlineValue !== true && value.startsWith('--'))) {
    throw usageError(`${rawName} needs a value: ${rawName} ${words}`);
  }
  return value;
}

function nearestOption(rawName: string, flags: OptionRows): string {
  const names = Object.keys(flags).map((name) => `--${name}`);
  return didYouMean(rawName, names);
}
