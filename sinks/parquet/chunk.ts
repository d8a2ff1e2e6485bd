/** The content of one column in a row group. */
import type { Bounds } from './bounds.js';

/** A page with its header. */
export interface EncodedPage {
  readonly bytes: Buffer;
  /** Of header and content, before compression. */
  readonly fullBytes: number;
}

/** A column of a row group. */
export interface Chunk {
  readonly dictionary: EncodedPage | undefined;
  readonly pages: readonly EncodedPage[];
  /** Nulls included. */
  readonly values: number;
  readonly nulls: number;
  readonly bounds: Bounds | undefined;
}
