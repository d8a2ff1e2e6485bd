/** The options of CSV files, in code and in an address. */
import { ExtractError } from '../../src/core/errors/errors.js';
import type { Notify } from '../../src/core/model/notice.js';
import { didYouMean } from '../../src/core/util/suggest.js';
import { type AddressOptions, decodeText, type SinkAddress } from '../addresses/address.js';
import type { OpenFile } from '../files/output-file.js';

export interface CsvOptions {
  /** One character; default: a comma. */
  readonly delimiter?: string | undefined;
  /** Begins files with a byte order mark, for spreadsheets. */
  readonly bom?: boolean | undefined;
  /** Objects in items: their JSON text in one cell (`json`, the default), or a column for each member (`dot`). */
  readonly nested?: 'json' | 'dot' | undefined;
  /** `formulas`: puts `'` before texts that a spreadsheet takes for formulas. */
  readonly escape?: 'formulas' | undefined;
  /** Receives notices, such as those of lone surrogates. */
  readonly notify?: Notify | undefined;
  /** Opens files; tests replace it to simulate disk faults. */
  readonly openFile?: OpenFile | undefined;
}

export const csvOptions: AddressOptions = {
  delimiter: {
    summary: 'the character between cells, such as `;`, `|` or `%09` for a tab',
    type: 'character',
    default: ',',
  },
  bom: {
    summary: 'begins files with a byte order mark, so that Excel reads UTF-8',
    type: '`true` or `false`',
    default: 'false',
  },
  nested: {
    summary: 'objects in items: `json` writes their JSON into one cell, `dot` a column for each member, `address.city`',
    type: '`json` or `dot`',
    default: 'json',
  },
  escape: {
    summary: "`formulas` puts `'` before texts that begin with `=`, `+`, `-`, `@`, a tab, CR or `'`",
    type: '`formulas`',
    otherwise: 'texts are unchanged, and a spreadsheet may run them as formulas',
  },
};

/** Reads the options. Throws ERR_USAGE for another value. */
export function csvOptionsOf({ options }: SinkAddress): Pick<CsvOptions, 'delimiter' | 'bom' | 'nested' | 'escape'> {
  const read = <T extends string>(name: string, values: readonly T[]): T | undefined => {
    const text = options.get(name);
    return text === undefined ? undefined : oneOf(name, decodeText(text), values);
  };
  const delimiter = options.get('delimiter');
  const bom = read('bom', ['true', 'false']);
  return {
    delimiter: delimiter === undefined ? undefined : decodeText(delimiter),
    bom: bom === undefined ? undefined : bom === 'true',
    nested: read('nested', ['json', 'dot']),
    escape: read('escape', ['formulas']),
  };
}

function oneOf<T extends string>(name: string, text: string, values: readonly T[]): T {
  const found = values.find((each) => each === text);
  if (found !== undefined) return found;
  throw usage(`${name}=${text}: expected ${values.join(' or ')}${didYouMean(text, values)}`);
}

/** Throws ERR_USAGE unless the text is one ASCII character that is in no number, word, quote or end of line. */
export function checkDelimiter(text: string): void {
  if (/^[\t\x20-\x7e]$/.test(text) && !/[a-z0-9."+-]/i.test(text)) return;
  throw usage(`delimiter: expected one character such as , ; | or a tab, found "${text}"`);
}

const usage = (message: string) => new ExtractError('ERR_USAGE', `csv: ${message}`);
