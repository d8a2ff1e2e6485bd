/** Chance that can be repeated: every draw follows from the seed. */

import { mulberry32 } from '../support/mulberry32.js';

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
  const next = mulberry32(seed);
  const roll = () => next() / 2 ** 32;
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
