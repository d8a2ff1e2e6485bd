/**
 * The slots of `limited`: what its rates and `allow` leave free, and which are taken. It knows nothing about the queue.
 */
import { asyncScheduler } from 'rxjs';
import { createWindowLog, type Rate } from './window-log.js';

/**
 * A slot that was taken. It counts from now on, and ages once its owner has begun. The first call counts, later ones
 * have no effect; without a call it stays taken.
 */
export interface RateSlot {
  /** The work begins now. */
  begin(): void;
  /** The work will not begin: the slot is free again. */
  giveBack(): void;
}

/** The members are explained in `Limited`. */
export interface RateBudget {
  allow(left: number, until: number): void;
  held(): number;
  wait(): number;
  /**
   * Takes a slot; `wait` must be 0. `onChange` is called when the slot has begun or was given back: then there may be
   * room, or a time at which there will be.
   */
  take(onChange: () => void): RateSlot;
}

/** Creates a budget with all slots free. Time comes from `asyncScheduler`. */
export function createRateBudget(rates: readonly Rate[]): RateBudget {
  const logs = rates.map((rate) => createWindowLog(rate));
  let word = { left: Number.POSITIVE_INFINITY, until: 0 };
  const held = () => (word.left > 0 ? 0 : Math.max(0, word.until - asyncScheduler.now()));

  return {
    allow(left, until) {
      word = { left, until };
    },
    held,
    wait: () => logs.reduce((longest, log) => Math.max(longest, log.wait(asyncScheduler.now())), held()),
    take(onChange) {
      if (logs.length === 0 && word.left === Number.POSITIVE_INFINITY) return freeSlot;
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
      return once({ begin, giveBack });
    },
  };
}

/** The slot of work that nothing limits. */
export const freeSlot: RateSlot = { begin: () => undefined, giveBack: () => undefined };

/** Only the first call of either counts. */
function once({ begin, giveBack }: RateSlot): RateSlot {
  let isSettled = false;
  const once = (settle: () => void) => () => {
    if (isSettled) return;
    isSettled = true;
    settle();
  };
  return { begin: once(begin), giveBack: once(giveBack) };
}
