/** The selects of a run: which members of the items of each data type its sinks get. */
import { parseSelect } from '../../../sinks/select/parse-select.js';
import { createSelector, type Selector } from '../../../sinks/select/selector.js';
import type { Notify } from '../../core/model/notice.js';
import { usageError } from '../../core/util/check-value.js';
import { didYouMean, unknownDataType } from '../../core/util/suggest.js';

export interface Selects {
  /** Undefined: items of the data type stay as they are. */
  of(dataType: string): Selector | undefined;
  /** Reports paths that no item had: a misspelt one may keep nothing, or drop nothing. */
  report(notify: Notify): void;
}

/** The selects as a list, for the identity of the run. */
export const selectTexts = (given: string | readonly string[] | undefined): readonly string[] =>
  given === undefined ? [] : typeof given === 'string' ? [given] : given;

/**
 * Compiles the selects of a run whose jobs have these data types. Throws ERR_USAGE for a fault in one, for two of one
 * data type, and for a data type that no job has, with the nearest one.
 */
export function createSelects(
  given: string | readonly string[] | undefined,
  jobs: readonly { readonly dataType: string }[],
): Selects {
  const dataTypes = jobs.map(({ dataType }) => dataType);
  const selectors = new Map<string | undefined, Selector>();
  for (const text of selectTexts(given)) {
    const { dataType, entries } = parseSelect(text);
    if (dataType !== undefined && !dataTypes.includes(dataType)) {
      throw usageError(`select "${text}": ${unknownDataType(dataType, dataTypes)}`);
    }
    if (selectors.has(dataType)) {
      const which = dataType === undefined ? 'without a data type' : `of the data type "${dataType}"`;
      throw usageError(`select: there are two ${which}: put their members into one, separated by commas`);
    }
    selectors.set(dataType, createSelector(entries));
  }
  return {
    of: (dataType) => selectors.get(dataType) ?? selectors.get(undefined),
    report(notify) {
      for (const [dataType, selector] of selectors) reportUnseen(selector, dataType, notify);
    },
  };
}

function reportUnseen(selector: Selector, dataType: string | undefined, notify: Notify): void {
  for (const path of selector.unseen()) {
    const [first = ''] = path;
    const hint = path.length === 1 ? didYouMean(first, selector.members()) : '';
    const of = dataType === undefined ? '' : ` of "${dataType}"`;
    const message = `select: no item${of} has "${path.join('.')}"${hint}`;
    notify({ level: hint === '' ? 'info' : 'warning', code: 'select-unused', message });
  }
}
