/** A job after its expressions were evaluated. */
import type { ExactObject } from '../json/exact.js';
import type { Headers, Method } from './request.js';
import type { ResponseFormat } from './response-format.js';

/**
 * Where the items of a page are: found automatically, or at the segments of a path (no segments: the whole response).
 */
export type DataField =
  | { readonly kind: 'auto' }
  | { readonly kind: 'path'; readonly segments: readonly string[]; readonly text: string };

/** A job after its expressions were evaluated. `name` is unique within a run. */
export interface Job {
  readonly name: string;
  readonly endpoint: string;
  readonly method?: Method;
  readonly params: ExactObject;
  readonly headers: Headers;
  readonly dataField: DataField;
  readonly dataType: string;
  /** How responses are read; absent: guessed. */
  readonly response?: ResponseFormat;
  /** Members that are appended to each item; absent: none. */
  readonly columns?: ExactObject;
  /** The names that `each` and `windows` give values to: none of them is the position of a page. */
  readonly partition?: ReadonlySet<string>;
}
