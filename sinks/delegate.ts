/** The base of sinks around another sink: every call passes, but for those that the decorator replaces. */
import { defined } from '../src/core/util/defined.js';
import { borrowing, isBorrowing } from './borrowing.js';
import type { Sink } from './contract.js';

/**
 * Returns a sink that passes all calls to another one; `changes` replace some. Members that the other lacks are absent.
 * Methods are called on the sink itself, which may be an object of a class.
 */
export function delegate(sink: Sink, changes: Partial<Sink> = {}): Sink {
  const write: Sink['write'] = (batch, signal) => sink.write(batch, signal);
  const passing: Sink = {
    ...factsOf(sink),
    ...callsOf(sink),
    get window() {
      return sink.window;
    },
    write: isBorrowing(sink.write) ? borrowing(write) : write,
    close: (closing) => sink.close(closing),
    abort: (reason) => sink.abort(reason),
  };
  // They may grow, and a combined sink makes a new list of those of its parts.
  if (sink.secrets !== undefined)
    Object.defineProperty(passing, 'secrets', { get: () => sink.secrets, enumerable: true });
  return Object.assign(passing, changes);
}

/** Marks of a sink, such as that of a route. */
export const symbolsOf = (sink: Sink): object =>
  Object.fromEntries(Object.getOwnPropertySymbols(sink).map((symbol) => [symbol, Reflect.get(sink, symbol)]));

const factsOf = ({ name, recovery, keepBytes, hasBuckets }: Sink): Partial<Sink> =>
  defined({ name, recovery, keepBytes, hasBuckets });

/** The optional methods. */
function callsOf(sink: Sink): Partial<Sink> {
  const { check, open, resume, positions, file, prepare, commit, rollback, durable, published } = sink;
  const { replacesOutput, leave, summary } = sink;
  return {
    ...(check === undefined ? {} : { check: () => check.call(sink) }),
    ...(open === undefined ? {} : { open: (dataType, job, opening) => open.call(sink, dataType, job, opening) }),
    ...(resume === undefined ? {} : { resume: (earlier) => resume.call(sink, earlier) }),
    ...(positions === undefined ? {} : { positions: () => positions.call(sink) }),
    ...(file === undefined ? {} : { file: (place) => file.call(sink, place) }),
    ...(prepare === undefined ? {} : { prepare: (page, signal) => prepare.call(sink, page, signal) }),
    ...(commit === undefined ? {} : { commit: (page, signal) => commit.call(sink, page, signal) }),
    ...(rollback === undefined ? {} : { rollback: (dataType) => rollback.call(sink, dataType) }),
    ...(durable === undefined ? {} : { durable: () => durable.call(sink) }),
    ...(published === undefined ? {} : { published: (dataType) => published.call(sink, dataType) }),
    ...(replacesOutput === undefined
      ? {}
      : { replacesOutput: (dataType: string) => replacesOutput.call(sink, dataType) }),
    ...(leave === undefined ? {} : { leave: () => leave.call(sink) }),
    ...(summary === undefined ? {} : { summary: () => summary.call(sink) }),
  };
}
