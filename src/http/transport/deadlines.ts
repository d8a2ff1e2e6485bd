/** Deadlines of requests: one timer for all active ones. The clock of a request stops while its reader is busy. */
import { asyncScheduler, Subscription } from 'rxjs';
import { longestTimer } from '../../core/util/limits.js';

/** The clock of one request. */
export interface Deadline {
  /** When the time is over, in epoch ms; moves while the reader is busy. */
  dueAt: number;
  /** Since when the reader is busy, in epoch ms; undefined: idle. */
  busySince: number | undefined;
  readonly onDue: () => void;
}

export interface Deadlines {
  /** Starts a clock of `ms` milliseconds, at most the longest timer. */
  start(ms: number, onDue: () => void): Deadline;
  pause(deadline: Deadline): void;
  resume(deadline: Deadline): void;
  stop(deadline: Deadline): void;
  /** Stops the timer. */
  close(): void;
}

/** Creates deadlines on `asyncScheduler`. Keeps the timer when a request ends: the next one needs it. */
export function createDeadlines(): Deadlines {
  const active: Deadline[] = []; // few; a set would allocate with each deletion
  const stop = (deadline: Deadline) => {
    const at = active.indexOf(deadline);
    if (at >= 0) active.splice(at, 1);
  };
  let timer = Subscription.EMPTY;
  let firesAt = Number.POSITIVE_INFINITY;

  const arm = (dueAt: number) => {
    if (dueAt >= firesAt) return;
    timer.unsubscribe();
    firesAt = dueAt;
    timer = asyncScheduler.schedule(check, Math.max(0, dueAt - asyncScheduler.now()));
  };
  const check = () => {
    firesAt = Number.POSITIVE_INFINITY;
    const now = asyncScheduler.now();
    const running = active.filter(({ busySince }) => busySince === undefined);
    for (const deadline of running) {
      if (deadline.dueAt > now) continue;
      stop(deadline);
      deadline.onDue();
    }
    const next = Math.min(...running.filter((each) => active.includes(each)).map(({ dueAt }) => dueAt));
    if (next < Number.POSITIVE_INFINITY) arm(next);
  };

  return {
    start(ms, onDue) {
      const deadline = { dueAt: asyncScheduler.now() + Math.min(ms, longestTimer), busySince: undefined, onDue };
      active.push(deadline);
      arm(deadline.dueAt);
      return deadline;
    },
    pause(deadline) {
      deadline.busySince ??= asyncScheduler.now();
    },
    resume(deadline) {
      if (deadline.busySince === undefined) return;
      deadline.dueAt += Math.max(0, asyncScheduler.now() - deadline.busySince);
      deadline.busySince = undefined;
      if (active.includes(deadline)) arm(deadline.dueAt);
    },
    stop,
    close() {
      timer.unsubscribe();
      firesAt = Number.POSITIVE_INFINITY;
    },
  };
}
