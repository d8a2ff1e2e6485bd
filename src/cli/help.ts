/** The help, made from the tables of the commands. */

import { topicNames } from '../config/reference/names.js';
import { aboutFlag, valueName } from '../core/options/flags.js';
import { usageError } from '../core/util/check-value.js';
import { didYouMean } from '../core/util/suggest.js';
import { version } from '../core/util/version.js';
import { padEnd, spaces, widthOf } from '../tools/text/cells.js';
import { table, wrap } from '../tools/text/lines.js';
import type { Command } from './command.js';

const beginning = `A configuration describes an API and the jobs to run. Save this as config.json and insert your own values:

  {
    "api": {
      "baseUrl": "https://api.example.com/v1/",
      "pagination": { "method": "pagenum", "limit": 100 }
    },
    "config": {
      "jobs": [{ "endpoint": "users", "dataField": "items", "dataType": "users" }]
    }
  }

  rxtract validate config.json    lists every problem, without sending a request
  rxtract run config.json         requests all pages and writes out/users.ndjson, one item a line

Items go to the sinks. Standard output carries items only; messages go to standard error.
`;

const ending = `Exit codes
  0         success
  1         failure: the configuration, the command line, the API or a sink
  2         internal error, or a data folder without a valid config.json
  130, 143  interrupted (SIGINT, SIGTERM)
  141       the reader of standard output closed it

Environment
  KBC_DATADIR    the data folder, if neither CONFIG nor --data-dir is given
  NO_COLOR       if set: no colour and no live display
  RXTRACT_DEBUG  if set: stack traces with errors, secrets masked
`;

const configWords = 'CONFIG is the path of a JSON file (comments are allowed), or - for standard input.';

const takesConfig = ({ takesNothing, argument }: Command): boolean => takesNothing !== true && argument === undefined;
const hasOptions = ({ options }: Command): boolean => Object.keys(options).length > 0;

const callOf = (command: Command): string =>
  [
    `rxtract ${command.name}`,
    ...(command.argument === undefined ? [] : [command.argument]),
    ...(takesConfig(command) ? ['CONFIG'] : []),
    ...(hasOptions(command) ? ['[options]'] : []),
  ].join(' ');

/** The text of `rxtract --help`. */
export function overview(commands: readonly Command[]): string {
  const usages = [
    ...commands.map((command) => [`  ${callOf(command)}`, command.summary]),
    ['  rxtract help [COMMAND]', 'show this help, or the help of one command'],
    ['  rxtract help TOPIC [NAME]', 'show a topic of the reference, or one name in full'],
    ['  rxtract --version', 'show the version'],
  ];
  return [
    `rxtract ${version}: streams any paginated HTTP API into files, from one JSON configuration.`,
    '',
    ...table(usages, new Set()),
    '',
    configWords,
    '',
    beginning,
    `Topics: ${topicNames.join(', ')}.`,
    'Or give only a name: rxtract help pagenum, help login, help jobs, help ERR_STATUS.',
    '',
    ...commands.filter(hasOptions).flatMap((command) => [`Options of ${command.name}`, ...optionTable(command), '']),
    ending,
  ].join('\n');
}

/** The text of `rxtract COMMAND --help`. */
export async function commandHelp(command: Command): Promise<string> {
  return [
    `${callOf(command)}: ${command.summary}.`,
    '',
    ...(takesConfig(command) ? [configWords, ''] : []),
    'Options',
    ...optionTable(command),
    '',
    await command.details(),
  ].join('\n');
}

/** The text of `rxtract help NAME`: of a command, or of a name of the reference. */
export async function helpFor(args: readonly string[], commands: readonly Command[]): Promise<string> {
  const command = commands.find((each) => each.name === args[0]);
  if (command !== undefined) return commandHelp(command);
  const { topicHelp } = await import('./engine.js');
  return topicHelp(
    args,
    commands.map((each) => each.name),
    optionHelp(args, commands),
  );
}

/** The options of that name, and those that begin with it, of each command that has the first. */
function optionHelp([name = '', extra]: readonly string[], commands: readonly Command[]): string | undefined {
  const having = commands.filter(({ options }) => extra === undefined && Object.hasOwn(options, name));
  if (having.length === 0) return undefined;
  const pages = having.map((command) => {
    const rows = optionRows(command, (each) => each === name || each.startsWith(`${name}-`));
    const more = `rxtract ${command.name} --help shows all options, with examples.`;
    return [`Options of ${command.name}`, ...laidOut(rows), '', more, ''].join('\n');
  });
  return pages.join('\n');
}

/** The widest line. */
const mostColumns = 120;

const optionTable = (command: Command): readonly string[] =>
  laidOut([...optionRows(command), ['  --help', 'show this help']]);

function laidOut(rows: readonly (readonly string[])[]): readonly string[] {
  const width = Math.max(...rows.map(([name = '']) => widthOf(name))) + 2;
  return rows.flatMap(([name = '', about = '']) => wrap(about, padEnd(name, width), spaces(width), mostColumns));
}

const optionRows = ({ options }: Command, isWanted = (_: string): boolean => true): readonly string[][] =>
  Object.entries(options)
    .filter(([name]) => isWanted(name))
    .map(([name, row]) => [
      `  --${[name, valueName(row)].filter((each) => each !== undefined).join(' ')}`,
      aboutFlag(row),
    ]);

/** Finds a command by its name. Throws ERR_USAGE with the nearest name, or with the command for a path alone. */
export function findCommand(name: string, commands: readonly Command[]): Command {
  const command = commands.find((each) => each.name === name);
  if (command !== undefined) return command;
  const names = commands.map((each) => each.name);
  if (/\.jsonc?$/i.test(name)) throw usageError(`"${name}" is not a command; did you mean "rxtract run ${name}"?`);
  if (name.startsWith('-')) throw usageError(`"${name}" is not a command: expected ${names.join(', ')}, help`);
  throw usageError(`unknown command "${name}"${didYouMean(name, [...names, 'help'])}`);
}
