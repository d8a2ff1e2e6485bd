/** The options that sinks of files share. */
import type { OptionRow, OptionRows } from '../../src/core/options/kind.js';
import { bytes, nonEmptyText, word } from '../../src/core/options/kinds.js';
import { fileMode } from './added-files.js';
import { compressions } from './codec.js';

export const directory = {
  kind: nonEmptyText,
  summary: 'the directory of the files',
  required: true,
} as const satisfies OptionRow;

export const compress = {
  kind: word(...compressions),
  summary: 'compresses each file: `users.ndjson.gz` or `users.ndjson.zst`',
  otherwise: 'no compression',
} as const satisfies OptionRow;

export const ndjsonOptions = {
  dir: directory,
  mode: fileMode,
  compress,
  rotate: {
    kind: bytes(),
    summary:
      'the size of a numbered part in bytes before compression, such as `100MB` or `64MiB`; in code `rotateBytes`',
    otherwise: 'one file for each data type',
  },
} as const satisfies OptionRows;
