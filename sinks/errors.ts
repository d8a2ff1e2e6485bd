/** The errors of a sink that rejects a write: it has ended, its run was interrupted, or its destination failed. */
import { asExtractError, ExtractError } from '../src/core/errors/errors.js';
import { describeSystemError, systemError } from '../src/core/errors/system-error.js';
import type { Batch } from '../src/core/model/batch.js';

/**
 * Throws the error of an interrupted write: ERR_ABORTED with the signal's reason as cause, or that reason if it is an
 * ExtractError.
 */
export function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw interrupted(signal);
}

/** The error of an interrupted write. If that was being repeated, its cause is the last failure as an ExtractError. */
export function interrupted(signal: AbortSignal): ExtractError {
  const { reason } = signal;
  if (reason instanceof ExtractError) return reason;
  const failure = failures.get(signal);
  if (failure === undefined) return new ExtractError('ERR_ABORTED', 'the write was interrupted', { cause: reason });
  const cause = asExtractError(failure.thrown, 'ERR_SINK');
  return new ExtractError('ERR_ABORTED', `the write was interrupted after a failure: ${cause.message}`, { cause });
}

/** The last failure of work that is repeated until its signal aborts. */
const failures = new WeakMap<AbortSignal, { readonly thrown: unknown }>();

/** Notes why work is repeated, for the error of its interruption. */
export const noteFailure = (signal: AbortSignal, thrown: unknown): void => void failures.set(signal, { thrown });

/** The last attempt of repeated work succeeded. */
export const forgetFailure = (signal: AbortSignal): void => void failures.delete(signal);

/** Why an interrupted write was being repeated; undefined: it was not, or the error is another one. */
export function failureBefore(thrown: unknown): ExtractError | undefined {
  const isInterruption = thrown instanceof ExtractError && thrown.code === 'ERR_ABORTED';
  return isInterruption && thrown.cause instanceof ExtractError ? thrown.cause : undefined;
}

/** Rejects as soon as the signal aborts, without stopping the work; removes its listener. */
export async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  work.catch(() => {}); // After an abort its failure has no listener.
  throwIfAborted(signal);
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(interrupted(signal));
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** The error of a write after `close` or `abort`: ERR_SINK. */
export function hasEnded(sink: string): ExtractError {
  return new ExtractError('ERR_SINK', `the ${sink} sink is closed and accepts no more items`);
}

/** The error of a destination that is missing and may not be created: `redis: there is no stream "s", ...`. */
export function absent(sink: string, what: string, hint = ''): ExtractError {
  const remedy = 'Create it, or leave out `create=false`.';
  return new ExtractError('ERR_SINK', `${sink}: there is no ${what}, and create=false${hint}`, { remedy });
}

/** Describes a failed action in the system's words: `cannot write to "x": no space left on device (ENOSPC)`. */
export function refused(action: string, thrown: unknown): ExtractError {
  if (thrown instanceof ExtractError) return thrown;
  return new ExtractError('ERR_SINK', `cannot ${action}: ${describeSystemError(thrown)}`, { cause: thrown });
}

/** The error with the place of items of a batch, of which the first is `index`, in its message. */
export function atItems(error: ExtractError, { job, page, offset }: Batch, index: number, count = 1): ExtractError {
  const { code, message, where, cause } = error;
  const first = offset + index;
  const items = count === 1 ? `item ${first}` : `items ${first} to ${first + count - 1}`;
  return new ExtractError(code, `${message} (${items} of the page, from 0)`, { ...where, job, page, cause });
}

/** Throws a failure of a sink as ERR_SINK; an ExtractError keeps its code. */
export function throwSinkError(thrown: unknown): never {
  throw asExtractError(thrown, 'ERR_SINK');
}

/** Calls a sink and throws its failure as ERR_SINK. Returns a promise only if the sink does. */
export function inSink<T>(call: () => T | PromiseLike<T>): T | Promise<T> {
  try {
    const result = call();
    return isPromiseLike(result) ? Promise.resolve(result).catch(throwSinkError) : result;
  } catch (thrown) {
    return throwSinkError(thrown);
  }
}

const isPromiseLike = <T>(value: T | PromiseLike<T>): value is PromiseLike<T> =>
  typeof value === 'object' && value !== null && 'then' in value;

/** Whether the reader closed our output (`| head`): not a fault, the run may end quietly. */
export function isClosedPipe(thrown: unknown): boolean {
  const cause = thrown instanceof ExtractError && thrown.code === 'ERR_SINK' ? thrown.cause : undefined;
  return systemError(cause)?.code === 'EPIPE';
}
