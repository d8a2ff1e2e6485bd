/** The only subscription of a run: from the first request to closed sinks, or to a signal. */
import { setTimeout } from 'node:timers/promises';
import { ExtractError } from '../core/errors/errors.js';
import type { Notice, Notify } from '../core/model/notice.js';
import type { Receipt } from '../core/model/page.js';
import { defined } from '../core/util/defined.js';
import type { WatchedRun } from '../run/watch-run.js';
import { type CommandResult, exitCode } from './command.js';
import type { Shell, Signal } from './shell.js';

export interface RunDisplay<Page = Receipt> {
  page(page: Page): void;
  readonly notify: Notify;
  /** How long the first signal waits for pages in progress, in ms; absent: not at all. */
  readonly drainMs?: number;
}

type Outcome = Pick<CommandResult, 'failure' | 'signal'>;

/** Runs all jobs. Resolves when the sinks are closed or aborted; a second signal does not wait for that. */
export async function executeRun<Page = Receipt>(
  { receipts, closed, stop }: Pick<WatchedRun<Page>, 'receipts' | 'closed' | 'stop'>,
  { page, notify, drainMs = 0 }: RunDisplay<Page>,
  shell: Pick<Shell, 'onSignal' | 'exit'>,
): Promise<Outcome> {
  let stopListening = () => {};
  try {
    const outcome = await new Promise<Outcome>((resolve) => {
      const subscription = receipts.subscribe({
        next: page,
        error: (failure: unknown) => resolve({ failure }),
        complete: () => resolve({}),
      });
      let isFirst = true;
      stopListening = shell.onSignal((signal) => {
        if (!isFirst) return shell.exit(exitCode({ signal }));
        isFirst = false;
        notify(interruptNotice(signal, drainMs));
        const leave = () => {
          subscription.unsubscribe();
          resolve({ signal, failure: new ExtractError('ERR_ABORTED', `interrupted by ${signal}`) });
        };
        if (drainMs === 0) leave();
        else withTimeout(stop(), drainMs).then(leave, leave);
      });
    });
    await closed;
    return outcome;
  } finally {
    stopListening();
  }
}

/** What the first signal says, and what the work is aborted with. */
export type Interruption = (signal: Signal) => { readonly message: string; readonly failure: ExtractError };

interface InterruptibleShell extends Pick<Shell, 'onSignal' | 'exit'> {
  readonly notify?: Notify;
  readonly interruption?: Interruption;
}

const stopping: Interruption = (signal) => ({
  message: `${signal}: stopping the run; a second signal stops it at once`,
  failure: new ExtractError('ERR_ABORTED', `interrupted by ${signal}`),
});

/**
 * Does work that a signal aborts: the result then has that signal. With `notify`, the first is reported, and a second
 * ends the process.
 */
export async function executeInterruptible(
  { onSignal, exit, notify, interruption = stopping }: InterruptibleShell,
  work: (signal: AbortSignal) => Promise<CommandResult>,
): Promise<CommandResult> {
  const interrupt = new AbortController();
  let given: Signal | undefined;
  const stopListening = onSignal((signal) => {
    if (given !== undefined) return notify && exit(exitCode({ signal }));
    given = signal;
    const { message, failure } = interruption(signal);
    notify?.({ level: 'info', code: 'interrupted', message });
    interrupt.abort(failure);
  });
  try {
    const result = await work(interrupt.signal).catch((failure: unknown) => ({ failure }));
    return { ...result, ...defined({ signal: given }) };
  } finally {
    stopListening();
  }
}

/** Resolves with the work, or when the time is over. */
async function withTimeout(work: Promise<void>, ms: number): Promise<void> {
  const over = new AbortController();
  try {
    await Promise.race([work, setTimeout(ms, undefined, { signal: over.signal })]);
  } finally {
    over.abort();
  }
}

const interruptNotice = (signal: Signal, drainMs: number): Notice => ({
  level: 'info',
  code: 'interrupted',
  message: `${signal}: stopping the run${drainMs === 0 ? '' : ' after the current page'}; a second signal stops it at once`,
});
