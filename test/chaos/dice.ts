/** Chance that can be repeated: every draw follows from the seed. */

export interface Dice {
  /** From 0 up to, not including, 1. */
  roll(): number;
  /** A whole number from `least` to `most`, both included. */
  between(least: number, most: number): number;
  happens(probability: number): boolean;
  pick<T>(all: readonly [T, ...T[]]): T;
  /** Dice of their own, that stay the same however often these are rolled. */
  apart(name: string): Dice;
}

/** `seed` is any whole number. */
export function createDice(seed: number): Dice {
  let state = seed >>> 0;
  const roll = () => {
    // mulberry32: one word of state, well spread.
    state = (state + 0x6d2b79f5) >>> 0;
    const mixed = Math.imul(state ^ (state >>> 15), state | 1);
    const again = mixed ^ (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61));
    return ((again ^ (again >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (least: number, most: number) => least + Math.floor(roll() * (most - least + 1));
  return {
    roll,
    between,
    happens: (probability) => roll() < probability,
    pick: (all) => all[between(0, all.length - 1)] ?? all[0],
    apart: (name) =>
      createDice([...name].reduce((hash, letter) => Math.imul(hash ^ letter.charCodeAt(0), 16777619), seed)),
  };
}
