/**
 * What of a page has reached a sink that cannot take it back: when the page is asked for again, only what comes after
 * it is delivered.
 */
import { createHash, type Hash } from 'node:crypto';
import { ExtractError } from '../../core/errors/errors.js';
import type { Slab } from '../scanner/scanner.js';
import { itemsFrom } from '../slab-part.js';

/** Of one page, over all its attempts. */
export interface ReplayGuard {
  /** Items that stay in the sink. */
  readonly count: number;
  /** An attempt begins, at the first item of the page. */
  begin(): void;
  /**
   * What of the next slab of the attempt has not been delivered yet; undefined: all of it has. Throws ERR_PAGE_CHANGED
   * as soon as the items that were delivered before have gone by, and were others.
   */
  beyond(slab: Slab): Slab | undefined;
  /** The sink has taken it. */
  add(slab: Slab): void;
  /** The page is complete. Throws ERR_PAGE_CHANGED when it has fewer items than were delivered. */
  end(): void;
}

/** Starts with nothing delivered. Costs a digest of what is. */
export const createReplayGuard = (): ReplayGuard => new DeliveredItems();

class DeliveredItems implements ReplayGuard {
  count = 0;
  #delivered: Hash | undefined = undefined;
  /** The items of an attempt that the sink has already, as they come again. */
  #passing: { readonly digest: Hash; items: number } | undefined = undefined;

  begin(): void {
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
    return known < slab.count ? itemsFrom(slab, known) : undefined;
  }

  add({ bytes, count }: Slab): void {
    this.#delivered ??= createHash('sha256');
    this.#delivered.update(bytes);
    this.count += count;
  }

  end(): void {
    if (this.#passing !== undefined) throw changed(this.count);
  }
}

const changed = (count: number) =>
  new ExtractError(
    'ERR_PAGE_CHANGED',
    `page changed on retry: the first ${count} items differ from those already written, and the sink cannot roll back`,
  );
