/**
 * The lifecycle of a run: opens the sink before, closes it after, and aborts it on an error or when the subscriber
 * leaves.
 */
import {
  catchError,
  concat,
  concatMap,
  defer,
  EMPTY,
  finalize,
  from,
  fromEvent,
  ignoreElements,
  map,
  type Observable,
  Subject,
  tap,
  throwError,
} from 'rxjs';
import type { Opening, Sink } from '../../sinks/contract.js';
import { inSink } from '../../sinks/errors.js';
import { asExtractError, ExtractError } from '../core/errors/errors.js';
import { maskError } from '../core/secrets/mask-error.js';
import { deferred } from '../core/util/deferred.js';
import { defined } from '../core/util/defined.js';
import { unless } from '../core/util/unless.js';
import type { RunDescription } from '../http/observer.js';
import type { StatsRecorder } from './job-stats.js';
import type { JobOutput } from './output/output-names.js';
import type { RunContext } from './run-context.js';

export interface Lifecycle {
  around<T>(run: Observable<T>): Observable<T>;
  /** Settles when the sink has been closed or aborted; never rejects. */
  readonly closed: Promise<void>;
}

/** What the lifecycle needs of the context. */
export interface LifecycleContext extends Pick<RunContext, 'inFlight' | 'secrets' | 'release'> {
  readonly sink: Pick<Sink, 'open' | 'close' | 'abort'>;
  /** Absent: nothing follows the run. */
  readonly observer?: RunContext['observer'];
  /** What the run takes and writes; absent: it is not known. */
  readonly describe?: () => RunDescription;
}

/** Makes the lifecycle of one run. It masks errors. A sink that reports a failure ends the run at once. */
export function createLifecycle(
  context: LifecycleContext,
  outputs: readonly JobOutput[],
  totals: Pick<StatsRecorder, 'halt' | 'jobs'>,
): Lifecycle {
  const { promise: closed, resolve: settle } = deferred();
  const failures = new Subject<never>();
  const onFailure = (thrown: unknown) => failures.error(asExtractError(thrown, 'ERR_SINK'));
  const span = createSpan(context, outputs, { onFailure });
  const leave = async () => {
    if (!span.isClosed) {
      if (!span.isAborted) totals.halt('interrupted');
      await span.abort(new ExtractError('ERR_ABORTED', 'the run was interrupted'));
    }
    await context.release();
    observer?.end(failure);
    settle();
  };

  const { observer, describe } = context;
  let failure: unknown = new ExtractError('ERR_ABORTED', 'the run was interrupted');
  const opening = defer(() => {
    if (describe !== undefined) observer?.opens?.(describe());
    return EMPTY;
  });
  const opened = defer(() => {
    observer?.begin(totals);
    return EMPTY;
  });
  const succeed = () => {
    failure = undefined;
  };

  return {
    closed,
    around: (run) =>
      concat(opening, step(span.open), opened, unless(failures, run), step(span.close)).pipe(
        catchError((thrown) => {
          const error = maskError(asExtractError(thrown), context.secrets);
          const { job } = error.where;
          failure = error;
          if (job !== undefined) totals.halt('failed', [job]); // Before the others: a sink may fail later than its job.
          totals.halt(job === undefined ? 'the run failed' : 'another job failed');
          return from(span.abort(error)).pipe(concatMap(() => throwError(() => error)));
        }),
        tap({ complete: succeed }),
        finalize(leave),
      ),
  };
}

/** Allows one subscription, as a sink is opened and closed once. */
export function subscribeOnce<T>(source: Observable<T>): Observable<T> {
  let taken = false;
  return defer(() => {
    if (taken) throw new ExtractError('ERR_USAGE', 'an extraction runs once: call extract() again');
    taken = true;
    return source;
  });
}

/** Fails with ERR_ABORTED when the signal aborts; ignores a signal that was aborted before. */
export function aborted(signal: AbortSignal): Observable<never> {
  return fromEvent(signal, 'abort').pipe(
    map((): never => {
      throw interruption(signal);
    }),
  );
}

/** The error of an aborted run. */
export const interruption = ({ reason }: AbortSignal): ExtractError =>
  new ExtractError('ERR_ABORTED', 'the run was interrupted', { cause: reason });

/** The open sink of a run: it is closed or aborted, whichever comes first, and only once. */
interface SinkSession {
  open(): Promise<void>;
  close(): Promise<void>;
  /** Waits until no work is in flight; never rejects. A sink that is closed by then stays closed. */
  abort(reason: unknown): Promise<void>;
  readonly isClosed: boolean;
  readonly isAborted: boolean;
}

/** Opening and closing are tracked: a subscriber may leave while the sink opens or publishes. */
function createSpan(
  { sink, inFlight }: LifecycleContext,
  outputs: readonly JobOutput[],
  opening: Opening,
): SinkSession {
  let isClosed = false;
  let aborting: Promise<void> | undefined;
  const openAll = async () => {
    for (const { dataType, name, ...output } of outputs) {
      const { address, tables, hasFiles } = output;
      await inSink(() => sink.open?.(dataType, name, { ...opening, ...defined({ address, tables, hasFiles }) }));
    }
  };
  const close = async () => {
    await inSink(() => sink.close());
    isClosed = true;
  };
  const abort = async (reason: unknown) => {
    await inFlight.idle();
    if (isClosed) return;
    try {
      await sink.abort(reason);
    } catch {
      // The first error explains more than one of the cleanup.
    }
  };

  return {
    open: () => inFlight.track(openAll()),
    close: () => inFlight.track(close()),
    abort(reason) {
      aborting ??= abort(reason);
      return aborting;
    },
    get isClosed() {
      return isClosed;
    },
    get isAborted() {
      return aborting !== undefined;
    },
  };
}

const step = (action: () => Promise<void>): Observable<never> => defer(() => from(action())).pipe(ignoreElements());
