/** Adds the name of a sink to its failures, in a run with several: which of two servers has failed? */
import { asExtractError, type ExtractError } from '../../src/core/errors/errors.js';
import { borrowing, isBorrowing } from '../borrowing.js';
import type { Sink } from '../contract.js';
import { delegate, symbolsOf } from '../delegate.js';
import { inSink } from '../errors.js';
import { mustBeComplete } from '../recovery.js';
import { all, sinksOf } from './fan-out.js';

/** Returns a single sink as it is. Errors of several have `where.sink`: the name of the one that failed. */
export function nameFailures(to: Sink): Sink {
  const sinks = sinksOf(to);
  if (sinks.length === 1) return to;
  for (const sink of sinks) mustBeComplete(sink); // Once wrapped, each has all members.
  return all(sinks.map((sink, index) => named(sink, sink.name ?? `sink ${index + 1}`)));
}

const calls = [
  'check',
  'resume',
  'positions',
  'open',
  'write',
  'file',
  'prepare',
  'commit',
  'rollback',
  'durable',
  'published',
  'close',
  'abort',
] as const satisfies readonly (keyof Sink)[];

function named(sink: Sink, name: string): Sink {
  const passing = delegate(sink, {
    open: (dataType, job, { onFailure, ...opening } = {}) =>
      sink.open?.(dataType, job, {
        ...opening,
        ...(onFailure === undefined ? {} : { onFailure: (thrown) => onFailure(placed(thrown, name)) }),
      }),
  });
  const guarded = calls.flatMap((key) => {
    const call = passing[key] as Call | undefined; // The members have different parameters.
    return call === undefined ? [] : [[key, guard(call, name)] as const];
  });
  const own: Sink = Object.assign(passing, Object.fromEntries(guarded), symbolsOf(sink));
  return isBorrowing(sink.write) ? Object.assign(own, { write: borrowing(own.write) }) : own;
}

type Call = (...given: readonly unknown[]) => unknown;

function guard(call: Call, name: string): Call {
  const fail = (thrown: unknown): never => {
    throw placed(thrown, name);
  };
  return (...given) => {
    try {
      const result = inSink(() => call(...given));
      return result instanceof Promise ? result.catch(fail) : result;
    } catch (thrown) {
      return fail(thrown);
    }
  };
}

/** An interruption is no failure of a sink. */
function placed(thrown: unknown, name: string): ExtractError {
  const error = asExtractError(thrown, 'ERR_SINK');
  return error.code === 'ERR_ABORTED' ? error : error.at({ sink: name });
}
