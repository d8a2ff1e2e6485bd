/** Splits a pasted shell command into words as a shell would. It runs nothing, and reads no file. */
import type { Command, HereDocBody, ParsedScript, Redirection, Statement, Word, WordPart } from 'unbash';
import { usageError } from '../../core/util/check-value.js';
import { missingVariable } from '../../core/util/missing-variable.js';
import type { ReadContext } from './read-context.js';

/** The words of a curl command, without `curl` itself. */
export interface CurlWords {
  readonly words: readonly string[];
  /** Values of variables of the command, each with the name of its variable. */
  readonly names: ReadonlyMap<string, string>;
  /** The text of a here-document, which curl would read from its standard input. */
  readonly input?: string;
}

/**
 * Reads a command of bash or a similar shell. Variables have the value of an assignment before them, or of `env`.
 * Commands behind a pipe are left out. Throws ERR_USAGE for anything else than one curl command, for a variable without
 * a value, and for a command in a command, which would have to run. Messages quote nothing but names.
 */
export async function readShellWords(text: string, env: ReadContext['env']): Promise<CurlWords> {
  const { parse } = await import('unbash');
  // A blank behind the backslash at the end of a line is a frequent slip.
  const script = parse(
    text
      .trim()
      .replace(/^[$%#>] +/, '')
      .replaceAll(/\\[ \t]+\n/g, '\\\n'),
  );
  checkErrors(script);
  const variables = createVariables(env);
  const found: Command[] = [];
  for (const statement of script.commands) {
    const commands = commandsOf(statement);
    for (const command of commands) variables.assign(command);
    const calls = commands.filter(({ name }) => isCurl(name?.value));
    if (calls.length > 0 && statement.background === true) throw usageError(unquoted);
    found.push(...calls);
  }
  const [command, other] = found;
  if (command === undefined) throw usageError('standard input has no curl command: paste one, as a browser copies it');
  if (other !== undefined) throw usageError('there are several curl commands: give one of them');
  return wordsOf(command, variables);
}

const unquoted = 'the curl command ends at an & outside of quotes: put the URL into quotes';

/** Whether this word calls curl, also by a path or with the ending of Windows. */
export const isCurl = (word: string | undefined): boolean => /^(?:.*[\\/])?curl(?:\.exe)?$/i.test(word ?? '');

function checkErrors({ errors = [] }: ParsedScript): void {
  const [error] = errors;
  if (error === undefined) return;
  const reason = error.message.replaceAll(/ '[\s\S]*'/g, ''); // it may quote the command
  const place = `at character ${error.pos + 1}: ${reason}`;
  throw usageError(`the command cannot be read ${place}; copy the whole command again`);
}

/** The simple commands of a statement: one, or those of a pipe or a list. */
function commandsOf({ command }: Statement): readonly Command[] {
  const nodes = command.type === 'AndOr' ? command.commands : [command];
  return nodes
    .flatMap((node) => (node.type === 'Pipeline' ? node.commands : [node]))
    .flatMap((node) => (node.type === 'Command' ? [node] : []));
}

interface Variables {
  /** Keeps the assignments of a command without a name, and of `export`. */
  assign(command: Command): void;
  /** Throws ERR_USAGE if it has no value. */
  valueOf(name: string, spare?: string): string;
  readonly names: ReadonlyMap<string, string>;
}

function createVariables(env: ReadContext['env']): Variables {
  const assigned = new Map<string, string>();
  const names = new Map<string, string>();
  const variables: Variables = {
    names,
    assign({ name, prefix, args }) {
      const isExport = name?.value === 'export';
      if (name !== undefined && !isExport) return;
      for (const each of isExport ? args : prefix) {
        if (each.type !== 'Assignment' || each.value.type !== 'Word') continue;
        assigned.set(each.name, wordText(each.value, variables));
      }
    },
    valueOf(name, spare) {
      const value = assigned.get(name) ?? env[name] ?? spare;
      if (value === undefined) {
        throw usageError(`the command uses a variable that is not set: ${missingVariable(name, env)}`);
      }
      if (value !== '') names.set(value, name);
      return value;
    },
  };
  return variables;
}

function wordsOf({ args, redirects }: Command, variables: Variables): CurlWords {
  const words = args.map((each) => (each.type === 'Word' ? wordText(each, variables) : each.text));
  const input = redirects.map((each) => inputOf(each, variables)).find((text) => text !== undefined);
  return { words, names: variables.names, ...(input === undefined ? {} : { input }) };
}

function inputOf(redirect: Redirection, variables: Variables): string | undefined {
  if (redirect.type === 'HereDoc') return bodyOf(redirect.body, variables);
  if (redirect.type === 'HereString') return redirect.target && `${wordText(redirect.target, variables)}\n`;
  if (redirect.operator !== '<') return undefined;
  throw usageError(
    'the command reads a file (<): init reads no file that a command names; write its content into the command',
  );
}

const bodyOf = ({ text, parts }: HereDocBody, variables: Variables): string =>
  parts === undefined ? text : parts.map((part) => textOf(part, variables)).join('');

const wordText = ({ value, parts }: Word, variables: Variables): string =>
  parts === undefined ? value : parts.map((part) => textOf(part, variables)).join('');

function textOf(part: WordPart, variables: Variables): string {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return part.value;
    case 'DoubleQuoted':
    case 'LocaleString':
      return part.parts.map((each) => textOf(each, variables)).join('');
    case 'SimpleExpansion':
      return variables.valueOf(part.text.slice(1));
    case 'ParameterExpansion':
      return ofParameter(part, variables);
    case 'CommandExpansion':
    case 'ProcessSubstitution':
    case 'ArithmeticExpansion':
      throw usageError(ofCommand);
    default:
      return part.text; // a pattern of file names, such as the ? of a URL
  }
}

const ofCommand =
  'the command contains $(...) or another command, which init does not run: export its result as a variable, and write $NAME there';

type Parameter = Extract<WordPart, { readonly type: 'ParameterExpansion' }>;

/** `${NAME}` and `${NAME:-text}`. */
function ofParameter({ parameter, prefix, index, operation }: Parameter, variables: Variables): string {
  if (prefix === undefined && index === undefined) {
    if (operation === undefined) return variables.valueOf(parameter);
    if (operation.type === 'Default' && /^:?[-=]$/.test(operation.operator)) {
      return variables.valueOf(parameter, wordText(operation.operand, variables));
    }
  }
  throw usageError(`the command changes the variable ${parameter} as it inserts it: write \${${parameter}} instead`);
}
