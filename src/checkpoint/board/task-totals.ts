/** The counts of a task while it is walked: what a run has come to is their sum over its tasks. */
import { type JobStats, noStats, withPage } from '../../core/model/job-stats.js';
import type { StateRecord } from '../records.js';

/** What a job has come to so far. */
export interface JobTotals extends Pick<JobStats, 'requests' | 'pages' | 'items' | 'bytes' | 'retries'> {
  /** Its number. */
  readonly job: number;
}

export interface TaskTotals {
  /** Applies the next record. */
  take(record: StateRecord): void;
  all(): readonly JobTotals[];
}

export function createTaskTotals(): TaskTotals {
  const shares = new Map<number, JobStats>();
  return {
    take(record) {
      if (record.type === 'page') {
        const { took } = record;
        shares.set(took.job, withPage(shares.get(took.job) ?? noStats, took));
      } else if (record.type === 'snapshot') {
        shares.clear();
        for (const [job, share] of record.shares) shares.set(job, share);
      }
    },
    all: () =>
      [...shares].map(([job, { requests, pages, items, bytes, retries }]) => ({
        job,
        requests,
        pages,
        items,
        bytes,
        retries,
      })),
  };
}
