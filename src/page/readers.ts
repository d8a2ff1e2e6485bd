/**
 * Selects the reader of a body by the content type of its response: one JSON document, JSON Lines, or a JSON sequence.
 */

import { remember } from '../core/util/remember.js';
import { lines, sequence, startTexts } from './json-lines/json-text-reader.js';
import { type Scan, type ScanOptions, startScan } from './scanner/scanner.js';

export interface Reader {
  /** Starts to read one page; the caller must call `dispose`. */
  start(options: ScanOptions): Scan;
  /** Whether a blank body is a page without items, rather than no page. */
  readonly mayBeBlank: boolean;
}

export const json: Reader = { start: startScan, mayBeBlank: false };
export const ndjson: Reader = { start: (options) => startTexts(options, lines), mayBeBlank: true };
export const jsonSeq: Reader = { start: (options) => startTexts(options, sequence), mayBeBlank: true };

/** By media type, in lower case. Any other type is read as JSON: many services send text/html or no type. */
const readers: ReadonlyMap<string, Reader> = new Map([
  ['application/x-ndjson', ndjson],
  ['application/ndjson', ndjson],
  ['application/jsonl', ndjson],
  ['application/x-jsonlines', ndjson],
  ['application/stream+json', ndjson],
  ['application/json-seq', jsonSeq],
]);

/** Selects the reader by `Content-Type`, without its parameters. RFC 8142 defines types that end in `+json-seq`. */
export const readerOf = (contentType: string | undefined): Reader => readerByType(contentType ?? '');

const readerByType = remember((contentType): Reader => {
  const [type = ''] = contentType.split(';');
  const name = type.trim().toLowerCase();
  return readers.get(name) ?? (name.endsWith('+json-seq') ? jsonSeq : json);
});
