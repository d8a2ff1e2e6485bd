/** What the key `incremental` of a job says. docs/13-second-run.md. */
import type { ExactNumber } from '../core/json/exact.js';
import type { Distance } from './distance.js';
import type { ValueOrder } from './ordered-value.js';

/** Where the value is: in each item, in each response, or in a header of each response. */
export type ValueSource =
  | { readonly kind: 'path'; readonly text: string; readonly segments: readonly string[] }
  | { readonly kind: 'response'; readonly text: string; readonly segments: readonly string[] }
  | { readonly kind: 'header'; readonly text: string };

export interface IncrementalConfig {
  readonly source: ValueSource;
  /** The parameter of requests that has the value; absent: an expression, or the endpoint, has it. */
  readonly param?: string;
  /** The parameter that has the upper end of a backfill. */
  readonly until?: string;
  /** The value of the first run. */
  readonly initial?: string | ExactNumber;
  readonly lookback?: Distance;
  readonly lag?: Distance;
  /** Items come in ascending order: the value may advance before the walk is complete. */
  readonly isAscending: boolean;
  readonly compare?: ValueOrder;
  /** Placeholders whose values name the parent of a child job; absent: all of them. */
  readonly by?: readonly string[];
  /** After this time without its parent, a value is forgotten, in ms. */
  readonly forgetAfter: number;
}
