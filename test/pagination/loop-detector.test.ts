import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createLoopDetector } from '../../src/pagination/loop-detector.js';

/** Adds one page after the other until there is a round, and returns its index. */
function firstOf(pages: readonly number[]) {
  const rounds = createLoopDetector((a, b) => pages[a] === pages[b]);
  for (const index of pages.keys()) {
    const seen = rounds.see(index);
    if (seen !== undefined) return { index, seen };
  }
  return undefined;
}

/**
 * The same by the definition: the shortest suffix that is a word of two or more pages, not all the same, twice in a
 * row.
 */
function naive(pages: readonly number[]) {
  for (let last = 0; last < pages.length; last++) {
    for (let period = 2; 2 * period <= last + 1; period++) {
      const from = last + 1 - 2 * period;
      const isRound = Array.from({ length: period }, (_, step) => from + step).every(
        (at) => pages[at] === pages[at + period],
      );
      if (isRound && new Set(pages.slice(from, from + period)).size > 1) return { index: last, seen: { from, period } };
    }
  }
  return undefined;
}

const letters = (text: string) => [...text].map((letter) => letter.charCodeAt(0));

const cases = [
  ['', undefined],
  ['A', undefined],
  ['ABCDEFG', undefined],
  ['AA', undefined],
  ['ABCC', undefined],
  ['AAAAAAAAAAAAA', undefined],
  ['AABAAB', { index: 5, seen: { from: 0, period: 3 } }],
  ['AABAAAB', undefined],
  ['AAAABAAAACAAAABAAAAC', { index: 19, seen: { from: 0, period: 10 } }],
  ['ABAB', { index: 3, seen: { from: 0, period: 2 } }],
  ['ABCABC', { index: 5, seen: { from: 0, period: 3 } }],
  ['XYABCABC', { index: 7, seen: { from: 2, period: 3 } }],
  ['ABACABA', undefined],
  ['ABACABAC', { index: 7, seen: { from: 0, period: 4 } }],
  ['ABCADE', undefined],
  ['ABCABDABCABD', { index: 11, seen: { from: 0, period: 6 } }],
  ['EaEbEcEdEeEf', undefined],
] as const;

for (const [pages, expected] of cases) {
  test(`sees ${expected === undefined ? 'nothing' : JSON.stringify(expected)} in ${pages || 'no pages'}`, () => {
    assert.equal(firstOf(letters(pages)), expected);
    assert.equal(naive(letters(pages)), expected);
  });
}

/** xorshift32; the seed is in the message of a failure. */
function random(seed: number) {
  let state = seed;
  return (below: number) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

test('agrees with the definition on random pages of few kinds', () => {
  for (let seed = 1; seed <= 3000; seed++) {
    const next = random(seed * 7919);
    const kinds = 2 + next(5);
    const pages = Array.from({ length: 5 + next(120) }, () => next(kinds));
    const without = pages.filter((page, index) => page !== pages[index - 1]);
    for (const each of [pages, without]) assert.equal(firstOf(each), naive(each), `seed ${seed}: ${each.join(' ')}`);
  }
});

test('agrees with the definition on rounds hidden among pages without one', () => {
  for (let seed = 1; seed <= 400; seed++) {
    const next = random(seed * 104729);
    const lead = Array.from({ length: next(60) }, (_, index) => (next(3) === 0 ? 1 : 1000 + index));
    const round = Array.from({ length: 2 + next(70) }, (_, index) => (next(4) === 0 ? 2 : 5000 + index));
    const pages = [...lead, ...round, ...round, ...round];
    const without = pages.filter((page, index, all) => page !== all[index - 1]);
    for (const each of [pages, without]) assert.equal(firstOf(each), naive(each), `seed ${seed}: ${each.join(' ')}`);
  }
});

/** A sequence of three letters without any square, from the Thue-Morse sequence. */
function squareFree(index: number): number {
  const parity = (value: number) => [...value.toString(2)].filter((digit) => digit === '1').length % 2;
  return parity(index + 1) - parity(index) + 1;
}

test('finds nothing in three kinds of sequences without rounds', () => {
  assert.is(firstOf(Array.from({ length: 20_000 }, (_, index) => squareFree(index))), undefined);
});

test('finds a round of half the walk', () => {
  const half = Array.from({ length: 50_000 }, (_, index) => (index % 5 === 0 ? -1 : index));
  assert.equal(firstOf([7_000_000, ...half, ...half]), { index: 100_000, seen: { from: 1, period: 50_000 } });
});

test.run();
