/** The context of a pagination method that contains others: it creates them by the rules of the configuration. */
import type { Exact } from '../core/json/exact.js';
import type { Paginator } from './types.js';

export interface ScrollerNeeds {
  /**
   * Creates the paginator of an object such as `api.pagination`, at these steps below the method's own place. Returns
   * `undefined` after reporting problems.
   */
  make(value: Exact, ...steps: readonly (string | number)[]): Paginator | undefined;
  /** Reports a problem at these steps. */
  problem(message: string, ...steps: readonly (string | number)[]): void;
}
