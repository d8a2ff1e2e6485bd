/**
 * Ids for destinations that detect repeated messages: the same place and the same bytes give the same id. In its own
 * file, because every queue needs it.
 */
import { hash } from 'node:crypto';
import type { Items } from '../../src/core/model/batch.js';
import type { BatchPlace, PagePlace } from '../../src/core/model/batch-place.js';

/**
 * Returns a key of 16 characters (96 bits) for a page of a walk. Among a billion pages, two share one with a
 * probability of 6 in 10^12.
 */
export function pageKey({ run, walk, page }: PagePlace): string {
  return hash('sha256', JSON.stringify([run, walk, page]), 'base64url').slice(0, 16);
}

/**
 * Returns an id for each item of a batch, `<page key>-<offset in base 36>-<hash of the item>`: at most 32 letters,
 * digits, `-` and `_` if the page has fewer than 2 billion items. A changed item gets another id.
 */
export function messageIds(batch: BatchPlace & Items): readonly string[] {
  const key = pageKey(batch);
  return Array.from({ length: batch.count }, (_, index) => {
    const offset = (batch.offset + index).toString(36);
    return `${key}-${offset}-${shortHash(itemBytes(batch, index))}`;
  });
}

/**
 * Returns a key for a request that carries a batch, such as an HTTP header `Idempotency-Key`:
 * `<page key>-<offset>-<count>-<hash of the body>`, the numbers in base 36. The same items in other batches have other
 * keys.
 */
export function idempotencyKey(batch: BatchPlace & Pick<Items, 'count'>, body: string | Uint8Array): string {
  return `${pageKey(batch)}-${batch.offset.toString(36)}-${batch.count.toString(36)}-${shortHash(body)}`;
}

/** The bytes of an item without its newline: a view, not a copy. Throws RangeError for an index beyond the items. */
export function itemBytes({ bytes, offsets }: Items, index: number): Uint8Array {
  const [start, end] = [offsets[index], offsets[index + 1]];
  if (start === undefined || end === undefined) throw new RangeError(`the batch has no item ${index}`);
  return bytes.subarray(start, end - 1);
}

/** 8 characters, 48 bits. */
const shortHash = (content: string | Uint8Array): string => hash('sha256', content, 'base64url').slice(0, 8);
