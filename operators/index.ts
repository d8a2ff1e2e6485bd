/** The public names of `rxtract/operators`: RxJS operators that know nothing about HTTP. */
export { fromAbortable } from './from-abortable.js';
export { inTurn, inTurnBy, type Turn } from './in-turn.js';
export { type Limited, limited, type Rate, type Slot } from './limited.js';
export { pull } from './pull.js';
export { type Renewing, renewing } from './renewing.js';
export { retryTransient } from './retry-transient.js';
export { scroll } from './scroll.js';
export type { Leave } from './semaphore.js';
