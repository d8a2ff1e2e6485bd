/**
 * Records the items of a page in a sink that cannot roll back: a retry of the page delivers only the items after them.
 */
import { createHash, type Hash } from 'node:crypto';
import { ExtractError } from '../../core/errors/errors.js';
import { itemsBetween } from '../../core/model/batch.js';
import { isLent } from '../../core/util/lent-memory.js';
import type { Slab } from '../scanner/scanner.js';

/** The guard of one page, over all its attempts. */
export interface ReplayGuard {
  /** The number of items that stay in the sink. */
  readonly count: number;
  /** Starts an attempt at the first item of the page. */
  begin(): void;
  /**
   * Returns the undelivered part of the next slab; undefined: all of it was delivered. Throws ERR_PAGE_CHANGED once all
   * delivered items have passed, if they differ from those delivered before.
   */
  beyond(slab: Slab): Slab | undefined;
  /** Records a slab that the sink accepted. */
  add(slab: Slab): void;
  /** Ends the page. Throws ERR_PAGE_CHANGED if it has fewer items than were delivered. */
  end(): void;
}

/** Creates a guard with nothing delivered. Computes a digest of delivered items. */
export const createReplayGuard = (): ReplayGuard => new DeliveredItems();

class DeliveredItems implements ReplayGuard {
  count = 0;
  #delivered: Hash | undefined = undefined;
  /** The last delivered slab, while no digest has it: most pages have one slab, and are not repeated. */
  #last: Uint8Array | undefined = undefined;
  /** The delivered items that the current attempt repeats. */
  #passing: { readonly digest: Hash; items: number } | undefined = undefined;

  begin(): void {
    this.#digestLast();
    this.#passing = this.count === 0 ? undefined : { digest: createHash('sha256'), items: 0 };
  }

  beyond(slab: Slab): Slab | undefined {
    const passing = this.#passing;
    if (passing === undefined) return slab;
    const known = Math.min(slab.count, this.count - passing.items);
    passing.digest.update(slab.bytes.subarray(0, slab.offsets[known]));
    passing.items += known;
    if (passing.items < this.count) return undefined;
    this.#passing = undefined;
    const isSame = this.#delivered !== undefined && passing.digest.digest().equals(this.#delivered.copy().digest());
    if (!isSame) throw changed(this.count);
    return known < slab.count ? itemsBetween(slab, known, slab.count) : undefined;
  }

  add({ bytes, count }: Slab): void {
    this.#digestLast();
    this.#last = bytes;
    this.count += count;
    if (bytes.length > mostHeldBytes || isLent(bytes)) this.#digestLast();
  }

  #digestLast(): void {
    if (this.#last === undefined) return;
    this.#delivered ??= createHash('sha256');
    this.#delivered.update(this.#last);
    this.#last = undefined;
  }

  end(): void {
    if (this.#passing !== undefined) throw changed(this.count);
  }
}

/** A larger slab is not held until its page ends. */
const mostHeldBytes = 1024 * 1024;

const changed = (count: number) =>
  new ExtractError(
    'ERR_PAGE_CHANGED',
    `page changed on retry: the first ${count} items differ from those already written, and the sink cannot roll back`,
  );
