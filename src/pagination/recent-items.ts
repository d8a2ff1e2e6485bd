/** Digests of the last items of a walk, as its memo: for pages that are requested with an overlap. */
import { createHash } from 'node:crypto';
import { type Exact, isArray } from '../core/json/exact.js';
import { type Items, startOf } from '../core/model/batch.js';

/** Items that the walk has already. */
export interface OverlapItems {
  readonly known: ReadonlySet<string>;
  /** The last of them. */
  readonly last: string;
}

/** So many are remembered: a page whose items moved by more does not join. */
const mostKept = 200;

/** The digest of item `index`, from 0. */
export const digestOfItem = (items: Items, index: number): string =>
  createHash('sha1')
    .update(items.bytes.subarray(startOf(items, index), startOf(items, index + 1)))
    .digest('base64url')
    .slice(0, 16);

/** Adds items to the memo. */
export function foldRecent(memo: Exact | undefined, items: Items): Exact {
  const first = Math.max(0, items.count - mostKept);
  const digests = Array.from({ length: items.count - first }, (_, at) => digestOfItem(items, first + at));
  return [...(isArray(memo) ? memo : []), ...digests].slice(-mostKept);
}

/** Undefined: the walk has no items yet. */
export function recentIn(memo: Exact | undefined): OverlapItems | undefined {
  const digests = (isArray(memo) ? memo : []).filter((each) => typeof each === 'string');
  const last = digests.at(-1);
  return last === undefined ? undefined : { known: new Set(digests), last };
}
