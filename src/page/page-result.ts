/** The result of reading a page: facts from the scanner, the response and the stages, in one record. */
import type { Exact } from '../core/json/exact.js';
import type { Envelope, Revalidated } from '../core/model/page.js';
import type { Headers } from '../core/model/request.js';
import type { PathMiss } from '../core/util/suggest.js';
import type { ErrorInBody } from './error-in-body.js';
import type { PageFollowed } from './followed-walk.js';
import type { PageVerdict } from './judge-response.js';
import type { Rows } from './row-buffer.js';
import type { LocatedItems } from './scanner/items-locator.js';

/** The scanner's part of the result. */
export interface PageRead {
  readonly count: number;
  /** Bytes of the items as NDJSON. */
  readonly bytes: number;
  /** The kind of value at the data field; `no body`: the body was only white space. */
  readonly found: LocatedItems | 'no body';
  /** The position where the data field path failed. */
  readonly pathMiss: PathMiss;
  readonly envelope: Envelope;
  readonly chain: readonly bigint[];
  /** The digest of the items alone; undefined if pages are not compared, or without a body. */
  readonly itemsDigest: bigint | undefined;
  /** The page equals the previous one and was not delivered. */
  readonly repeated: boolean;
}

/**
 * The third state of a page, between its response and its receipt. All members are always present. `count` and `bytes`
 * cover the items that the sink accepted.
 */
export interface PageResult extends PageRead {
  /** Items of the response, including those that stages dropped, and all of a repeated page. */
  readonly received: number;
  /** Items dropped because of the item limit. */
  readonly cut: number;
  /** Bytes of the body as compact JSON; 0 if the paginator does not need it. */
  readonly volume: number;
  /** The folded value of the items of all pages so far. */
  readonly memo: Exact | undefined;
  /** The value that is followed from run to run; undefined: none is. */
  readonly followed: PageFollowed | undefined;
  /** The fields that children read; undefined: no children. The receiver must call `clear()`. */
  readonly rows: Rows | undefined;
  /** For a response without items at their place: nested lists in the first bytes of its body. */
  readonly lists: readonly string[];
  /** The address of the response after redirects, without user information and query. */
  readonly address: string;
  readonly headers: Headers;
  /** A successful response says that it failed; undefined: it does not. */
  readonly error: ErrorInBody | undefined;
  /** So many of its first items are the last ones of the page before it. */
  readonly shifted: number;
  /** It was requested with an overlap, and does not join the page before it. */
  readonly isApart: boolean;
  /** What a rule on responses makes of the page; undefined: none applies. */
  readonly verdict: PageVerdict | undefined;
  /** The status of the response says that there is no such page. */
  readonly isPastEnd: boolean;
  /** The response has a status that counts as a failure, or there was none, and it is a page all the same. */
  readonly isFailed: boolean;
  /** Its validators, or that it has not changed; undefined: its job does not ask, or it has none. */
  readonly revalidated: Revalidated | undefined;
  /** The digest of its items as the sink got them; undefined: it has none, or the run is not certified. */
  readonly sha256: string | undefined;
  /** The response is from the cache. */
  readonly isCached: boolean;
  /** Query parameters that the login added. */
  readonly loginNames: ReadonlySet<string>;
}

/** A result while the stages fill in their members. */
export type PageResultDraft = { -readonly [K in keyof PageResult]: PageResult[K] };
