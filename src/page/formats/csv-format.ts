/** CSV: each row is an item, its cells are texts exactly as they were sent. docs/14-any-response.md#csv. */

import type { Format } from './body-format.js';
import { CsvScanner } from './csv-scanner.js';
import { detectByMark, TextInput } from './text-input.js';

export const csv: Format = {
  create: (context) => new TextInput(new CsvScanner(context), context.options.encoding, detectByMark),
};
