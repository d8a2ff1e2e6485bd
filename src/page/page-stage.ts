/** The interface of a stage between the scanner and the sink. */
import type { Sink } from '../../sinks/contract.js';
import type { Exact } from '../core/json/exact.js';
import type { PageResultDraft } from './page-result.js';
import type { ProgressReporter } from './progress.js';
import type { Slab } from './scanner/scanner.js';
import type { ReplayGuard } from './stages/replay-guard.js';

/** Accepts a slab; keeps lent memory only if it retains it. Returns a promise only if something waits. */
export type Write = (slab: Slab) => void | Promise<void>;

/** One attempt at a page. */
export interface PageAttempt {
  /** The page index in the walk, from 0. */
  readonly page: number;
  /** The folded value of the items of earlier pages. */
  readonly memo: Exact | undefined;
  /** The most items of the page; Infinity: no limit. */
  readonly room: number;
  readonly progress: ProgressReporter;
  readonly sink: Sink;
  /** Waits for the turn of a data type; the result releases it. Returns a promise only if something waits. */
  readonly acquire: (dataType: string, signal: AbortSignal) => (() => void) | Promise<() => void>;
  readonly signal: AbortSignal;
  /** The items that earlier attempts delivered to a sink without rollback. */
  readonly delivered: ReplayGuard;
}

/**
 * One stage between the scanner and the sink, created once per walk; a walk has one active page at a time. `begin`
 * resets the stage. A stage has only the members that it needs, and returns a promise only if something waits.
 */
export interface PageStage {
  /** Starts an attempt at a page and drops the state of the previous one. */
  begin?(attempt: PageAttempt): void;
  /** Receives the next bytes of the body, before they are scanned. */
  see?(chunk: Uint8Array): void;
  /** Receives the next items and passes on those to keep through `next`. */
  write?(slab: Slab, next: Write): void | Promise<void>;
  /** The sink has rolled back all items so far; the next items start the page again. */
  rollback?(): void | Promise<void>;
  /** The page is complete: fills in the members of this stage. */
  report?(result: PageResultDraft): void;
  /** The attempt failed: releases data kept for its result. */
  discard?(): void | Promise<void>;
}
