/**
 * Walks side by side whose output stands in line: what reaches the sink is in the order in which they joined.
 * docs/decisions/012.
 */
import { concat, concatMap, defer, EMPTY, finalize, from, ignoreElements, map, type Observable, of } from 'rxjs';
import type { Drain } from './drain.js';
import { type BufferBudget, createPageBuffer, type PageBuffer } from './page-buffer.js';
import type { TargetSource } from './page-target.js';

export interface OrderedOutput {
  /** Takes the last place. */
  join(): OutputSlot;
}

/**
 * The output of one walk. While others are before it, its pages are kept; beyond a bound the next page waits for its
 * turn.
 */
export interface OutputSlot extends TargetSource {
  /**
   * Passes what comes of the walk, each value when its page has reached the sink, and leaves the line behind the last
   * one.
   *
   * ```
   * walk     --a--b|         a and b are kept
   * turn     ---------o
   * result   ---------(ab|)
   * ```
   */
  around<T>(walk: Observable<T>): Observable<T>;
}

/** Makes a line in front of an output. */
export function createOrderedOutput(output: TargetSource, budget: BufferBudget, inFlight: Drain): OrderedOutput {
  let last: Promise<void> | undefined;
  return {
    join() {
      const before = last;
      let leave = () => {};
      const left = new Promise<void>((resolve) => {
        leave = resolve;
      });
      last = left;
      const ahead = createPageBuffer(budget, inFlight);
      const place = placeIn(output, ahead, { before, leave });
      return {
        ...place,
        around: (walk) => place.around(walk).pipe(finalize(() => void inFlight.track(ahead.clear()))),
      };
    },
  };
}

interface Neighbours {
  /** Settles when all before have left; absent: nobody is. */
  readonly before: Promise<void> | undefined;
  readonly leave: () => void;
}

function placeIn(output: TargetSource, ahead: PageBuffer, { before, leave }: Neighbours): OutputSlot {
  let isTurn = before === undefined;
  let isOpen = isTurn;
  const turn = before?.then(() => {
    isTurn = true;
  });
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
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
