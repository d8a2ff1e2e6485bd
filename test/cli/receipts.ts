import type { Receipt } from '../../src/core/model/page.js';
import type { Summary } from '../../src/run/job-stats.js';

/** A page of 1,000 items that was taken. */
export const receiptOf = (index: number, more: Partial<Receipt> = {}): Receipt => ({
  job: 'users',
  dataType: 'users',
  index,
  count: 1000,
  bytes: 340_000,
  delivered: true,
  requests: 1,
  retries: 0,
  ...more,
});

/** One job and one file. */
export const summaryOf = (stop: string): Summary => ({
  ran: true,
  jobs: [{ job: 'users', dataType: 'users', requests: 3, pages: 2, items: 2000, bytes: 680_000, retries: 1, stop }],
  outputs: [{ dataType: 'users', name: 'out/users.ndjson', items: 2000, bytes: 680_000 }],
});
