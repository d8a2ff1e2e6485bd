/** An asynchronous iterable for consumers: each loop starts anew and can be left at once. */

/**
 * Makes an iterable; each loop runs `steps` from the start. Leaving a loop (`break`, a throw, `return()`) aborts the
 * signal first, so that the current step ends too: a generator alone would finish it.
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
