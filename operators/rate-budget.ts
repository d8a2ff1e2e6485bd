/**
 * The places under `limited`: what its rates and a word from outside leave, and the slots that are taken of it. It
 * stands alone because it knows of nobody who waits.
 */
import { asyncScheduler } from 'rxjs';
import { createWindowLog, type Rate } from './window-log.js';

/**
 * A place that was taken: it counts from now on, and ages once its owner has begun. The first call counts, others do
 * nothing; without one it stays taken.
 */
export interface RateSlot {
  /** It begins now. */
  begin(): void;
  /** It has not begun and will not: another may. */
  giveBack(): void;
}

/** As in `Limited`, where they have one name. */
export interface RateBudget {
  allow(left: number, until: number): void;
  held(): number;
  wait(): number;
  /**
   * Takes a place, when `wait` is 0. `onChange` is called when the slot has begun or was given back: there may be more
   * room then, or a time at which there is.
   */
  take(onChange: () => void): RateSlot;
}

/** All free. Time is that of `asyncScheduler`. */
export function createPlaces(rates: readonly Rate[]): RateBudget {
  const logs = rates.map((rate) => createWindowLog(rate));
  let word = { left: Number.POSITIVE_INFINITY, until: 0 };
  const held = () => (word.left > 0 ? 0 : Math.max(0, word.until - asyncScheduler.now()));

  return {
    allow(left, until) {
      word = { left, until };
    },
    held,
    wait: () => Math.max(held(), ...logs.map((log) => log.wait(asyncScheduler.now()))),
    take(onChange) {
      const under = word;
      under.left -= 1;
      for (const log of logs) log.take();
      const begin = () => {
        const now = asyncScheduler.now();
        for (const log of logs) log.begin(now);
        onChange();
      };
      const giveBack = () => {
        under.left += 1;
        for (const log of logs) log.giveBack();
        onChange();
      };
      return onceOf({ begin, giveBack });
    },
  };
}

/** Only the first call of one of the two is heard. */
function onceOf({ begin, giveBack }: RateSlot): RateSlot {
  let isSettled = false;
  const once = (settle: () => void) => () => {
    if (isSettled) return;
    isSettled = true;
    settle();
  };
  return { begin: once(begin), giveBack: once(giveBack) };
}
