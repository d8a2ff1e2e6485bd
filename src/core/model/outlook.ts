/** What is left of a job: plain data for displays. */

/** What is left of a top-level job after a page: an estimate, as totals change and conditions may end it sooner. */
export interface Outlook {
  readonly job: string;
  /** The index of the page, from 0. */
  readonly index: number;
  /** Items of the job so far, this page included. */
  readonly items: number;
  /** Infinity: not known. */
  readonly itemsLeft: number;
  /** Infinity: not known. */
  readonly pagesLeft: number;
}

/** Called after each page of a top-level job. Must not throw. */
export type OnOutlook = (outlook: Outlook) => void;
