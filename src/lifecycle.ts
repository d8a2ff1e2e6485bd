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
  throwError,
} from 'rxjs';
import type { Engine } from './engine.js';
import { asExtractError, ExtractError } from './errors.js';
import { maskError } from './mask-error.js';
import type { Totals } from './totals.js';
import type { Sink } from './types.js';

export interface Lifecycle {
  around<T>(run: Observable<T>): Observable<T>;
  /** Settles when the sink has been closed or aborted; never rejects. */
  readonly closed: Promise<void>;
}

/** What of the engine a run is surrounded by. */
export interface Surroundings extends Pick<Engine, 'inFlight' | 'secrets' | 'release'> {
  readonly sink: Pick<Sink, 'open' | 'close' | 'abort'>;
}

interface Output {
  readonly name: string;
  readonly dataType: string;
}

/** Makes the lifecycle of one run. Errors that pass through it are masked. */
export function createLifecycle(
  engine: Surroundings,
  outputs: readonly Output[],
  totals: Pick<Totals, 'halt'>,
): Lifecycle {
  let settle = () => {};
  const closed = new Promise<void>((resolve) => {
    settle = resolve;
  });
  let isClosed = false;
  let aborting: Promise<void> | undefined;

  // Both are tracked: a subscriber may leave while the sink opens or publishes.
  const open = async () => {
    for (const { dataType, name } of outputs) await engine.sink.open?.(dataType, name);
  };
  const close = async () => {
    await inSink(() => engine.sink.close());
    isClosed = true;
  };
  const abortOnce = (reason: unknown): Promise<void> => {
    aborting ??= abort(reason);
    return aborting;
  };
  const abort = async (reason: unknown) => {
    await engine.inFlight.idle();
    if (isClosed) return;
    // The error at hand says more than one that comes of cleaning up after it.
    await inSink(() => engine.sink.abort(reason)).catch(() => {});
  };
  const leave = async () => {
    if (!isClosed) {
      if (aborting === undefined) totals.halt('interrupted');
      await abortOnce(new ExtractError('ERR_ABORTED', 'the run was interrupted'));
    }
    await engine.release();
    settle();
  };

  return {
    closed,
    around: (run) =>
      concat(
        step(() => engine.inFlight.track(inSink(open))),
        run,
        step(() => engine.inFlight.track(close())),
      ).pipe(
        catchError((thrown) => {
          totals.halt('another job failed');
          const error = maskError(asExtractError(thrown), engine.secrets);
          return from(abortOnce(error)).pipe(concatMap(() => throwError(() => error)));
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

/** Fails with ERR_ABORTED when the signal is aborted; one that was aborted before is never heard. */
export function aborted(signal: AbortSignal): Observable<never> {
  return fromEvent(signal, 'abort').pipe(
    map((): never => {
      throw interruption(signal);
    }),
  );
}

/** What an aborted run fails with. */
export const interruption = ({ reason }: AbortSignal): ExtractError =>
  new ExtractError('ERR_ABORTED', 'the run was interrupted', { cause: reason });

const step = (action: () => Promise<void>): Observable<never> => defer(() => from(action())).pipe(ignoreElements());

async function inSink(action: () => void | Promise<void>): Promise<void> {
  try {
    await action();
  } catch (thrown) {
    throw asExtractError(thrown, 'ERR_SINK');
  }
}
