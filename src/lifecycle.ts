/** What stands around a run: the sink opened before, closed after, aborted on an error or when the subscriber leaves. */
import {
  catchError,
  concat,
  concatMap,
  defer,
  finalize,
  from,
  fromEvent,
  ignoreElements,
  map,
  type Observable,
  of,
  throwError,
} from 'rxjs';
import type { Engine } from './engine.js';
import { asExtractError, ExtractError } from './errors.js';
import { maskError } from './mask-error.js';
import type { Totals } from './totals.js';

export interface Lifecycle {
  around<T>(run: Observable<T>): Observable<T>;
  /** Settles when the sink has been closed or aborted; never rejects. */
  readonly closed: Promise<void>;
}

interface Output {
  readonly name: string;
  readonly dataType: string;
}

/** Makes the lifecycle of one run. Errors that pass through it are masked. */
export function createLifecycle(engine: Engine, outputs: readonly Output[], totals: Totals): Lifecycle {
  let settle = () => {};
  const closed = new Promise<void>((resolve) => {
    settle = resolve;
  });
  let state: 'running' | 'over' = 'running';

  const open = async () => {
    for (const { dataType, name } of outputs) await engine.sink.open?.(dataType, name);
  };
  const close = async () => {
    await inSink(() => engine.sink.close());
    state = 'over';
  };
  const abort = async (reason: unknown) => {
    state = 'over';
    await engine.inFlight.idle();
    // The error at hand says more than one that comes of cleaning up after it.
    await inSink(() => engine.sink.abort(reason)).catch(() => {});
  };
  const leave = async () => {
    if (state === 'running') {
      totals.halt('interrupted');
      await abort(new ExtractError('ERR_ABORTED', 'the run was interrupted'));
    }
    await engine.release();
    settle();
  };

  return {
    closed,
    around: (run) =>
      concat(
        step(() => inSink(open)),
        run,
        step(close),
      ).pipe(
        catchError((thrown) => {
          totals.halt('failed');
          const error = maskError(asExtractError(thrown), engine.secrets);
          return from(abort(error)).pipe(concatMap(() => throwError(() => error)));
        }),
        finalize(leave),
      ),
  };
}

/** Lets one subscription through; a sink is opened and closed once. */
export function once<T>(source: Observable<T>): Observable<T> {
  let taken = false;
  return defer(() => {
    if (taken) throw new ExtractError('ERR_USAGE', 'an extraction runs once: call extract() again');
    taken = true;
    return source;
  });
}

/** Fails with ERR_ABORTED when the signal is aborted, also when it was before. */
export function aborted(signal: AbortSignal): Observable<never> {
  const events: Observable<unknown> = signal.aborted ? of(undefined) : fromEvent(signal, 'abort');
  return events.pipe(
    map((): never => {
      throw new ExtractError('ERR_ABORTED', 'the run was interrupted', { cause: signal.reason });
    }),
  );
}

const step = (action: () => Promise<void>): Observable<never> => defer(() => from(action())).pipe(ignoreElements());

async function inSink(action: () => void | Promise<void>): Promise<void> {
  try {
    await action();
  } catch (thrown) {
    throw asExtractError(thrown, 'ERR_SINK');
  }
}
