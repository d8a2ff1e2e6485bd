/** The least number of items that the outputs of a run must have. */
import { optionError } from '../../core/util/check-value.js';
import { unknownDataType } from '../../core/util/suggest.js';

/** For each data type, or by data type; `*` stands for those that are not named. */
type MinItems = number | Readonly<Record<string, number>>;

/** The least number of items of a data type; 0: any number. */
export type LeastItems = (dataType: string) => number;

/** All other data types. */
const others = '*';

/**
 * Reads the option of a run whose jobs have these data types. Throws ERR_USAGE for a data type that no job has, with
 * the nearest one.
 */
export function createLeastItems(given: MinItems = 0, jobs: readonly { readonly dataType: string }[]): LeastItems {
  const least = new Map(Object.entries(typeof given === 'object' ? given : { [others]: given }));
  const known = jobs.map(({ dataType }) => dataType);
  const unknown = [...least.keys()].find((name) => name !== others && !known.includes(name));
  if (unknown !== undefined) throw optionError('minItems', unknownDataType(unknown, known));
  return (dataType) => least.get(dataType) ?? least.get(others) ?? 0;
}
