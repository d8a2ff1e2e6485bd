/** What a pagination method that holds others is handed: a way to make them, by the configuration's own rules. */
import type { Exact } from '../core/json/exact.js';
import type { Paginator } from './types.js';

export interface ScrollerNeeds {
  /**
   * Makes the scroller of an object like `api.pagination`, at these steps below the method's own; `undefined`: there
   * are faults, and they were told.
   */
  make(value: Exact, ...steps: readonly (string | number)[]): Paginator | undefined;
  /** Tells of a fault at these steps. */
  problem(message: string, ...steps: readonly (string | number)[]): void;
}
