/**
 * Selects the reader of a body: by the format that is configured, or by the content type of its response.
 */

import { ExtractError } from '../core/errors/errors.js';
import { guessedFormat, type ResponseFormat, type ResponseFormatName } from '../core/model/response-format.js';
import { remember } from '../core/util/remember.js';
import { binary } from './formats/binary-format.js';
import type { Format } from './formats/body-format.js';
import { csv } from './formats/csv-format.js';
import { FormatScan, type FormatSettings } from './formats/format-scan.js';
import { GuessedScan } from './formats/guessed-scan.js';
import { text } from './formats/text-format.js';
import { xml } from './formats/xml-format.js';
import { lines, sequence, startTexts } from './json-lines/json-text-reader.js';
import { type Scan, type ScanOptions, startScan } from './scanner/scanner.js';

export interface Reader {
  /** Starts to read one page; the caller must call `dispose`. */
  start(options: ScanOptions, settings?: FormatSettings): Scan;
  /** Whether a blank body is a page without items, rather than no page. */
  readonly mayBeBlank: boolean;
}

export const json: Reader = { start: startScan, mayBeBlank: false };
export const ndjson: Reader = { start: (options) => startTexts(options, lines), mayBeBlank: true };
/** For a response of an unknown walk. */
const unset: FormatSettings = { options: guessedFormat, memory: {}, warn: () => {} };

const inFormat = (format: Format): Reader => ({
  start: (options, settings = unset) => new FormatScan(format, options, settings),
  mayBeBlank: true,
});

/** By the format that a job names. */
const formats: Readonly<Record<ResponseFormatName, Reader>> = {
  json,
  lines: ndjson,
  csv: inFormat(csv),
  xml: { ...inFormat(xml), mayBeBlank: false },
  text: inFormat(text),
  binary: inFormat(binary),
};

/** What such a type says is checked against the first byte: services send JSON with any type. */
const guessed = (reader: Reader, adjust: Partial<ResponseFormat> = {}): Reader => ({
  start: (options, settings = unset) =>
    new GuessedScan((isJson) => {
      if (isJson) return json.start(options);
      return reader.start(options, { ...settings, options: { ...settings.options, ...adjust } });
    }),
  mayBeBlank: true,
});

export const jsonSeq: Reader = { start: (options) => startTexts(options, sequence), mayBeBlank: true };

/** No type says which elements are the items. */
const unknownXml: Reader = {
  start() {
    const remedy =
      'set `response` of the job to {"format": "xml", "element": PATH}, the path of the items from the root';
    throw new ExtractError('ERR_XML', `the response is XML; ${remedy}, such as "feed.entry"`);
  },
  mayBeBlank: false,
};

/** By media type, in lower case. Any other type is read as JSON: many services send text/html or no type. */
const readers: ReadonlyMap<string, Reader> = new Map([
  ['application/x-ndjson', ndjson],
  ['application/ndjson', ndjson],
  ['application/jsonl', ndjson],
  ['application/x-jsonlines', ndjson],
  ['application/stream+json', ndjson],
  ['application/json-seq', jsonSeq],
  ['text/csv', guessed(formats.csv)],
  ['application/csv', guessed(formats.csv)],
  ['text/tab-separated-values', guessed(formats.csv, { delimiter: '\t' })],
]);

/**
 * Selects the reader by the configured format, or else by `Content-Type`, without its parameters. RFC 8142 defines
 * types that end in `+json-seq`.
 */
export const readerOf = (contentType: string | undefined, format?: ResponseFormatName): Reader =>
  format === undefined ? readerByType(contentType ?? '') : formats[format];

const readerByType = remember((contentType): Reader => {
  const [type = ''] = contentType.split(';');
  const name = type.trim().toLowerCase();
  if (/[/+]xml$/.test(name)) return guessed(unknownXml);
  return readers.get(name) ?? (name.endsWith('+json-seq') ? jsonSeq : json);
});
