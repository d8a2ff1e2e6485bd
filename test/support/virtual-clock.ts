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
  const timers = new Map<number, Timer>();
  let now = 1e12;
  let issued = 0;

  const start = (run: (...args: readonly unknown[]) => void, period = 0, ...args: readonly unknown[]) => {
    issued += 1;
    timers.set(issued, { at: now + period, period, run: () => run(...args) });
    return issued;
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
    mock.method(globalThis, 'clearInterval', (id: number) => void timers.delete(id)),
  ];
  return {
    pass,
    passSoon: (ms) => void setImmediate(() => pass(ms)),
    stop: () => {
      for (const each of mocks) each.mock.restore();
    },
  };
}
