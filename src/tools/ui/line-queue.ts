/** Lines that come at any time, for one reader in order. */

export interface LineQueue<T> {
  push(line: T): void;
  /** The reader ends after what was pushed. */
  end(): void;
  /** The reader fails after what was pushed. */
  fail(thrown: unknown): void;
  read(): AsyncGenerator<T>;
}

export function createLineQueue<T>(): LineQueue<T> {
  let waiting: T[] = [];
  let ending: { readonly thrown?: unknown } | undefined;
  let wake = () => {};
  const close = (how: { readonly thrown?: unknown }) => {
    ending ??= how;
    wake();
  };
  return {
    push(line) {
      waiting.push(line);
      wake();
    },
    end: () => close({}),
    fail: (thrown) => close({ thrown }),
    async *read() {
      for (;;) {
        const lines = waiting;
        waiting = [];
        yield* lines;
        if (waiting.length > 0) continue;
        if (ending !== undefined) {
          if ('thrown' in ending) throw ending.thrown;
          return;
        }
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}

/** Calls `take` with each whole line of texts. */
export function byLine(take: (line: string) => void): (text: string) => void {
  let rest = '';
  return (text) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) take(line);
  };
}
