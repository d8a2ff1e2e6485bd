/**
 * Virtual time for tests of the engine, where promises rule out the marble scheduler: the clock and the timers of RxJS
 * move on demand.
 */
import { mock } from 'node:test';

export interface VirtualClock {
  /** Lets so many ms pass, timers firing on the way. */
  pass(ms: number): void;
  /** The same, once the timers that are about to be started are there. */
  passSoon(ms: number): void;
  /** Gives the true clock back. */
  stop(): void;
}

interface Timer {
  at: number;
  readonly period: number;
  readonly run: () => void;
}

/** Starts in 2001. RxJS builds its timers from `setInterval`; timers of sockets are real. */
export function startClock(): VirtualClock {
  const timers = new Map<object, Timer>();
  let now = 1e12;

  const start = (run: (...args: readonly unknown[]) => void, period = 0, ...args: readonly unknown[]) => {
    const handle = { unref: () => handle };
    timers.set(handle, { at: now + period, period, run: () => run(...args) });
    return handle;
  };
  const due = (until: number) => [...timers.values()].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0];
  const pass = (ms: number) => {
    const until = now + ms;
    for (let timer = due(until); timer !== undefined; timer = due(until)) {
      now = timer.at;
      timer.at += Math.max(1, timer.period);
      timer.run();
    }
    now = until;
  };
  const mocks = [
    mock.method(Date, 'now', () => now),
    mock.method(globalThis, 'setInterval', start),
    mock.method(globalThis, 'clearInterval', (handle: object) => void timers.delete(handle)),
  ];
  return {
    pass,
    passSoon: (ms) => void setImmediate(() => pass(ms)),
    stop: () => {
      for (const each of mocks) each.mock.restore();
    },
  };
}
