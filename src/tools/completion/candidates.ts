/** What the last word of a command line may become: from the tables of commands that the help uses. */

import type { topics } from '../../config/reference/topics.js';
import { aboutFlag, isRepeatable, valueName } from '../../core/options/flags.js';
import type { OptionRow, OptionRows } from '../../core/options/kind.js';
import type { Candidate } from './candidate.js';
import type { jobNames } from './job-names.js';
import { isSinkValue, pathsIn, sinkCandidates } from './sink-candidates.js';

export { scripts } from './scripts.js';

/** The possible words. With `files` or `folders` the shell adds its own. */
export interface Candidates {
  readonly kind: 'words' | 'files' | 'folders';
  readonly list: readonly Candidate[];
}

/** A command as its help shows it. */
export interface CompletedCommand {
  readonly name: string;
  readonly summary: string;
  /** Takes no CONFIG. */
  readonly takesNothing?: true;
  /** The name of what it takes instead, in its help: `DIR`. */
  readonly argument?: string;
  /** What the argument may be, if that is known. */
  readonly argumentOneOf?: readonly string[];
  /** By the names of their flags. */
  readonly options: OptionRows;
}

export interface CompletionContext {
  readonly commands: readonly CompletedCommand[];
  /** Loads what only some words need. */
  load(): Promise<{ readonly topics: typeof topics; readonly jobNames: typeof jobNames }>;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Returns the text for the scripts: the kind in the first line, then a candidate a line, with a tab before its meaning.
 * `words` are those after `rxtract`; the last one is not complete, and may be empty.
 */
export async function candidatesText(words: readonly string[], context: CompletionContext): Promise<string> {
  const { kind, list } = await candidatesFor(words, context);
  const last = words.at(-1) ?? '';
  const lines = list
    .filter(({ word }) => word.startsWith(last))
    .map(({ word, about }) => (about === undefined ? word : `${word}\t${about}`));
  return [kind, ...lines, ''].join('\n');
}

const words = (list: readonly (Candidate | string)[]): Candidates => ({
  kind: 'words',
  list: list.map((each) => (typeof each === 'string' ? { word: each } : each)),
});

const files: Candidates = { kind: 'files', list: [] };
const folders: Candidates = { kind: 'folders', list: [] };

/** See `candidatesText`; not yet filtered by the last word. */
export async function candidatesFor(given: readonly string[], context: CompletionContext): Promise<Candidates> {
  const [name, ...rest] = given;
  if (name === undefined || rest.length === 0) return words(beginnings(context.commands));
  if (name === 'help') return rest.length === 1 ? words(await helpNames(context)) : words([]);
  const command = context.commands.find((each) => each.name === name);
  if (command === undefined) return words([]);
  const before = rest.slice(0, -1);
  const last = rest.at(-1) ?? '';
  if (before.includes('--')) return files;

  const waiting = optionOf(before.at(-1) ?? '', command);
  if (waiting?.value !== undefined) return valuesOf({ ...waiting, last, prefix: '' }, command, before, context);
  const [, inline = ''] = /^--([\w-]+)=/.exec(last) ?? [];
  const joined = optionOf(`--${inline}`, command);
  if (joined?.value !== undefined) {
    const prefix = `--${inline}=`;
    return valuesOf({ ...joined, last: last.slice(prefix.length), prefix }, command, before, context);
  }
  if (last.startsWith('-')) return words(optionCandidates(command, before));
  return argumentOf(command, before);
}

const beginnings = (commands: readonly CompletedCommand[]): readonly Candidate[] => [
  ...commands.map(({ name, summary }) => ({ word: name, about: summary })),
  { word: 'help', about: 'show the help of a command, or a page of the reference' },
  { word: '--help', about: 'show the help' },
  { word: '--version', about: 'show the version' },
];

/** Commands, topics and the names of the reference. */
async function helpNames({ commands, load }: CompletionContext): Promise<readonly Candidate[]> {
  const { topics } = await load();
  return [
    ...commands.map(({ name, summary }) => ({ word: name, about: summary })),
    ...Object.entries(topics).flatMap(([topic, { entries }]) => [
      { word: topic, about: 'a topic of the reference' },
      ...entries.map(candidateOf),
    ]),
  ];
}

const candidateOf = ({ name, summary }: { readonly name: string; readonly summary: string }): Candidate => ({
  word: name,
  about: oneLine(summary),
});

const oneLine = (text: string): string => text.replaceAll('`', '').replace(/\s+/g, ' ');

interface NamedOption {
  readonly name: string;
  /** What stands for its value in the help; undefined: it has none. */
  readonly value: string | undefined;
  readonly row: OptionRow;
}

function optionOf(word: string, { options }: CompletedCommand): NamedOption | undefined {
  const name = word.slice(2);
  const row = word.startsWith('--') && Object.hasOwn(options, name) ? options[name] : undefined;
  return row === undefined ? undefined : { name, value: valueName(row), row };
}

/** Options that were not given, and those that may be repeated. */
function optionCandidates({ options }: CompletedCommand, before: readonly string[]): readonly Candidate[] {
  const given = new Set(before.map((word) => word.replace(/=.*/s, '')));
  const left = Object.entries(options).filter(([name, row]) => !given.has(`--${name}`) || isRepeatable(row));
  return [
    ...left.map(([name, row]) => ({ word: `--${name}`, about: oneLine(aboutFlag(row)) })),
    { word: '--help', about: 'show the help of the command' },
  ];
}

/** What the command takes, or its options if it has that already. */
function argumentOf(command: CompletedCommand, before: readonly string[]): Candidates {
  const { takesNothing, argumentOneOf, argument = takesNothing === true ? undefined : 'CONFIG' } = command;
  const isRepeated = argument?.endsWith('...') === true;
  const isComplete = argument === undefined || (!isRepeated && positionalsIn(command, before).length > 0);
  if (isComplete) return words(optionCandidates(command, before));
  return argumentOneOf === undefined ? byName(argument) : words(argumentOneOf);
}

/** What the shell adds for the name of a value in the help. */
const byName = (value: string): Candidates => (/^(?:DIR|PATH)(?:\.{3})?$/.test(value) ? folders : files);

/** The arguments that are neither options nor their values. */
export function positionalsIn(command: CompletedCommand, before: readonly string[]): readonly string[] {
  return before.filter((word, index) => {
    const previous = optionOf(before[index - 1] ?? '', command);
    return !word.startsWith('--') && previous?.value === undefined;
  });
}

interface AwaitedValue extends NamedOption {
  /** What the value begins with so far. */
  readonly last: string;
  /** What precedes the value in its word: nothing, or `--name=`. */
  readonly prefix: string;
}

async function valuesOf(
  { name, value = '', row, last, prefix }: AwaitedValue,
  command: CompletedCommand,
  before: readonly string[],
  context: CompletionContext,
): Promise<Candidates> {
  const offered = (list: readonly (Candidate | string)[]): Candidates =>
    words(words(list).list.map(({ word, ...rest }) => ({ ...rest, word: `${prefix}${word}` })));
  const [named] = /^[^:=]*=/.exec(last) ?? [];
  const offers = row.kind.offers ?? row.kind.each?.offers;
  if (isSinkValue(value)) return offered(await sinkCandidates(last, named));
  if (offers?.some((word) => word === named) === true) return offered(await sinkCandidates(last, named));
  if (offers !== undefined) return offered(offers);
  if (value === 'WARNING') return offered(await warningCodes(context));
  if (name === 'job') return offered(await jobsOf(positionalsIn(command, before), context));
  if (!isPath(value)) return words([]);
  return prefix === '' ? byName(value) : offered(await pathsIn(last, byName(value).kind === 'folders'));
}

const isPath = (value: string): boolean => value === 'FILE' || value === 'DIR' || value === 'PATH';

async function warningCodes({ load }: CompletionContext): Promise<readonly Candidate[]> {
  const { topics } = await load();
  return topics.warnings.entries.map(candidateOf);
}

async function jobsOf([config]: readonly string[], { env, load }: CompletionContext): Promise<readonly string[]> {
  if (config === undefined) return [];
  return (await load()).jobNames(config, env);
}
