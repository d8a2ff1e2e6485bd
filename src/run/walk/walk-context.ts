/** The task of one walk, and what all walks of a run share. */
import type { Turn } from '../../../operators/in-turn.js';
import type { RowPlace } from '../../checkpoint/records.js';
import type { WalkPosition } from '../../checkpoint/walk-positions.js';
import type { Row } from '../../config/children/row.js';
import type { JobConfig } from '../../config/config.js';
import type { Window } from '../../config/partition/window-range.js';
import type { ApiClient } from '../../http/api-client.js';
import type { JobWatch } from '../../http/observer.js';
import type { PlaceholderBindings } from '../../job/instances.js';
import type { StatsRecorder } from '../job-stats.js';
import type { RunContext } from '../run-context.js';
import type { BufferBudget } from './page-buffer.js';
import type { PageJudge } from './page-context.js';
import type { TargetSource } from './page-target.js';
import { limitNotice, type RunLimits } from './run-limits.js';

/** What all walks of a run share. */
export interface RunScope {
  readonly context: RunContext;
  readonly client: ApiClient;
  readonly totals: Pick<
    StatsRecorder,
    'start' | 'spend' | 'add' | 'end' | 'bound' | 'isBounded' | 'leaveOut' | 'missPlace' | 'missingPlace' | 'halt'
  >;
  /** Numbers of the top-level jobs, counted through all iterations. */
  readonly numberOf: (job: JobConfig) => number;
  /** How many walks run concurrently: jobs, and children of one page. */
  readonly atOnce: number;
  /** Limits the requests in flight. */
  readonly slot: Turn;
  readonly budget: BufferBudget;
  readonly bounds: RunLimits;
}

/** The task of one walk. */
export interface WalkTask {
  readonly config: JobConfig;
  readonly output: TargetSource;
  /** The values of its placeholders. */
  readonly instance: PlaceholderBindings;
  /** The rows above it, that of the direct parent first. */
  readonly ancestors: readonly Row[];
  /** Its top-level job, and the path from there. */
  readonly top: string;
  readonly at: readonly RowPlace[];
  /** Its name within the run: the number of the top-level job, and the path from there. */
  readonly name: string;
  /** Its window; absent: its job has none. */
  readonly window?: Window | undefined;
  /** Gets the evidence of each page in place of its warnings; absent: they are given. */
  readonly judge?: PageJudge | undefined;
  /** What is above it is not in the journal: rows below it cannot be tasks of other processes. */
  readonly staysHere?: boolean | undefined;
  /** Follows its job; absent: nothing does. */
  readonly watch?: JobWatch | undefined;
  /** Its position in an earlier run. */
  readonly resumed?: WalkPosition | undefined;
}

/** Whether a limit stops further walks of the job; reports it then. */
export function isBounded({ context, bounds, totals }: RunScope, { name }: JobConfig): boolean {
  const reason = bounds.reached(name);
  if (reason === undefined) return false;
  totals.bound(name, reason);
  context.notify(limitNotice(name, reason));
  return true;
}
