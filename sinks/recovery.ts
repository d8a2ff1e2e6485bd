/** Checks the members and checkpoints that the recovery of a sink requires, for the engine and the conformance kit. */
import { ExtractError } from '../src/core/errors/errors.js';
import { type Exact, isArray, isNumber, isObject } from '../src/core/json/exact.js';
import type { Recovery, Sink } from './contract.js';

/** What each sink has. The types require it; a program without types may lack one. */
const always: readonly (keyof Sink)[] = ['write', 'close', 'abort'];

const needed: Readonly<Record<Recovery, readonly (keyof Sink)[]>> = {
  cut: ['resume', 'commit', 'rollback'],
  transaction: ['resume', 'positions', 'commit', 'rollback'],
  ids: [],
  none: [],
};

/**
 * Throws ERR_USAGE for a sink that lacks `write`, `close`, `abort` or a member its declared recovery requires, or has
 * `rollback` without `commit`. `commit` alone is complete: it waits until the destination has acknowledged the page.
 */
export function mustBeComplete(sink: Sink): void {
  const { recovery = 'none', name } = sink;
  const what = named(name);
  const members: readonly (keyof Sink)[] | undefined = needed[recovery];
  if (members === undefined) {
    const known = Object.keys(needed).join(', ');
    throw new ExtractError('ERR_USAGE', `${what} declares recovery "${recovery}"; expected one of ${known}`);
  }
  const lacks = (member: keyof Sink) => typeof sink[member] !== 'function';
  const absent = always.filter(lacks);
  if (absent.length > 0) throw new ExtractError('ERR_USAGE', `${what} has no ${absent.join(', ')}`);
  const missing = members.filter(lacks);
  if (missing.length > 0) {
    throw new ExtractError('ERR_USAGE', `${what} declares recovery "${recovery}", which needs ${missing.join(', ')}`);
  }
  if (sink.rollback === undefined || sink.commit !== undefined) return;
  throw new ExtractError('ERR_USAGE', `${what} has rollback, which needs commit`);
}

/**
 * The checkpoint that `commit` has returned. Throws ERR_SINK if the journal cannot store the result of a `cut` sink; of
 * other sinks such a result is ignored.
 */
export function checkpointOf(sink: Sink | undefined, result: unknown): Exact | undefined {
  if (result === undefined || result === null) return undefined;
  if (isExact(result)) return result;
  if (sink?.recovery !== 'cut') return undefined;
  const what =
    isArray(result) || isObject(result) ? 'a list or Map with other values' : `a value of type ${typeof result}`;
  const advice = 'Return a string, such as `JSON.stringify(value)`, or `fromPlain(value)` of "rxtract"';
  throw new ExtractError(
    'ERR_SINK',
    `commit of ${named(sink.name)} returned ${what}, which the journal cannot store. ${advice}`,
  );
}

const named = (name: string | undefined): string => (name === undefined ? 'the sink' : `the sink "${name}"`);

function isExact(value: unknown): value is Exact {
  if (value === null || typeof value === 'boolean' || typeof value === 'string' || isNumber(value)) return true;
  if (isArray(value)) return value.every(isExact);
  return isObject(value) && [...value].every(([key, member]) => typeof key === 'string' && isExact(member));
}
