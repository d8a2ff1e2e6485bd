/** A page that was read, and its receipt. */
import type { ErrorCode } from '../errors/error-codes.js';
import type { Exact, ExactObject } from '../json/exact.js';
import type { Headers, PageRequest } from './request.js';

/**
 * A value that pagination named, read from a page. If the path ended early, `beside` are the member names found there,
 * after `depth` segments.
 */
export interface Captured {
  readonly value: Exact | undefined;
  readonly depth?: number;
  readonly beside: readonly string[];
}

/** Captured values, by the path text in `captures` of the paginator. */
export type Envelope = ReadonlyMap<string, Captured>;

/** A page that the sink has accepted. `index` counts from 0; `count` is the number of items. Plain data. */
export interface Page extends WalkTotals {
  readonly request: PageRequest;
  readonly index: number;
  readonly count: number;
  /** Items in the response, including those that the paginator left out, and all items of a repeated page. */
  readonly received: number;
  readonly envelope: Envelope;
  /** The URL that responded, after redirects, without user information and query. */
  readonly address: string;
  /** The response headers that the paginator named, and those that show whether more data follows, in lower case. */
  readonly headers: Headers;
  /** When the sink had accepted the page, in epoch ms. */
  readonly takenAt: number;
}

/** Totals of a walk, including the last page. */
export interface WalkTotals {
  /** When the first request was prepared, in epoch ms. */
  readonly startedAt: number;
  readonly items: number;
  /** Bytes of the responses as compact JSON with `\/` and `\uXXXX`; 0 unless the paginator asks for it. */
  readonly volume: number;
  /** The value that the paginator folds items into. */
  readonly memo?: Exact;
}

export interface CapturePath {
  /** Name of the value in the envelope. */
  readonly text: string;
  readonly segments: readonly string[];
  /** Only the kind of a list or an object is captured: it becomes an empty one. */
  readonly shallow?: true;
  /** Only values are captured: the envelope has no entry for a missing value, or one that is too large. */
  readonly silent?: true;
  /** For the names beside a missing value: the envelope has an entry for it only if the first segment was found. */
  readonly within?: true;
  /** The value is an object with those members at the path that are numbers, at most 64. */
  readonly figures?: true;
}

/** What makes a request conditional, as the API sent it. RFC 9110 8.8. */
export interface Validators {
  readonly etag?: string;
  readonly lastModified?: string;
}

/** A response of a job that asks again only for what has changed. */
export interface Revalidated {
  /** Names its request. */
  readonly key: string;
  readonly validators: Validators;
  /** It has not changed since an earlier run: what the walk needs of its page. Absent: its body has that. */
  readonly facts?: ExactObject;
}

/** A page of an earlier run. */
export interface KnownPage {
  readonly validators: Validators;
  /** What the walk needs of it in place of its body. */
  readonly facts: ExactObject;
}

/** The pages of a walk that an earlier run has had, by the key of their request. */
export interface KnownPages {
  find(key: string): KnownPage | undefined;
}

/** A request that failed and was left out. */
export interface FailedRequest {
  readonly code: ErrorCode;
  /** Absent: a rule said that the response is a failure. */
  readonly status?: number;
  /** The index of its page, from 0. */
  readonly page: number;
  /** Masked. */
  readonly request: string;
  /** It is a dead letter. */
  readonly letter?: true;
}

/** How the end of a walk is known. `limit of the run`: a bound such as `maxPages` has ended it. */
export const knownEnds = [
  'one request',
  'short page',
  'empty page',
  'status past the end',
  'no next link',
  'no next value',
  'flag',
  'repeated page',
  'repeated items',
  'recent link',
  'rule',
  'limit stop',
  'force stop',
  'limit of the run',
  'failed request',
] as const;

export type KnownEnd = (typeof knownEnds)[number];

/** The number of items that the API states for a walk, and where it does. */
export interface StatedTotal {
  readonly items: number;
  /** A path into the response, or `header NAME`. */
  readonly at: string;
  /** On the first page, if it has changed since. */
  readonly first?: number;
  /** There may be more. */
  readonly isLeast?: true;
  /** Whether the walk has as many items. Absent: it has not come to its own end. */
  readonly agrees?: boolean;
}

/** What a certificate says of a page, without a secret. */
export interface PageProof {
  /** The name of its walk within the run. */
  readonly walk: string;
  /** SHA-256 of its items as NDJSON, in hexadecimal digits; absent: the page has none. */
  readonly sha256?: string;
  /** Of the first page of a walk: its request. */
  readonly asked?: string;
  /** Of the first and the last page of a walk; absent: the API states none. */
  readonly total?: StatedTotal;
  /** Of the last page of a walk. */
  readonly end?: { readonly by: KnownEnd; readonly reason: string };
}

/** A page of a run that is certified: its proof, and its place and size. */
export interface ProvenPage extends PageProof {
  readonly job: string;
  /** Of its walk, from 0. */
  readonly index: number;
  readonly items: number;
  /** Of the items as NDJSON. */
  readonly bytes: number;
}

/**
 * Acknowledges one page: its sink has accepted it. It carries progress and checkpoint. The last batch may still be in
 * flight; if it fails, the run fails before anything is published. Only `durable` of the sink says that data is safe.
 * `bytes` are those of the items. Without `next` the walk has ended, and `stop` says why.
 */
export interface Receipt {
  readonly job: string;
  readonly dataType: string;
  readonly index: number;
  readonly count: number;
  readonly bytes: number;
  /** False: the page repeated the one before it and was not delivered. */
  readonly delivered: boolean;
  /** There was no list where items belong, at `dataField` or by search; an empty list counts as one. */
  readonly unfound?: true;
  /** It had no items, and said that the request failed. */
  readonly failed?: true;
  /** Its request failed and was left out, as `onError` says. */
  readonly skipped?: FailedRequest;
  /** Requests for this page, including logins and retries. */
  readonly requests: number;
  readonly retries: number;
  /** It came from the cache; only logins and earlier attempts sent requests. */
  readonly cached?: true;
  /** The API says that it has not changed since an earlier run: it has no items. */
  readonly unchanged?: true;
  /** In a run that is certified. */
  readonly proof?: PageProof;
  readonly next?: PageRequest;
  readonly stop?: string;
  /** A limit of the run ended the walk early: items may be missing. */
  readonly bounded?: true;
}
