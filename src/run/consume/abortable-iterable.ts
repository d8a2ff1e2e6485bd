/** An asynchronous generator as a face of code: begun anew by each loop, and left at once. */

/**
 * Makes an iterable; each loop over it runs `steps` from the start. Leaving a loop (`break`, a throw, `return()`)
 * aborts the signal first, so that a step under way ends too: a generator alone would finish it before it hears of the
 * leaving.
 */
export function abortableIterable<T>(steps: (left: AbortSignal) => AsyncGenerator<T, void>): AsyncIterable<T> {
  return {
    [Symbol.asyncIterator]() {
      const controller = new AbortController();
      const running = steps(controller.signal);
      return {
        next: () => running.next(),
        return: () => {
          controller.abort();
          return running.return();
        },
      };
    },
  };
}
