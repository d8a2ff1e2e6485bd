/** A page that was read, and its receipt. */
import type { Exact } from '../json/exact.js';
import type { Headers, PageRequest } from './request.js';

/**
 * One value that pagination named, read from a page. `beside` are the member names where the path stopped leading on,
 * behind `depth` segments.
 */
export interface Captured {
  readonly value: Exact | undefined;
  readonly depth?: number;
  readonly beside: readonly string[];
}

/** Captured values by the path text that the scroller gave in `captures`. */
export type Envelope = ReadonlyMap<string, Captured>;

/**
 * A page that has been taken by the sink. `index` counts from 0; `count` is the number of items. Pure data, as all that
 * a walk knows.
 */
export interface Page extends WalkTotals {
  readonly request: PageRequest;
  readonly index: number;
  readonly count: number;
  /** Items of the response: also those that the scroller left out, and all of a page that repeats the one before it. */
  readonly received: number;
  readonly envelope: Envelope;
  /** The address that answered, redirects followed, without user information and query. */
  readonly address: string;
  /** The response headers that the scroller named, and those that tell whether the data goes on, in lower case. */
  readonly headers: Headers;
  /** When the page had been taken, in epoch ms. */
  readonly takenAt: number;
}

/** What a walk adds up to, the last page included. */
export interface WalkTotals {
  /** When the first request was prepared, in epoch ms. */
  readonly startedAt: number;
  readonly items: number;
  /** Bytes of the responses as compact JSON with `\/` and `\uXXXX`; counted where the scroller asks for it, else 0. */
  readonly volume: number;
  /** What the scroller has folded the items into. */
  readonly memo?: Exact;
}

export interface CapturePath {
  /** Names the value in the envelope. */
  readonly text: string;
  readonly segments: readonly string[];
  /** Of a list or an object only its kind counts: it is captured as an empty one, however large it is. */
  readonly shallow?: true;
  /** Only a value is told; of one that is missing, or too large to be captured, nothing stands in the envelope. */
  readonly silent?: true;
}

/**
 * Acknowledgement, progress and checkpoint of one page: its sink has taken it, and answers for it. Its last batch may
 * still be on its way; where that does not arrive, the run fails before anything is published. Only `durable` of the
 * sink says that it is safe. `bytes` are those of its items. Without `next` the walk has ended, for the reason in
 * `stop`.
 */
export interface Receipt {
  readonly job: string;
  readonly dataType: string;
  readonly index: number;
  readonly count: number;
  readonly bytes: number;
  /** False: the page repeated the one before it and was not delivered. */
  readonly delivered: boolean;
  /** There was nothing where its items belong, at `dataField` or as a list, not even an empty one. */
  readonly unfound?: true;
  /** Requests this page took, login requests and retries included. */
  readonly requests: number;
  readonly retries: number;
  /** It came from the cache, where nothing is requested but logins and what the page took before. */
  readonly cached?: true;
  readonly next?: PageRequest;
  readonly stop?: string;
  /** A bound of the run ended the walk before its own end: items may be missing. */
  readonly bounded?: true;
}
