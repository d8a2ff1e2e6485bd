/** One step between the scanner and the sink. */
import type { Sink } from '../../sinks/contract.js';
import type { Exact } from '../core/json/exact.js';
import type { PageResultDraft } from './page-result.js';
import type { ProgressReporter } from './progress.js';
import type { Slab } from './scanner/scanner.js';
import type { ReplayGuard } from './stages/replay-guard.js';

/** Takes a slab. A promise only where something waits. */
export type Write = (slab: Slab) => void | Promise<void>;

/** One attempt at a page. */
export interface PageAttempt {
  /** Of the walk, from 0. */
  readonly page: number;
  /** What the scroller has folded the items of the pages before into. */
  readonly memo: Exact | undefined;
  /** The most items that the page may have; Infinity: all. */
  readonly room: number;
  readonly progress: ProgressReporter;
  readonly sink: Sink;
  /** Waits for the turn of a data type; call what it returns to pass the turn on. */
  readonly acquire: (dataType: string, signal: AbortSignal) => Promise<() => void>;
  readonly signal: AbortSignal;
  /** What a sink that cannot take back has of attempts before. */
  readonly delivered: ReplayGuard;
}

/**
 * One step between the scanner and the sink, made once a walk, which has one page under way at a time. `begin` resets
 * it. A stage has only the members that it needs, and returns a promise only where something waits.
 */
export interface PageStage {
  /** An attempt at a page begins: forgets the one before. */
  begin?(attempt: PageAttempt): void;
  /** The next bytes of the body, before they are scanned. */
  see?(chunk: Uint8Array): void;
  /** The next items. Hands to `next` what goes on; what it does not hand on is left out. */
  write?(slab: Slab, next: Write): void | Promise<void>;
  /** All items so far have been taken back from the sink, and those that follow begin the page anew. */
  rollback?(): void | Promise<void>;
  /** The page is whole: fills in its own members. */
  report?(result: PageResultDraft): void;
  /** The attempt has failed: gives back what was kept for its result. */
  discard?(): void | Promise<void>;
}
