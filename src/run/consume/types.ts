/** The consumers of jobs, by which code pulls items, and their options. */
import type { Observable } from 'rxjs';
import type { Transform } from '../../../sinks/decorators/through.js';
import type { Batch } from '../../core/model/batch.js';
import type { Receipt } from '../../core/model/page.js';
import type { ReadableOf } from './readable.js';

export interface ConsumerOptions {
  /** Aborting it interrupts the run: the consumer gets ERR_ABORTED. */
  readonly signal?: AbortSignal;
  /** Called with each receipt: the consumer has processed the whole page. */
  readonly onReceipt?: (receipt: Receipt) => void;
  /**
   * The size of a batch in bytes; default 1 MiB, at most 64 MiB. A page with fewer bytes of items is handed over whole
   * or not at all, so the consumer does not notice a retry. A larger page arrives in several batches.
   */
  readonly batchBytes?: number;
}

/** What a stream yields: items or batches as objects, or the items as NDJSON text. */
export type ReadableAs = 'items' | 'batches' | 'bytes';

export interface ReadableOptions<As extends ReadableAs = ReadableAs> extends ConsumerOptions {
  /** Default: `items`. */
  readonly as?: As;
  /** How many items, batches or bytes the stream may read ahead; 0, the default: it reads on demand only. */
  readonly highWaterMark?: number;
}

/**
 * Ways to pull items. Each loop, stream and subscription is a run of its own, and starts with the first demand. Each
 * demand yields one batch, and the engine waits for the next demand: it requests no page before the current one is used
 * up. Leaving early aborts the request in flight. Items that were handed over are not taken back: see `batchBytes`.
 */
export interface Consumers<Item = unknown> {
  /** Yields one item at a time. A batch is parsed as a whole. */
  items(options?: ConsumerOptions): AsyncIterable<Item>;
  /** Yields one batch of NDJSON at a time, about 1 MiB. */
  batches(options?: ConsumerOptions): AsyncIterable<Batch<Item>>;
  /** A Node stream. It closes when the run has released everything. A null among items fails with ERR_USAGE. */
  readable(options?: ReadableOptions<'items'>): ReadableOf<Item>;
  readable(options: ReadableOptions<'batches'>): ReadableOf<Batch<Item>>;
  readable(options: ReadableOptions<'bytes'>): ReadableOf<Buffer>;
  /**
   * Emits one item after the other. Only synchronous operators apply backpressure. For others, use `pull` of
   * `rxtract/operators` over `batches()`.
   */
  observable(options?: ConsumerOptions): Observable<Item>;
  /** The same consumers after a transform. */
  through<Out>(transform: Transform<Item, Out>): Consumers<Out>;
}
