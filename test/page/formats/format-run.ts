/** Reads a body in a format in chunks of a given size, and collects what comes out. */
import { ExtractError } from '../../../src/core/errors/errors.js';
import { guessedFormat, type ResponseFormat } from '../../../src/core/model/response-format.js';
import type { WalkMemory } from '../../../src/page/formats/body-format.js';
import { readerOf } from '../../../src/page/readers.js';
import type { ScanOptions } from '../../../src/page/scanner/scanner.js';
import { type Outcome, pieces, scanChunks, WHOLE } from '../scanner-run.js';

export interface FormatRun {
  readonly response?: Partial<ResponseFormat>;
  readonly scan?: Partial<ScanOptions>;
  /** Bytes of a chunk; absent: one chunk. */
  readonly size?: number;
  /** Of the walk; absent: its own. */
  readonly memory?: WalkMemory;
  readonly contentType?: string;
}

/** What came out, and the warnings. */
export interface FormatOutcome extends Outcome {
  readonly warnings: readonly string[];
}

export function readFormat(body: string | Uint8Array, run: FormatRun = {}): FormatOutcome {
  const { response = {}, scan = {}, size = WHOLE, memory = {}, contentType } = run;
  const options: ResponseFormat = { ...guessedFormat, ...response };
  const warnings: string[] = [];
  const warn = (code: string, message: string) => void warnings.push(`${code}: ${message}`);
  const reader = readerOf(contentType, options.format);
  const start = (each: ScanOptions) => reader.start(each, { options, memory, warn });
  return { ...scanChunks(pieces(Buffer.from(body), size), scan, start), warnings };
}

export const valuesOf = ({ items }: Pick<Outcome, 'items'>): readonly unknown[] =>
  items.map((item): unknown => JSON.parse(item));

/** The code and message of the error of the body. */
export function failureOf(body: string | Uint8Array, run: FormatRun = {}): string {
  try {
    readFormat(body, run);
  } catch (thrown) {
    if (thrown instanceof ExtractError) return `${thrown.code} ${thrown.message}`;
    throw thrown;
  }
  throw new Error('no error');
}
