/** The result of `extract`: a prepared configuration with its jobs, receipts, items and summary. */
import type { Observable } from 'rxjs';
import type { ExactObject } from '../core/json/exact.js';
import type { Receipt } from '../core/model/page.js';
import type { Consumers } from './consume/types.js';
import type { Summary } from './job-stats.js';
import type { RunProof } from './run-proof.js';

/** One top-level job of an extraction. Its consumers yield its items, and those of its children. */
export interface JobExtraction<Item = unknown> extends Consumers<Item> {
  readonly name: string;
  readonly dataType: string;
  /** Walks this job alone into the sink; the subscriber opens and closes the sink. */
  readonly receipts: Observable<Receipt>;
}

/**
 * Its consumers yield the items of all jobs, and need an extraction without `to` and `checkpoint`. `Item` is unchecked:
 * the caller vouches for it.
 */
export interface Extraction<Item = unknown> extends Consumers<Item> {
  readonly jobs: readonly JobExtraction<Item>[];
  /** The job of that name, with the type of its items. Throws ERR_USAGE if there is none. */
  job<Own extends Item = Item>(name: string): JobExtraction<Own>;
  /**
   * Runs all jobs, with a receipt for each page. Opens the sink before and closes it after; an error or unsubscribing
   * aborts it. Allows one subscription.
   */
  readonly receipts: Observable<Receipt>;
  /** Settles when the sink of `receipts` is closed or aborted and no work for it remains. */
  readonly closed: Promise<void>;
  /**
   * Checks what only loading can show, without a request: the private key of an `sshProxy` (ERR_CONFIG), and whether
   * `ssh2` is installed (the warning `missing-package`). A run checks it too.
   */
  check(): Promise<void>;
  /**
   * Lets no further page begin. Settles when active pages are complete and, if a state is kept, recorded. Unsubscribe
   * then.
   */
  stop(): Promise<void>;
  /** What was done so far, over all runs of consumers; available at any time, also after an error. */
  summary(): Summary;
  /** The state for the next run, to store after this one has succeeded: an exact value; `stringifyExact` writes it. */
  readonly state: ExactObject;
  /**
   * The document of the option `shape`; with `onDrift: 'evolve'` it has the shape of the items that differed too.
   * Undefined: there is no such option.
   */
  shape(): ExactObject | undefined;
  /** What a certificate says of the run so far. Undefined: the option `certify` is not set. */
  proof(): RunProof | undefined;
  /** Masks all secrets that the extraction knows. */
  mask(text: string): string;
}
