/** What the steps of a page share: the settings of its walk, and what came of it. */
import type { Turn } from '../../operators/in-turn.js';
import type { PageSummary } from '../checkpoint/page-record.js';
import type { Job } from '../core/model/job.js';
import type { RequestCost } from '../core/model/job-stats.js';
import type { Receipt } from '../core/model/page.js';
import type { ApiClient } from '../http/api-client.js';
import type { PageTask } from '../page/page-task.js';
import type { Rows, RowsOptions } from '../page/row-buffer.js';
import type { Repeats } from '../pagination/repeats.js';
import type { Paginator } from '../pagination/types.js';
import type { RunContext } from './engine.js';
import type { RunLimits } from './limits.js';
import type { TargetSource } from './page-target.js';
import type { RepeatRule } from './repeats.js';

/** A page that was taken, the visit that follows, and the rows for the children of the job, where there are both. */
export interface PageOutcome {
  readonly receipt: Receipt;
  readonly next: PageTask | undefined;
  /** The receiver must call `clear()`. */
  readonly rows: Rows | undefined;
  /** For the journal. */
  readonly fingerprint: bigint;
  readonly loginNames: ReadonlySet<string>;
}

/** What is visited: a job as it begins, and where its pages go. */
export interface WalkSettings {
  readonly engine: RunContext;
  readonly client: ApiClient;
  readonly job: Job;
  /** The name of the walk within the run. */
  readonly walk: string;
  /** The number of the top-level job that it belongs to. */
  readonly lane: string;
  /** What the journal needs of a page that was read, besides its outcome. */
  readonly toSummary: (outcome: PageOutcome) => PageSummary;
  readonly output: TargetSource;
  /** Bounds the requests in flight. */
  readonly slot: Turn;
  /** What children read of the items; absent: there are none. */
  readonly rows: RowsOptions | undefined;
  readonly bounds: RunLimits;
  /** The job is walked for a row of another. */
  readonly isChild: boolean;
  /** Hears what a visit had spent that ended without a receipt. */
  readonly lose: (spent: RequestCost) => void;
}

/** One walk: a job, how it is scrolled, and what it has seen. */
export interface WalkContext extends WalkSettings {
  readonly scroller: Paginator;
  readonly repeats: Repeats;
  readonly repeatRule: RepeatRule;
}
