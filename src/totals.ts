/** What a run adds up to, a line a job: the summary. */
import type { Receipt, SinkOutput } from './types.js';

/** One job's share of a run. `stop` is the reason it ended, in plain words. */
export interface JobSummary {
  readonly job: string;
  readonly dataType: string;
  readonly requests: number;
  readonly pages: number;
  readonly items: number;
  readonly bytes: number;
  readonly retries: number;
  readonly stop: string;
}

export interface Summary {
  readonly jobs: readonly JobSummary[];
  readonly outputs: readonly SinkOutput[];
}

/** What was asked of the API. */
export type Spent = Pick<JobSummary, 'requests' | 'retries'>;

export interface Totals {
  start(job: string): void;
  add(receipt: Receipt): void;
  /** What a page cost that came to no receipt. */
  lose(job: string, spent: Spent): void;
  /** Every job that was running, or each of those named, has ended for this reason. */
  halt(reason: string, jobs?: readonly string[]): void;
  jobs(): readonly JobSummary[];
}

/** Starts with every job 'not started'. */
export function createTotals(jobs: readonly { readonly name: string; readonly dataType: string }[]): Totals {
  const rows = new Map<string, JobSummary>();
  for (const { name, dataType } of jobs) {
    rows.set(name, { job: name, dataType, requests: 0, pages: 0, items: 0, bytes: 0, retries: 0, stop: 'not started' });
  }
  const change = (job: string, edit: (row: JobSummary) => JobSummary) => {
    const row = rows.get(job);
    if (row !== undefined) rows.set(job, edit(row));
  };

  return {
    start(job) {
      change(job, (row) => ({ ...row, stop: 'running' }));
    },
    add({ job, requests, delivered, count, bytes, retries, stop }) {
      change(job, (row) => ({
        ...row,
        requests: row.requests + requests,
        pages: row.pages + (delivered ? 1 : 0),
        items: row.items + count,
        bytes: row.bytes + bytes,
        retries: row.retries + retries,
        stop: stop ?? row.stop,
      }));
    },
    lose(job, { requests, retries }) {
      change(job, (row) => ({ ...row, requests: row.requests + requests, retries: row.retries + retries }));
    },
    halt(reason, jobs = [...rows.keys()]) {
      for (const { job, stop } of rows.values())
        if (stop === 'running' && jobs.includes(job)) change(job, (row) => ({ ...row, stop: reason }));
    },
    jobs() {
      return [...rows.values()];
    },
  };
}
