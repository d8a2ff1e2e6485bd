/** What one run leaves for the next: when it began. docs/01-configuration.md#since-the-last-run. */
import { ExtractError } from '../core/errors/errors.js';
import { type Exact, ExactNumber, type ExactObject, emptyObject, isObject } from '../core/json/exact.js';

export interface IncrementalState {
  /**
   * What `time` refers to: `previousStart`, 0 on the first run, `currentStart`, and whatever else the state holds under
   * `time`.
   */
  readonly time: ExactObject;
  /** The state to keep once the run has succeeded: the former one, with this run's start as `previousStart`. */
  readonly next: ExactObject;
}

/**
 * Begins a run with the state of the one before it; empty: the first run. `now` in epoch ms. Throws ERR_USAGE for a
 * state that is no object.
 */
export function createIncrementalState(state: Exact, now: number): IncrementalState {
  if (!isObject(state)) throw new ExtractError('ERR_USAGE', 'state: expected an object');
  const found = state.get('time') ?? null;
  const before = isObject(found) ? found : emptyObject;
  const currentStart = new ExactNumber(String(Math.floor(now / 1000)));
  const rest = [...before].filter(([key]) => key !== 'previousStart' && key !== 'currentStart');
  const previousStart = before.get('previousStart') ?? null;
  return {
    time: new Map([
      ...rest,
      ['previousStart', previousStart === null || previousStart === '' ? new ExactNumber('0') : previousStart],
      ['currentStart', currentStart],
    ]),
    next: new Map([...state, ['time', new Map([...rest, ['previousStart', currentStart]])]]),
  };
}
