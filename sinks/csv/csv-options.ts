/** The options of CSV files. */
import type { Notify } from '../../src/core/model/notice.js';
import { type GivenOptions, kind, type OptionRows } from '../../src/core/options/kind.js';
import { flag, word } from '../../src/core/options/kinds.js';
import type { FileMode } from '../files/added-files.js';
import type { OpenFile } from '../files/output-file.js';

const delimiter = kind<string>(
  'one character such as , ; | or a tab',
  // It is in no number, word, quote or end of line.
  (value) => typeof value === 'string' && /^[\t\x20-\x7e]$/.test(value) && !/[a-z0-9."+-]/i.test(value),
  { schema: { type: 'string' } },
);

export const csvOptions = {
  delimiter: {
    kind: delimiter,
    summary: 'the character between cells, such as `;`, `|` or `%09` for a tab',
    default: ',',
  },
  bom: {
    kind: flag,
    summary: 'begins files with a byte order mark, so that Excel reads UTF-8',
    default: false,
  },
  nested: {
    kind: word('json', 'dot'),
    summary: 'objects in items: `json` writes their JSON into one cell, `dot` a column for each member, `address.city`',
    default: 'json',
  },
  escape: {
    kind: word('formulas'),
    summary: "`formulas` puts `'` before texts that begin with `=`, `+`, `-`, `@`, a tab, CR or `'`",
    otherwise: 'texts are unchanged, and a spreadsheet may run them as formulas',
  },
} as const satisfies OptionRows;

export interface CsvOptions extends GivenOptions<typeof csvOptions> {
  /** `append`: each run adds files of its own. Default: `replace`. */
  readonly mode?: FileMode | undefined;
  /** Receives notices, such as those of lone surrogates. */
  readonly notify?: Notify | undefined;
  /** Opens files; tests replace it to simulate disk faults. */
  readonly openFile?: OpenFile | undefined;
}
