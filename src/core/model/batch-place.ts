/** The place of a page and of a batch: run, walk and page, which identify an item. */

export interface PagePlace {
  /** Created by a fresh start and kept when it is resumed: 16 characters. */
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
