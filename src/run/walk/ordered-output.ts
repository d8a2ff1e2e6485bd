/** Runs walks concurrently and releases their output in the order in which they joined. docs/decisions/012. */
import { concat, concatMap, defer, EMPTY, finalize, from, ignoreElements, map, type Observable, of } from 'rxjs';
import { deferred } from '../../core/util/deferred.js';
import type { Drain } from '../drain.js';
import { type BufferBudget, createPageBuffer, type PageBuffer } from './page-buffer.js';
import type { TargetSource } from './page-target.js';

export interface OrderedOutput {
  /** Adds a slot after all others. */
  join(): OutputSlot;
}

/**
 * The output of one walk. Its pages are buffered while earlier walks are active. Beyond a limit the next page waits for
 * its turn.
 */
export interface OutputSlot extends TargetSource {
  /**
   * Passes the values of the walk, each when its page has reached the sink, and leaves the queue after the last one.
   *
   * ```
   * walk     --a--b|         a and b are buffered
   * turn     ---------o
   * result   ---------(ab|)
   * ```
   */
  around<T>(walk: Observable<T>): Observable<T>;
}

/** Makes a queue of walks before an output. */
export function createOrderedOutput(output: TargetSource, budget: BufferBudget, inFlight: Drain): OrderedOutput {
  let last: Promise<void> | undefined;
  return {
    join() {
      const before = last;
      const left = deferred();
      last = left.promise;
      const ahead = createPageBuffer(budget, inFlight);
      const place = placeIn(output, ahead, { before, leave: left.resolve });
      return {
        ...place,
        around: (walk) => place.around(walk).pipe(finalize(() => void inFlight.track(ahead.clear()))),
      };
    },
  };
}

interface Neighbours {
  /** Settles when all earlier walks have left; undefined: there are none. */
  readonly before: Promise<void> | undefined;
  readonly leave: () => void;
}

function placeIn(output: TargetSource, ahead: PageBuffer, { before, leave }: Neighbours): OutputSlot {
  let isTurn = before === undefined;
  let isOpen = isTurn;
  const turn = before?.then(() => {
    isTurn = true;
  });
  const { promise: opened, resolve: open } = deferred();
  const waitForTurn = defer(() => (isOpen ? EMPTY : from(turn ?? []))).pipe(ignoreElements());
  const handOn = defer(() => (isOpen ? EMPTY : ahead.drain(output)));
  const through = calling(() => {
    isOpen = true;
    open();
  });
  const proceed = concat(waitForTurn, handOn, through);

  return {
    page: () =>
      defer(() => {
        if (isOpen) return output.page();
        return isTurn || ahead.isFull() ? concat(proceed, output.page()) : of(ahead.next());
      }),
    around: (walk) => {
      const inLine = concat(walk, proceed).pipe(
        concatMap((value) => (isOpen ? of(value) : from(opened).pipe(map(() => value)))),
      );
      return concat(inLine, calling(leave));
    },
  };
}

const calling = (action: () => void): Observable<never> =>
  defer(() => {
    action();
    return EMPTY;
  });
