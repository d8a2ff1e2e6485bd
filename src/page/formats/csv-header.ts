/** The columns of a CSV file: their names, and the bytes that come before each cell of an item. */
import { ExtractError } from '../../core/errors/errors.js';
import type { ResponseFormat } from '../../core/model/response-format.js';
import type { FormatContext } from './body-format.js';

export interface CsvColumns {
  readonly names: readonly string[];
  /** What comes before the cells, one after the other: `{"id":"`, then `","name":"`. */
  readonly bytes: Uint8Array;
  /** Where the part of each cell ends; it begins where the one before it ends. */
  readonly ends: Uint32Array;
}

export function createColumns(names: readonly string[]): CsvColumns {
  const parts = names.map((name, at) => Buffer.from(`${at === 0 ? '{' : '",'}${JSON.stringify(name)}:"`));
  const ends = new Uint32Array(parts.length);
  let end = 0;
  for (const [at, part] of parts.entries()) {
    end += part.length;
    ends[at] = end;
  }
  return { names, bytes: Buffer.concat(parts), ends };
}

/** The columns whose names are configured, and not in the file. */
export const columnsWithoutHeader = ({ header, names }: ResponseFormat): CsvColumns | undefined =>
  header || names === undefined ? undefined : createColumns(names);

type HeaderContext = Pick<FormatContext, 'options' | 'memory' | 'warn'>;

/** Makes columns of the first line of a file. Throws ERR_CSV for names that cannot be those of columns. */
export function columnsOf(
  cells: readonly string[],
  line: number,
  { options, memory, warn }: HeaderContext,
): CsvColumns {
  checkDelimiter(cells, line, options);
  const { names } = options;
  if (names !== undefined) {
    if (names.length === cells.length) return createColumns(names);
    throw headerError(`${counted(cells.length)}, and \`response.names\` ${names.length} names`, line);
  }
  if (!options.header) return createColumns(cells.map((_, at) => `column_${at + 1}`));
  checkTwice(cells, line);
  compare(cells, line, memory.header, warn);
  memory.header = cells;
  return createColumns(cells);
}

/** A delimiter is guessed only if the header agrees: with another one each line would be one cell. */
function checkDelimiter(cells: readonly string[], line: number, { delimiter }: ResponseFormat): void {
  const [only = '', second] = cells;
  if (delimiter !== undefined || second !== undefined) return;
  const other = [';', '\t', '|'].find((each) => only.includes(each));
  if (other === undefined) return;
  throw headerError(
    `no comma, but ${JSON.stringify(other)}; set \`response.delimiter\` to the character between cells`,
    line,
  );
}

function checkTwice(cells: readonly string[], line: number): void {
  const first = new Map<string, number>();
  for (const [at, name] of cells.entries()) {
    const before = first.get(name);
    if (before === undefined) first.set(name, at);
    else {
      const places = `cells ${before + 1} and ${at + 1}`;
      throw headerError(`the name ${shownName(name)} twice (${places}); set \`response.names\``, line);
    }
  }
}

/** Pages with other names are read by their own; a page without any of the names has no header. */
function compare(
  cells: readonly string[],
  line: number,
  before: readonly string[] | undefined,
  warn: FormatContext['warn'],
): void {
  if (before === undefined || (before.length === cells.length && before.every((name, at) => name === cells[at])))
    return;
  const [now, then] = [new Set(cells), new Set(before)];
  const gone = before.filter((name) => !now.has(name));
  const added = cells.filter((name) => !then.has(name));
  if (gone.length === before.length) {
    const remedy = 'if only the first page has a header, set `response.header` to false and `response.names`';
    throw headerError(`none of the names of the page before it; ${remedy}`, line);
  }
  if (gone.length + added.length === 0) return;
  const parts = [listed('without', gone), listed('with the new', added)].filter((part) => part !== '');
  warn('changed-header', `the header differs from that of the page before it: ${parts.join(', ')}`);
}

const mostListed = 3;

function listed(word: string, names: readonly string[]): string {
  if (names.length === 0) return '';
  const more = names.length > mostListed ? ` and ${names.length - mostListed} more` : '';
  return `${word} ${names.slice(0, mostListed).map(shownName).join(', ')}${more}`;
}

const longestName = 40;

const shownName = (name: string): string =>
  JSON.stringify(name.length > longestName ? `${name.slice(0, longestName)}...` : name);

const counted = (cells: number): string => (cells === 1 ? '1 cell' : `${cells} cells`);

const headerError = (has: string, line: number): ExtractError =>
  new ExtractError('ERR_CSV', `the header of the CSV file has ${has} (line ${line})`);
