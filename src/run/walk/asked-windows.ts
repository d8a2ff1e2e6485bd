/** The windows that a job with `incremental` asks for: from the remembered value on. docs/13-second-run.md#windows. */
import type { JobConfig } from '../../config/config.js';
import type { AskedPart, WindowRange } from '../../config/partition/window-range.js';
import { ExtractError } from '../../core/errors/errors.js';
import type { ExactNumber } from '../../core/json/exact.js';
import { momentOf } from '../../incremental/distance.js';
import { numberOfRank, orderedValue } from '../../incremental/ordered-value.js';
import type { PlaceholderBindings } from '../../job/instances.js';
import type { IncrementalRun } from '../incremental-run.js';

/**
 * The part of the range for these values of placeholders; undefined: all of it. Throws ERR_INCREMENTAL for a value that
 * has no place in the range.
 */
export function askedPart(
  increments: IncrementalRun | undefined,
  config: JobConfig,
  range: WindowRange,
  instance: PlaceholderBindings,
): AskedPart | undefined {
  const { value, until } = increments?.begin(config, instance, undefined)?.range ?? {};
  if (value === undefined && until === undefined) return undefined;
  const { from, to } = config.windows?.params ?? {};
  return {
    ...(value === undefined ? {} : { from: placeIn(range, value, config) }),
    ...(until === undefined ? {} : { to: placeIn(range, until, config) }),
    // An API that gets only one bound knows the other by it: its windows stay whole.
    cuts: from !== undefined && to !== undefined,
  };
}

/** Where a value is in the range: in epoch ms, or as a number. */
function placeIn({ step }: WindowRange, value: string | ExactNumber, { name, incremental }: JobConfig): number {
  const ordered = orderedValue(value, incremental?.compare);
  const isNumber = step.unit === 'number';
  const place =
    ordered === undefined
      ? undefined
      : isNumber && ordered.order === 'number'
        ? Number(numberOfRank(ordered.rank, 0))
        : isNumber
          ? undefined
          : momentOf(ordered);
  if (place !== undefined) return place;
  const expected = isNumber ? 'a number' : 'a date or a Unix time';
  const why = `\`windows\` begin at the value of \`incremental\`, and it is not ${expected}, as \`step\` is one`;
  throw new ExtractError('ERR_INCREMENTAL', `${why}: use a \`path\` with such values`, { job: name });
}
