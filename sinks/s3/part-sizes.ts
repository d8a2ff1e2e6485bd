/** Where the parts of an object begin and end: alike in each process, so that a resume knows them. */

export interface PartRange {
  /** From 1. */
  readonly number: number;
  /** The first byte. */
  readonly start: number;
  /** In bytes. */
  readonly length: number;
}

/** Most parts of an object, and bytes of a part: https://docs.aws.amazon.com/AmazonS3/latest/userguide/qfacts.html. */
export const mostParts = 10_000;
const mostPartBytes = 5 * 1024 ** 3;
/** The length of the first parts, in bytes. */
export const firstPartBytes = 8 * 1024 * 1024;

/** How many parts have 1, 32 and 640 times the first length: 5.9 TiB in all. Some stores want equal parts. */
const steps: readonly (readonly [count: number, factor: number])[] = [
  [5000, 1],
  [4000, 32],
  [1000, 640],
];

/** The place of a part whose predecessors are complete. `first`: the length of the first parts, in bytes. */
export function partRange(number: number, first: number): PartRange {
  let start = 0;
  let before = 0;
  for (const [count, factor] of steps) {
    const length = Math.min(first * factor, mostPartBytes);
    if (number <= before + count) return { number, start: start + (number - before - 1) * length, length };
    start += count * length;
    before += count;
  }
  return { number, start, length: 0 };
}

/** The parts of an object of so many bytes from a number on; the last one is shorter. */
export function* partsFrom(number: number, bytes: number, first: number): Generator<PartRange> {
  for (let next = number; next <= mostParts; next++) {
    const range = partRange(next, first);
    if (range.start >= bytes) return;
    yield { ...range, length: Math.min(range.length, bytes - range.start) };
  }
}
