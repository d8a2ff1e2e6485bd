/** A page that was read: what the scanner, the response and the stages say of it, in one record. */
import type { Exact } from '../core/json/exact.js';
import type { Envelope } from '../core/model/page.js';
import type { Headers } from '../core/model/request.js';
import type { PathMiss } from '../core/util/suggest.js';
import type { Rows } from './row-buffer.js';
import type { LocatedItems } from './scanner/items-locator.js';

/** What the scanner says of a page. */
export interface PageRead {
  readonly count: number;
  /** Bytes of the items as NDJSON. */
  readonly bytes: number;
  /** What the data field led to; `no body`: nothing but white space came. */
  readonly found: LocatedItems | 'no body';
  /** Where the path of the data field stopped leading on. */
  readonly astray: PathMiss;
  readonly envelope: Envelope;
  readonly chain: readonly bigint[];
  /** The digest of the items alone; undefined where pages are not compared, or there was no body. */
  readonly itemsDigest: bigint | undefined;
  /** The page equals the one before it and was not delivered. */
  readonly repeated: boolean;
}

/**
 * The third state of a page, between its response and its receipt. Every member is there always. `count` and `bytes`
 * are those of the items that the sink has taken.
 */
export interface PageResult extends PageRead {
  /** Items of the response: also those that stages left out, and all of a page that repeats the one before it. */
  readonly received: number;
  /** Items that were left out, as there was no room for them. */
  readonly cut: number;
  /** Bytes of the body as compact JSON; 0 where the scroller does not ask for it. */
  readonly volume: number;
  /** What the scroller has folded the items into, those of all pages so far. */
  readonly memo: Exact | undefined;
  /** What children read of the items; undefined: there are none. The receiver must call `clear()`. */
  readonly rows: Rows | undefined;
  /** Of a response without a list at its top level: lists further down, as far as its beginning shows. */
  readonly lists: readonly string[];
  /** The address that answered, redirects followed, without user information and query. */
  readonly address: string;
  readonly headers: Headers;
  /** It came from the cache. */
  readonly isCached: boolean;
  /** Parameters that the login has put into the query. */
  readonly loginNames: ReadonlySet<string>;
}

/** A result on its way through the stages: each fills in its own members. */
export type PageResultDraft = { -readonly [K in keyof PageResult]: PageResult[K] };
