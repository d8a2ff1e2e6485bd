/** The interface of a format: what turns the bytes of a body into items. */
import type { ResponseFormat } from '../../core/model/response-format.js';
import type { CapturedText } from '../scanner/scanner.js';
import type { ItemWriter } from './item-writer.js';

/** Converts the bytes of one page. Throws errors with the place in the body. */
export interface Converter {
  /**
   * Converts the bytes of a chunk from `from` on. Returns the position up to which it has: the end of the chunk, unless
   * a slab is full before it.
   */
  push(chunk: Uint8Array, from: number): number;
  /** Ends the body: what is incomplete is an error. */
  end(): void;
  /** Where it is in the body, for messages: `line 3, cell 2`. */
  place(): string;
  /** The value of a path of captures; absent: the format has items only. Valid after `end`. */
  captured?(index: number): CapturedText;
  /** Whether the body has a place for items, be it without any; absent: it always has. Valid after `end`. */
  hasPlace?(): boolean;
  /** How far the path of the items leads, and the names there; absent: the format has no path. Valid after `end`. */
  pathMiss?(): Pick<CapturedText, 'beside' | 'depth'>;
}

/** What the pages of a walk know of one another. */
export interface WalkMemory {
  /** The names of columns of the last page. */
  header?: readonly string[];
  /** The names beside the rows of the last page. */
  columns?: readonly string[];
}

export interface FormatContext {
  readonly out: ItemWriter;
  readonly options: ResponseFormat;
  readonly maxItemBytes: number;
  readonly maxCaptureBytes: number;
  readonly captures: readonly (readonly string[])[];
  readonly memory: WalkMemory;
  readonly warn: (code: string, message: string) => void;
}

/** A format: its file says how its bytes become items. */
export interface Format {
  /** Starts to read one page. */
  create(context: FormatContext): Converter;
}
