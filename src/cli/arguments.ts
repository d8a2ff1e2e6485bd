/** Parses the arguments of a command by its table of options; errors suggest the nearest name. */

import { parseArgs } from 'node:util';
import { usageError } from '../core/util/check-value.js';
import { didYouMean } from '../core/util/suggest.js';

export interface Option {
  /** The name of its value in the help; absent: the option has none. */
  readonly value?: string;
  /** The possible values, if they are few. */
  readonly oneOf?: readonly string[];
  /** Values that completion offers, where others are possible too. */
  readonly offers?: readonly string[];
  readonly about: string;
}

export type Options = Readonly<Record<string, Option>>;

export interface ParsedArguments {
  readonly positionals: readonly string[];
  has(name: string): boolean;
  /** In the order given. */
  list(name: string): readonly string[];
  /** The last of several counts. */
  last(name: string): string | undefined;
}

/** The parser of Node moves all arguments for each one that it takes. */
const mostArguments = 10_000;

/** Parses the arguments after the command. Throws ERR_USAGE. */
export function parseArguments(args: readonly string[], options: Options): ParsedArguments {
  if (args.length > mostArguments) {
    throw usageError(`the command has ${args.length} arguments: it reads up to ${mostArguments}`);
  }
  const { tokens, positionals } = parseArgs({
    args: [...args],
    options: Object.fromEntries(Object.entries(options).map(([name, { value }]) => [name, { type: typeOf(value) }])),
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
    values.push(checkedValue(token, options));
  }
  return {
    positionals,
    has: (name) => given.has(name),
    list: (name) => given.get(name) ?? [],
    last: (name) => given.get(name)?.at(-1),
  };
}

const typeOf = (value: string | undefined) => (value === undefined ? 'boolean' : 'string');

interface OptionToken {
  readonly name: string;
  readonly rawName: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

function checkedValue({ name, rawName, value, inlineValue }: OptionToken, options: Options): string {
  const option = Object.hasOwn(options, name) ? options[name] : undefined;
  if (option === undefined) throw usageError(`unknown option "${rawName}"${nearestOption(rawName, options)}`);
  if (option.value === undefined) {
    if (value !== undefined) throw usageError(`${rawName} takes no value`);
    return '';
  }
  // `--to --strict` is a forgotten value; `--to=--strict` would be a sink of that name.
  if (value === undefined || (inlineValue !== true && value.startsWith('--'))) {
    throw usageError(`${rawName} needs a value: ${rawName} ${option.value}`);
  }
  if (option.oneOf !== undefined && !option.oneOf.includes(value)) {
    throw usageError(`${rawName} is ${option.oneOf.join(' or ')}, found "${value}"${didYouMean(value, option.oneOf)}`);
  }
  return value;
}

function nearestOption(rawName: string, options: Options): string {
  const names = Object.keys(options).map((name) => `--${name}`);
  return didYouMean(rawName, names);
}
