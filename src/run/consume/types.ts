/** The faces that jobs show to code, in words: what can be pulled, and what whoever pulls may say. */
import type { Observable } from 'rxjs';
import type { Transform } from '../../../sinks/through.js';
import type { Batch } from '../../core/model/batch.js';
import type { Receipt } from '../../core/model/page.js';
import type { ReadableOf } from './readable.js';

export interface FaceOptions {
  /** Aborting it interrupts the run: the consumer gets ERR_ABORTED. */
  readonly signal?: AbortSignal;
  /** Called with each receipt: the consumer has dealt with the whole page. */
  readonly onReceipt?: (receipt: Receipt) => void;
  /**
   * The size of a batch in bytes, 1 MiB; at most 64 MiB. A page whose items take less is handed over whole or not at
   * all, so that a broken one is asked for again unseen; a larger one comes in several batches.
   */
  readonly batchBytes?: number;
}

/** What a stream gives: items and batches as objects, or the NDJSON text of the items. */
export type ReadableAs = 'items' | 'batches' | 'bytes';

export interface ReadableOptions<As extends ReadableAs = ReadableAs> extends FaceOptions {
  /** `items`. */
  readonly as?: As;
  /** How many items, batches or bytes the stream may read ahead; 0: none is read before it is asked for. */
  readonly highWaterMark?: number;
}

/**
 * Ways to pull items. Each loop, stream and subscription is a run of its own, which begins with the first demand. A
 * batch is handed over when it is asked for, and the engine stands still until the next demand: no page is requested
 * before the one in hand is used up. Leaving early aborts the request in flight. What was handed over is not taken
 * back: see `batchBytes`.
 */
export interface Faces<Item = unknown> {
  /** One value at a time. The batch they come from is parsed as a whole. */
  items(options?: FaceOptions): AsyncIterable<Item>;
  /** One slab of NDJSON at a time, about 1 MiB. */
  batches(options?: FaceOptions): AsyncIterable<Batch<Item>>;
  /** A stream of Node. It closes when all has been let go. A null among items fails with ERR_USAGE. */
  readable(options?: ReadableOptions<'items'>): ReadableOf<Item>;
  readable(options: ReadableOptions<'batches'>): ReadableOf<Batch<Item>>;
  readable(options: ReadableOptions<'bytes'>): ReadableOf<Buffer>;
  /**
   * One item after the other. Only synchronous operators hold it back: for others, `pull` of `rxtract/operators` over
   * `batches()`.
   */
  observable(options?: FaceOptions): Observable<Item>;
  /** The same faces behind a transform. */
  through<Out>(transform: Transform<Item, Out>): Faces<Out>;
}
