/**
 * Time that exchanges and waits alone move. A recorded run and its replay see the same times, so they make the same
 * requests; in a replay a wait costs nothing. docs/decisions/034.
 */
import { asyncScheduler, type SchedulerAction, type Subscription, VirtualTimeScheduler } from 'rxjs';

/** The clock of a recorded run: `asyncScheduler` until it is stopped. */
export interface RecordingClock {
  /** Moves the time to that of the system. Returns it in epoch ms. */
  tick(): number;
  stop(): void;
}

/** The clock of a replay: `asyncScheduler` until it is stopped. */
export interface ReplayClock {
  /** Moves the time forward to `at`, in epoch ms. */
  moveTo(at: number): void;
  /** Resolves when the time is `at`, in epoch ms. */
  reach(at: number): Promise<void>;
  /** Time stands still until the result is called. */
  hold(): () => void;
  stop(): void;
}

type Work<T> = (this: SchedulerAction<T>, state?: T) => void;
type Schedule = <T>(work: Work<T>, delay?: number, state?: T) => Subscription;

/** Most ms that the time may be late: a sink that writes for minutes must not outdate a signature. */
const mostLate = 1000;

/** Starts a clock that shows the time of the last exchange or wait, or at least of a second ago. */
export function startRecordingClock(): RecordingClock {
  const { now } = asyncScheduler;
  const schedule: Schedule = asyncScheduler.schedule.bind(asyncScheduler);
  let at = now();
  const tick = () => {
    at = Math.max(at, now());
    return at;
  };
  const read = () => (now() - at > mostLate ? tick() : at);
  const restore = replaceScheduler(read, (work, delay = 0, state) => {
    const due = read() + delay;
    const later: typeof work = function (each) {
      at = Math.max(at, due);
      work.call(this, each);
    };
    return schedule(later, delay, state);
  });
  return { tick, stop: restore };
}

/** How much shorter the waits of a rehearsal are. */
export const shortening = 50;

/**
 * Starts a clock at `startedAt`, in epoch ms, for a run over real connections whose waits are shorter than they say: a
 * wait takes a part of its time, and then all of it has passed.
 */
export function startShortClock(startedAt: number): Pick<RecordingClock, 'stop'> {
  const { now: real } = asyncScheduler;
  const schedule: Schedule = asyncScheduler.schedule.bind(asyncScheduler);
  let ahead = startedAt - real();
  const now = () => real() + ahead;
  const restore = replaceScheduler(now, (work, delay = 0, state) => {
    const due = now() + delay;
    const later: typeof work = function (each) {
      ahead += Math.max(0, due - now());
      work.call(this, each);
    };
    return schedule(later, delay / shortening, state);
  });
  return { stop: restore };
}

/** How many turns of the event loop without any change count as a pause, in which time may pass. */
const turnsOfPause = 4;

/** Starts a clock at `startedAt`, in epoch ms. It moves to the next wait when the process has nothing else to do. */
export function startReplayClock(startedAt: number): ReplayClock {
  const time = new VirtualTimeScheduler();
  time.frame = startedAt;
  let [floor, holds, changes, isWatching] = [startedAt, 0, 0, false];
  const now = () => Math.max(floor, time.frame); // a wait may end before the time of an exchange
  const watch = (seen: number, left: number): void => {
    setImmediate(() => {
      isWatching = holds === 0 && waiting(time) !== undefined;
      if (!isWatching) return;
      if (changes !== seen || left > 0) watch(changes, changes === seen ? left - 1 : turnsOfPause);
      else {
        isWatching = false;
        time.maxFrames = waiting(time) ?? 0;
        time.flush();
        change();
      }
    });
  };
  const change = () => {
    changes += 1;
    if (isWatching) return;
    isWatching = true;
    watch(changes, turnsOfPause);
  };
  const schedule: Schedule = (work, delay = 0, state) => {
    change();
    return time.schedule(work, now() - time.frame + delay, state);
  };
  return {
    moveTo(at) {
      floor = Math.max(floor, at);
      change();
    },
    reach: (at) => new Promise((resolve) => schedule(() => resolve(), Math.max(0, at - now()))),
    hold() {
      holds += 1;
      return () => {
        holds -= 1;
        change();
      };
    },
    stop: replaceScheduler(now, schedule),
  };
}

/** When the next wait ends; undefined: nothing waits. */
const waiting = ({ actions: [next] }: VirtualTimeScheduler): number | undefined => next?.delay;

/** Gives `asyncScheduler`, the clock of the engine, another time. Returns a function that restores it. */
function replaceScheduler(now: () => number, schedule: Schedule): () => void {
  const { now: before } = asyncScheduler;
  Object.assign(asyncScheduler, { now, schedule });
  return () => {
    Object.assign(asyncScheduler, { now: before });
    Reflect.deleteProperty(asyncScheduler, 'schedule'); // that of its class remains
  };
}
