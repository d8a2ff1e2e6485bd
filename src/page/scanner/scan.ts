/** The interface of a scan. */
import type { DataField } from '../../core/model/job.js';
import type { LocatedItems } from './items-locator.js';
import type { CapturedText } from './slots.js';

/** Sizes are in bytes. Reasonable: batches of 1 MiB, items up to 64 MiB, captures up to 64 KiB. */
export interface ScanOptions {
  readonly dataField: DataField;
  /** Paths to capture; they may lead into the items, or to a container around them. */
  readonly captures: readonly (readonly string[])[];
  /** Indexes of paths that treat a list or an object as empty, and so do not copy it. */
  readonly shallow?: ReadonlySet<number>;
  /** Indexes of paths for which `captured` returns a value only, not the position where the path failed. */
  readonly silent?: ReadonlySet<number>;
  /** Indexes of paths whose value is an object with those members that are numbers. */
  readonly figures?: ReadonlySet<number>;
  /**
   * Emits a slab when complete items have at least this many bytes; a slab may be 64 KiB larger, the size scanned at
   * once.
   */
  readonly batchBytes: number;
  readonly maxItemBytes: number;
  readonly maxCaptureBytes: number;
  readonly fingerprint: boolean;
  /** Allocates the memory of a slab of that many bytes; absent: memory of its own. */
  readonly allocate?: ((bytes: number) => Uint8Array) | undefined;
  /** The offset of the first byte, for messages; absent: 0. */
  readonly firstOffset?: number;
}

/**
 * `offsets` as in `Batch`. The bytes never change, unless their memory is lent (src/core/util/lent-memory.ts): then
 * they are valid until the call that gets the slab has settled.
 */
export interface Slab {
  readonly bytes: Uint8Array;
  readonly offsets: Uint32Array;
  readonly count: number;
}

/** `restart`: a duplicate member discards everything emitted for this page. */
export type ScanEvent = { readonly slab: Slab } | { readonly restart: true };

/** The scan of one page. Consume all events of a call before the next call. */
export interface Scan {
  /**
   * Consumes one chunk of the body lazily: a wait between events pauses the scan. Throws ERR_JSON, ERR_UTF8, ERR_DEPTH,
   * ERR_ITEM_SIZE, ERR_DATA_FIELD with the byte offset; after that only `dispose` is allowed.
   */
  feed(chunk: Uint8Array): Iterable<ScanEvent>;
  /** Ends a file of an archive; what follows is another one. Absent: the body is one file. */
  endFile?(): Iterable<ScanEvent>;
  /** Ends the body: yields the rest. Throws as `feed` does; ERR_JSON when the document is incomplete. */
  end(): Iterable<ScanEvent>;
  /** The number of items so far. */
  readonly count: number;
  /** Bytes of the items so far, newlines included. */
  readonly itemBytes: number;
  /** The kind of value at the data field; valid after `end`. */
  readonly found: LocatedItems;
  /** The value of a path of `captures` by its index; valid after `end`. */
  captured(index: number): CapturedText;
  /**
   * The position where the data field path failed; valid after `end`. With JSON Lines or sequences it only shows
   * whether the path succeeded in any value.
   */
  pathMiss(): Pick<CapturedText, 'beside' | 'depth'>;
  /**
   * The fingerprint so far, for comparison by position: digests of the bytes before the items, of each full 64 KiB of
   * items (available once their slab is emitted), then at the end of all items, of all the rest, and the count.
   * Complete before `end` emits the last slab of a JSON text. Equal for documents equal up to white space.
   */
  readonly chain: readonly bigint[];
  /**
   * The digest of all items, after a restart of the new ones; valid after `end`, undefined without a fingerprint.
   * Excludes the bytes around the items.
   */
  readonly itemsDigest: bigint | undefined;
  /** Releases the memory. The results stay valid; the scan accepts no more bytes. */
  dispose(): void;
}
