/** What a tool takes, as JSON Schema, and the words of its command for an input. */
import { aboutFlag, isRepeatable, valueName } from '../../core/options/flags.js';
import type { OptionRow } from '../../core/options/kind.js';
import { usageError } from '../../core/util/check-value.js';
import { didYouMean } from '../../core/util/suggest.js';
import type { CompletedCommand } from '../completion/candidates.js';
import type { ToolRow } from './tool-table.js';

export type ToolInput = Readonly<Record<string, unknown>>;

interface InputRow {
  readonly schema: object;
  /** Absent: it is what the command takes, no option. */
  readonly option?: { readonly flag: string; readonly row: OptionRow };
}

const text = (description: string): InputRow => ({ schema: { type: 'string', description } });

const taken: Readonly<Record<ToolRow['takes'], Readonly<Record<string, InputRow>>>> = {
  config: {
    config: text('the path of the configuration, in the folder of the server'),
    content: text('the text of a configuration, instead of its path'),
  },
  source: {
    source: text('the address of a list, or of an OpenAPI document'),
    curl: text('a curl command, instead of an address'),
  },
  folders: {
    folders: { schema: { type: 'array', items: { type: 'string' }, minItems: 1, description: 'folders with cases' } },
  },
};

/** The members of the input of a tool, by name. */
function inputRows(tool: ToolRow, command: CompletedCommand, mayWrite: boolean): ReadonlyMap<string, InputRow> {
  const flags = [...tool.options, ...(mayWrite ? tool.writes : [])].flatMap((flag): [string, InputRow][] => {
    const row = command.options[flag];
    return row === undefined ? [] : [[flag.replaceAll('-', '_'), { option: { flag, row }, schema: schemaOf(row) }]];
  });
  return new Map([...Object.entries(taken[tool.takes]), ...flags]);
}

function schemaOf(row: OptionRow): object {
  const description = aboutFlag(row);
  if (valueName(row) === undefined) return { type: 'boolean', description };
  const value = { type: ['string', 'number'] };
  return isRepeatable(row) ? { type: 'array', items: value, description } : { ...value, description };
}

/** JSON Schema of the input. */
export function inputSchema(tool: ToolRow, command: CompletedCommand, mayWrite: boolean) {
  const properties = [...inputRows(tool, command, mayWrite)].map(([name, { schema }]) => [name, schema] as const);
  return { type: 'object' as const, properties: Object.fromEntries(properties), additionalProperties: false };
}

/** The options of the command, in words. Throws ERR_USAGE for a name that the tool has not, and for a wrong type. */
export function optionWords(
  tool: ToolRow,
  command: CompletedCommand,
  input: ToolInput,
  mayWrite: boolean,
): readonly string[] {
  const rows = inputRows(tool, command, mayWrite);
  return Object.entries(input).flatMap(([name, value]) => {
    const row = rows.get(name);
    if (row === undefined) throw unknownName(tool, name, [...rows.keys()]);
    return row.option === undefined ? [] : wordsOf(row.option.flag, valueName(row.option.row) === undefined, value);
  });
}

function unknownName({ name: tool, writes }: ToolRow, name: string, known: readonly string[]) {
  if (writes.includes(name)) return usageError(`${tool}: "${name}" writes a file: the server needs --write`);
  const expected = `expected ${known.join(', ')}`;
  return usageError(`${tool}: unknown member "${name}"${didYouMean(name, known) || `: ${expected}`}`);
}

/** `--NAME=VALUE` is never another option, whatever the value. */
function wordsOf(flag: string, isSwitch: boolean, value: unknown): readonly string[] {
  if (isSwitch) {
    if (typeof value !== 'boolean') throw usageError(`${flag}: expected true or false`);
    return value ? [`--${flag}`] : [];
  }
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.map((each) => {
    if (typeof each !== 'string' && typeof each !== 'number') throw usageError(`${flag}: expected a text or a number`);
    return `--${flag}=${each}`;
  });
}

/** A text of the input. Throws ERR_USAGE for another type. */
export function textIn(input: ToolInput, name: string): string | undefined {
  const value = input[name];
  if (value === undefined || typeof value === 'string') return value;
  throw usageError(`${name}: expected a text`);
}

/** A list of texts. Throws ERR_USAGE for anything else. */
export function textsIn(input: ToolInput, name: string): readonly string[] {
  const value = input[name];
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value;
  throw usageError(`${name}: expected a list of texts`);
}
