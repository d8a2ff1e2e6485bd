/** The interface of a scan. */
import type { DataField } from '../../core/model/job.js';
import type { LocatedItems } from './items-locator.js';
import type { CapturedText } from './slots.js';

/** Sizes are in bytes. Reasonable: batches of 1 MiB, items up to 64 MiB, captures up to 64 KiB. */
export interface ScanOptions {
  readonly dataField: DataField;
  /** Paths whose values are wanted; they may lead into the items, or to a container around them. */
  readonly captures: readonly (readonly string[])[];
  /** Indexes of those that take a list or an object for an empty one, and so do not copy it. */
  readonly shallow?: ReadonlySet<number>;
  /** Indexes of those of which `captured` gives a value alone, not where their path stopped leading on. */
  readonly silent?: ReadonlySet<number>;
  /**
   * A slab is emitted when whole items have at least so many bytes; it may be larger by the 64 KiB that are scanned at
   * once.
   */
  readonly batchBytes: number;
  readonly maxItemBytes: number;
  readonly maxCaptureBytes: number;
  readonly fingerprint: boolean;
  /** The offset of the first byte in messages; absent: 0. */
  readonly firstOffset?: number;
}

/** A slab has memory of its own, never touched again. `offsets` as in `Batch`. */
export interface Slab {
  readonly bytes: Uint8Array;
  readonly offsets: Uint32Array;
  readonly count: number;
}

/** `restart`: a duplicate member voids all that was emitted for this page. */
export type ScanEvent = { readonly slab: Slab } | { readonly restart: true };

/** The scan of one page. The events of a call must be taken to their end before the next call. */
export interface Scan {
  /**
   * Consumes one chunk of the body, lazily: who waits between events holds the scan back. Throws ERR_JSON, ERR_UTF8,
   * ERR_DEPTH, ERR_ITEM_SIZE, ERR_DATA_FIELD with the byte offset; nothing may follow then but `dispose`.
   */
  feed(chunk: Uint8Array): Iterable<ScanEvent>;
  /** The body has ended: yields the rest. Throws as `feed` does; ERR_JSON when the document is not complete. */
  end(): Iterable<ScanEvent>;
  /** Items so far. */
  readonly count: number;
  /** Bytes of the items so far, newlines included. */
  readonly itemBytes: number;
  /** What the data field led to; valid after `end`. */
  readonly found: LocatedItems;
  /** The value of a path of `captures` by its index; valid after `end`. */
  captured(index: number): CapturedText;
  /**
   * Where the path of the data field stopped leading on; valid after `end`. Of paths into the values of a row it is
   * only known whether one led to its end.
   */
  astray(): Pick<CapturedText, 'beside' | 'depth'>;
  /**
   * The fingerprint so far, for comparison by position: digests of what lies before the items, of each full 64 KiB of
   * items (known once the slab around them is emitted), then at the end of all items, of all the rest, and the count.
   * Equal for documents equal up to white space.
   */
  readonly chain: readonly bigint[];
  /**
   * The digest of all items, of the last ones after a restart; valid after `end`, undefined without a fingerprint. It
   * takes no part in what lies around them.
   */
  readonly itemsDigest: bigint | undefined;
  /** Gives the memory back. The scan answers `captured`, `found` and `chain` as before, and takes no more bytes. */
  dispose(): void;
}
