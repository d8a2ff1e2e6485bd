/**
 * What `extract` gives: a configuration ready to run, its jobs, their receipts and items, and what is known of them on
 * the way.
 */
import type { Observable } from 'rxjs';
import type { ExactObject } from '../core/json/exact.js';
import type { Receipt } from '../core/model/page.js';
import type { Faces } from './consume/types.js';
import type { Summary } from './job-stats.js';

/** One top-level job of an extraction. Its faces give its items, and those of its children. */
export interface JobExtraction<Item = unknown> extends Faces<Item> {
  readonly name: string;
  readonly dataType: string;
  /** Walks this job alone into the sink; opening and closing the sink is then the subscriber's. */
  readonly receipts: Observable<Receipt>;
}

/**
 * Its faces give the items of all jobs; with them `to` is left out. `Item` is the caller's word: nothing is checked.
 */
export interface Extraction<Item = unknown> extends Faces<Item> {
  readonly jobs: readonly JobExtraction<Item>[];
  /** The job of that name, and what its items are. Throws ERR_USAGE where there is none. */
  job<Own extends Item = Item>(name: string): JobExtraction<Own>;
  /**
   * Runs all jobs, a receipt a page. Opens the sink before and closes it after; an error or unsubscribing aborts it.
   * Once only.
   */
  readonly receipts: Observable<Receipt>;
  /** Settles when the sink of `receipts` has been closed or aborted and nothing of it is under way any more. */
  readonly closed: Promise<void>;
  /**
   * Looks at what only loading can tell, still without a request: the private key of an `sshProxy` (ERR_CONFIG), and
   * whether `ssh2` is installed (the warning `missing-package`). A run finds it out by itself.
   */
  check(): Promise<void>;
  /**
   * No further page begins; settles when those under way are through and, where a state is kept, written down.
   * Unsubscribe then.
   */
  stop(): Promise<void>;
  /** What was done so far, all runs of faces together; at any time, also after an error. */
  summary(): Summary;
  /** The state for the next run, once this one has succeeded: an exact value, `stringifyExact` writes it. */
  readonly state: ExactObject;
  /** Hides all secrets that the extraction knows of. */
  mask(text: string): string;
}
