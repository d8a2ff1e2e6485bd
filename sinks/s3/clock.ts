/** The time of a signature, in a file of its own: the package that has it is loaded with the first request. */
import { asyncScheduler } from 'rxjs';

/** In epoch ms. */
export const now = (): number => asyncScheduler.now();
