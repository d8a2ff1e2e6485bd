/** What one run leaves for the next: its start time. docs/01-configuration.md#since-the-last-run. */
import { ExtractError } from '../core/errors/errors.js';
import { type Exact, ExactNumber, type ExactObject, emptyObject, isObject } from '../core/json/exact.js';

export interface IncrementalState {
  /**
   * What `time` refers to: `previousStart` (0 on the first run), `currentStart` (epoch seconds), and all other members
   * of `time` in the state.
   */
  readonly time: ExactObject;
  /** The state to store after the run has succeeded: the former one, with the start of this run as `previousStart`. */
  readonly next: ExactObject;
}

/**
 * Starts a run with the state of the run before; an empty object: the first run. `now` in epoch ms. Throws ERR_USAGE
 * for a state that is not an object.
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
