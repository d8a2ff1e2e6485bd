/** The options of `extract` and `run`, as their rows describe them: run-options.ts. */
import { ExtractError } from '../core/errors/errors.js';
import type { GivenOptions, OptionRows, OptionsOf } from '../core/options/kind.js';
import { readOptions } from '../core/options/read-options.js';
import type { SinkTarget } from './output/sink-target.js';
import { extractRows, runRows } from './run-options.js';

/** The options of `extract`. docs/08-in-code.md#options. */
export interface ExtractOptions<Item = unknown> extends GivenOptions<typeof extractRows> {
  readonly to?: SinkTarget<Item> | readonly SinkTarget<Item>[];
}

/** The options of `run`. */
export interface RunOptions<Item = unknown> extends GivenOptions<typeof runRows> {
  readonly to?: SinkTarget<Item> | readonly SinkTarget<Item>[];
}

/** Options with their defaults. */
export type CompleteOptions = OptionsOf<typeof extractRows>;

/** Checks the options of `extract`, and fills in defaults. Throws ERR_USAGE. */
export const readExtractOptions = (given: object): CompleteOptions => checked(extractRows, given);

/** The same for `run`. */
export const readRunOptions = (given: object): OptionsOf<typeof runRows> => checked(runRows, given);

function checked<const Rows extends OptionRows>(rows: Rows, given: object): OptionsOf<Rows> {
  const read = readOptions(rows, Object.entries(given), 'code');
  if (read.problems === undefined) return read.options;
  throw new ExtractError('ERR_USAGE', read.problems.map(({ name, message }) => `${name}: ${message}`).join('\n'));
}
