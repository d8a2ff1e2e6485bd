/** What the steps of a page share: the settings of its walk, and its outcome. */
import type { Turn } from '../../../operators/in-turn.js';
import type { PageSummary } from '../../checkpoint/page-record.js';
import type { StoredReached } from '../../checkpoint/records.js';
import type { RequestCost } from '../../core/model/job-stats.js';
import type { Notice } from '../../core/model/notice.js';
import type { KnownPages, Receipt } from '../../core/model/page.js';
import type { ApiClient } from '../../http/api-client.js';
import type { EvaluatedJob } from '../../job/evaluate-job.js';
import type { PlaceholderBindings } from '../../job/instances.js';
import type { ResponseRule } from '../../language/condition/response-rule.js';
import type { PageTask } from '../../page/page-task.js';
import type { Rows, RowsOptions } from '../../page/row-buffer.js';
import type { Repeats } from '../../pagination/repeats.js';
import type { WalkEvidence } from '../../pagination/truncation/walk-evidence.js';
import type { Paginator } from '../../pagination/types.js';
import type { WalkIncrement } from '../incremental-run.js';
import type { RunContext } from '../run-context.js';
import type { RepeatRule } from './page-repeats.js';
import type { TargetSource } from './page-target.js';
import type { PageWatches } from './page-watches.js';
import type { RunLimits } from './run-limits.js';
import type { ValidatedPage } from './unchanged-page.js';

/** A completed page, the next task, and the rows for child jobs, if there are any. */
export interface PageOutcome {
  readonly receipt: Receipt;
  readonly next: PageTask | undefined;
  /** The receiver must call `clear()`. */
  readonly rows: Rows | undefined;
  /** For the journal. */
  readonly fingerprint: bigint;
  /** What the page has reached of the value that the job remembers. */
  readonly reached?: StoredReached | undefined;
  /** The next run can ask whether the page has changed. */
  readonly validated?: ValidatedPage | undefined;
  readonly loginNames: ReadonlySet<string>;
  /** The request of the page failed and was left out. */
  readonly failed?: PageTask;
  /** The page is not in the journal: it contains a secret that is never stored. */
  readonly isWithheld?: boolean;
}

/** What the pages of a walk up to here say about missing items; `seen`: undefined before the first one that counts. */
export interface PageEvidence {
  readonly seen: WalkEvidence | undefined;
  /** Of the walk. */
  readonly items: number;
  /** Warnings about the last page. */
  readonly alarms: readonly Notice[];
}

export type PageJudge = (page: PageEvidence) => void;

/** The settings of a walk: its job, and the target of its pages. */
export interface WalkSettings {
  readonly context: RunContext;
  readonly client: ApiClient;
  readonly job: EvaluatedJob;
  /** Rules on responses, the first of which counts. */
  readonly rules: readonly ResponseRule[];
  /** The name of the walk within the run. */
  readonly walk: string;
  /** The number of its top-level job. */
  readonly lane: string;
  /** What its parents gave it. */
  readonly placeholders: PlaceholderBindings;
  /** Adds what the journal needs of a page. */
  readonly toSummary: (outcome: PageOutcome) => PageSummary;
  readonly output: TargetSource;
  /** Limits the requests in flight. */
  readonly slot: Turn;
  /** What child jobs read in the items; undefined: there are none. */
  readonly rows: RowsOptions | undefined;
  readonly bounds: RunLimits;
  /** What the job remembers from run to run; undefined: nothing. */
  readonly increment: WalkIncrement | undefined;
  /** Pages that an earlier run has had; undefined: the job does not ask whether they have changed. */
  readonly known: KnownPages | undefined;
  /** The job is walked for a row of another job. */
  readonly isChild: boolean;
  /** Absent: warnings about missing items are given at once. */
  readonly judge: PageJudge | undefined;
  /** Called with what a page has instead of a place for items; no page of the job may have one. */
  readonly miss: (notice: Notice) => void;
  /** Called with the cost of a page that ended without a receipt. */
  readonly lose: (spent: RequestCost) => void;
  /** Follows its pages; undefined: nothing does. */
  readonly watches: PageWatches | undefined;
}

/** One walk: its settings, its paginator, and the pages that it has seen. */
export interface WalkContext extends WalkSettings {
  readonly paginator: Paginator;
  /** Undefined: the walk has one page. */
  readonly repeats: Repeats | undefined;
  readonly repeatRule: RepeatRule;
  /** Pages that rules left out in a row. */
  readonly skips: SkipCount;
}

/** Changed in place. */
export interface SkipCount {
  inARow: number;
}
