/** A job, its expressions evaluated. */
import type { ExactObject } from '../json/exact.js';
import type { Headers, Method } from './request.js';

/** Where the items of a page lie: the automatic search, or the segments of a path (none: the whole response). */
export type DataField =
  | { readonly kind: 'auto' }
  | { readonly kind: 'path'; readonly segments: readonly string[]; readonly text: string };

/** One job, its expressions evaluated. `name` is unique within a run. */
export interface Job {
  readonly name: string;
  readonly endpoint: string;
  readonly method?: Method;
  readonly params: ExactObject;
  readonly headers: Headers;
  readonly dataField: DataField;
  readonly dataType: string;
  /** Members that each item gets behind its own; absent: none. */
  readonly columns?: ExactObject;
  /** Pages with the items of others are no loop; absent: as its scroller has it. */
  readonly allowRepeatedItems?: boolean;
}
