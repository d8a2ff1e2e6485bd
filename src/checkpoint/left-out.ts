/** The requests of a run that failed and were left out, by top-level job. */
import type { LaneFailure, PageDraft } from './records.js';

export interface LeftOut {
  take(page: Pick<PageDraft, 'job' | 'took' | 'again'>): void;
  /** Those of a lane, with that of a page that follows. */
  after(page: Pick<PageDraft, 'job' | 'took' | 'again'>): readonly LaneFailure[];
  /** Replaces those of a lane. */
  setLane(lane: number, failures: readonly LaneFailure[]): void;
  all(): readonly LaneFailure[];
  restore(all: readonly LaneFailure[]): void;
}

/** Of more, only their number is known. */
const mostKept = 10_000;

/** Starts empty. */
export function createLeftOut(): LeftOut {
  let failures: LaneFailure[] = [];
  const of = ({ job, took, again }: Pick<PageDraft, 'job' | 'took' | 'again'>): readonly LaneFailure[] =>
    took.skipped === undefined
      ? []
      : [[job, took.job, again === undefined ? took.skipped : { ...took.skipped, again }] as const];
  return {
    take(page) {
      if (page.took.skipped !== undefined && failures.length < mostKept) failures.push(...of(page));
    },
    after: (page) => [...failures.filter(([lane]) => lane === page.job), ...of(page)],
    setLane(lane, own) {
      failures = [...failures.filter(([each]) => each !== lane), ...own];
    },
    all: () => failures,
    restore(all) {
      failures = [...all];
    },
  };
}
