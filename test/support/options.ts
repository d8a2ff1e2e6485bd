/** Options as a configuration writes them, with the defaults of their table. */
import { fromPlain } from '../../src/core/json/exact.js';
import type { OptionRows, OptionsOf } from '../../src/core/options/kind.js';
import { objectOf } from '../../src/core/options/object-kinds.js';
import { mismatchText, valueBy } from '../../src/core/options/read-options.js';

/** Throws for options that a configuration cannot have. */
export function optionsOf<Rows extends OptionRows>(rows: Rows, written: object = {}): OptionsOf<Rows> {
  const { value, mismatch } = valueBy(objectOf(rows), fromPlain(written), 'document');
  if (value === undefined) throw new TypeError(mismatch && mismatchText(mismatch));
  return value;
}
