/** The place of a page and of a batch among all that rxtract ever reads: what the identity of an item is made of. */

export interface PagePlace {
  /** Made by a fresh start, kept by its resumes: 16 characters. */
  readonly run: string;
  /** The walk within the run, such as `3` or `3/7.0.14.2`. */
  readonly walk: string;
  /** The page within the walk, from 0. */
  readonly page: number;
}

export interface BatchPlace extends PagePlace {
  /** The place of the first item of the batch among the items of the page that the sink gets, from 0. */
  readonly offset: number;
}
