/** Compares the items of batches with the items read back. */
import type { Batch } from '../../src/core/model/batch.js';
import type { Sink } from '../contract.js';

/** The items of batches, one JSON text each. */
export function linesOf(...batches: readonly Batch[]): readonly string[] {
  return batches.flatMap(({ bytes }) => Buffer.from(bytes).toString().split('\n').slice(0, -1));
}

/** Throws an error that describes the first difference. */
export function mustEqual(found: readonly string[], expected: readonly string[]): void {
  const at = expected.findIndex((line, index) => found[index] !== line);
  if (at >= 0 && at < found.length) {
    throw new Error(`item ${at + 1}: expected ${short(expected[at])}, found ${short(found[at])}`);
  }
  if (found.length !== expected.length) throw new Error(`expected ${expected.length} items, found ${found.length}`);
}

/** Throws unless the found items are a prefix of the expected ones. */
export function mustBegin(found: readonly string[], expected: readonly string[]): void {
  mustEqual(found, expected.slice(0, found.length));
}

const short = (text = 'nothing') => (text.length > 60 ? `${text.slice(0, 60)}...` : text);

/** Throws unless all lines have arrived: exactly once, or with `none` at least once and no others. */
export function mustArrive(
  found: readonly string[],
  expected: readonly string[],
  { recovery = 'none' }: Pick<Sink, 'recovery'>,
): void {
  mustInclude(found, expected);
  if (recovery === 'none') mustBeOf(found, expected);
  else mustEqual(found, expected);
}

const left = 'When `commit` settles (without one: the last `write`), the items of the page must have left the process';

function mustInclude(found: readonly string[], expected: readonly string[]): void {
  const timesIn = (lines: readonly string[], line: string) => lines.filter((each) => each === line).length;
  const missing = expected.find((line) => timesIn(found, line) < timesIn(expected, line));
  if (missing !== undefined) throw new Error(`${missing} is lost: found ${found.length} items. ${left}`);
}

function mustBeOf(found: readonly string[], expected: readonly string[]): void {
  const other = found.find((line) => !expected.includes(line));
  if (other !== undefined) throw new Error(`${other} was never written`);
}
