/** A walk that a run takes again, because a request of it has failed in an earlier one. */
import type { WalkPosition } from '../../checkpoint/walk-positions.js';
import type { Row } from '../../config/children/row.js';
import type { JobConfig } from '../../config/config.js';
import type { PlaceholderBindings } from '../../job/instances.js';

/** A walk that is taken again. */
export interface FailedWalk {
  readonly config: JobConfig;
  readonly instance: PlaceholderBindings;
  readonly ancestors: readonly Row[];
  /** Where it begins. */
  readonly position: WalkPosition;
}

/** The walks that a run takes again, by top-level job. */
export interface FailedWalks {
  of(top: string): readonly FailedWalk[];
  /** Whether the job is taken again, or is below one that is. */
  includes(job: JobConfig): boolean;
}
