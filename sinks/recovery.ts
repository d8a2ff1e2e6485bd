/** Checks that a sink has the members that its recovery requires, for the engine and the conformance kit. */
import { ExtractError } from '../src/core/errors/errors.js';
import type { Recovery, Sink } from './contract.js';

const needed: Readonly<Record<Recovery, readonly (keyof Sink)[]>> = {
  cut: ['resume', 'commit', 'rollback'],
  transaction: ['resume', 'held', 'commit', 'rollback'],
  ids: [],
  none: [],
};

/**
 * Throws ERR_USAGE for a sink that lacks a member its declared recovery requires, or has `rollback`
 * without `commit`.
 */
export function mustBeComplete(sink: Sink): void {
  const { recovery = 'none', name } = sink;
  const what = name === undefined ? 'the sink' : `the sink "${name}"`;
  const members: readonly (keyof Sink)[] | undefined = needed[recovery];
  if (members === undefined) {
    const known = Object.keys(needed).join(', ');
    throw new ExtractError('ERR_USAGE', `${what} declares recovery "${recovery}"; expected one of ${known}`);
  }
  const missing = members.filter((member) => sink[member] === undefined);
  if (missing.length > 0) {
    throw new ExtractError('ERR_USAGE', `${what} declares recovery "${recovery}", which needs ${missing.join(', ')}`);
  }
  if (sink.rollback === undefined || sink.commit !== undefined) return;
  throw new ExtractError('ERR_USAGE', `${what} has rollback, which needs commit`);
}
