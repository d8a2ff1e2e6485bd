/** No pagination: one request a job. */
import type { Scroller } from '../types.js';
import { jobRequest } from './job-request.js';

/** What a job without a pagination method is walked with. */
export const none: Scroller = {
  captures: [],
  single: true,
  first: (job) => jobRequest(job),
  next: () => ({ stop: 'no pagination' }),
};
