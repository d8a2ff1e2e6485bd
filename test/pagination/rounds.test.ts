import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createRounds } from '../../src/pagination/rounds.js';

/** Feeds letters until something other than `new` comes, and tells at which index. */
function firstOf(pages: readonly number[]) {
  const rounds = createRounds();
  for (const [index, page] of pages.entries()) {
    const seen = rounds.see(BigInt(page));
    if (seen !== 'new') return { index, seen };
  }
  return undefined;
}

/** The same by the definition: the shortest suffix that is a word of two or more pages twice in a row. */
function naive(pages: readonly number[]) {
  for (let last = 0; last < pages.length; last++) {
    if (last > 0 && pages[last] === pages[last - 1]) return { index: last, seen: 'repeat' };
    for (let period = 2; 2 * period <= last + 1; period++) {
      const from = last + 1 - 2 * period;
      const isRound = Array.from({ length: period }, (_, step) => from + step).every(
        (at) => pages[at] === pages[at + period],
      );
      if (isRound) return { index: last, seen: { from, period } };
    }
  }
  return undefined;
}

const letters = (text: string) => [...text].map((letter) => letter.charCodeAt(0));

const cases = [
  ['', undefined],
  ['A', undefined],
  ['ABCDEFG', undefined],
  ['AA', { index: 1, seen: 'repeat' }],
  ['ABCC', { index: 3, seen: 'repeat' }],
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
    assert.equal(firstOf(without), naive(without), `seed ${seed}: ${without.join(' ')}`);
  }
});

test('agrees with the definition on rounds hidden behind pages without one', () => {
  for (let seed = 1; seed <= 400; seed++) {
    const next = random(seed * 104729);
    const lead = Array.from({ length: next(60) }, (_, index) => (next(3) === 0 ? 1 : 1000 + index));
    const round = Array.from({ length: 2 + next(70) }, (_, index) => (next(4) === 0 ? 2 : 5000 + index));
    const pages = [...lead, ...round, ...round, ...round].filter((page, index, all) => page !== all[index - 1]);
    assert.equal(firstOf(pages), naive(pages), `seed ${seed}: ${pages.join(' ')}`);
  }
});

/** A sequence of three letters without any square, from the Thue-Morse sequence. */
function squareFree(index: number): number {
  const parity = (value: number) => [...value.toString(2)].filter((digit) => digit === '1').length % 2;
  return parity(index + 1) - parity(index) + 1;
}

test('says nothing on three kinds of pages that never go round', () => {
  assert.is(firstOf(Array.from({ length: 20_000 }, (_, index) => squareFree(index))), undefined);
});

test('finds a round of half the walk', () => {
  const half = Array.from({ length: 50_000 }, (_, index) => (index % 5 === 0 ? -1 : index));
  assert.equal(firstOf([7_000_000, ...half, ...half]), { index: 100_000, seen: { from: 1, period: 50_000 } });
});

test('tells fingerprints apart by either half of their 64 bits', () => {
  const rounds = createRounds();
  for (const page of [1n, 1n << 32n, 1n, (1n << 32n) + 1n]) assert.is(rounds.see(page), 'new');
  assert.is(rounds.see((1n << 64n) + (1n << 32n) + 1n), 'repeat');
});

test.run();
