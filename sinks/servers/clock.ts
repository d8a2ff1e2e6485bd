/** The time of signatures and ends of runs, in a file of its own: its package is loaded with the first request. */
import { asyncScheduler } from 'rxjs';

/** In epoch ms. */
export const now = (): number => asyncScheduler.now();
