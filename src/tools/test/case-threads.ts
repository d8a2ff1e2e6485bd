/** Runs test cases in threads, several at a time: a case that hangs ends alone. */
import { Worker } from 'node:worker_threads';
import type { Signal } from '../../cli/shell.js';
import { type CaseResult, withoutRun } from './case-result.js';
import type { TestCase } from './find-cases.js';
import type { CaseOptions } from './run-case.js';

export interface CaseThreads {
  /** Threads at a time. */
  readonly atOnce: number;
  /** How long a case may take, in ms. */
  readonly timeout: number;
  readonly options: CaseOptions;
  /** Listens for an interrupt. Returns a function that stops listening. */
  onSignal(listener: (signal: Signal) => void): () => void;
  /** Called with each result, in the order of the cases. */
  onResult(result: CaseResult): void;
}

/** The build of the command finds the entry by this form. */
const entry = new URL('./case-worker.js', import.meta.url);

/** Runs all cases. Resolves with the signal that has ended them early, if one has. Never rejects. */
export async function runInThreads(tests: readonly TestCase[], context: CaseThreads): Promise<Signal | undefined> {
  const { atOnce, onSignal } = context;
  const report = inOrder(context.onResult);
  const left = [...tests.entries()];
  const active = new Set<Worker>();
  let interrupt: Signal | undefined;
  const stopListening = onSignal((signal) => {
    interrupt ??= signal;
    for (const worker of active) void worker.terminate();
  });
  const lane = async () => {
    let worker: Worker | undefined;
    for (let next = left.shift(); next !== undefined && interrupt === undefined; next = left.shift()) {
      const [index, test] = next;
      worker ??= startWorker(active);
      const { result, isUsable } = await runIn(worker, test, context);
      if (interrupt !== undefined) return;
      report(index, result);
      if (!isUsable) {
        await worker.terminate();
        worker = undefined;
      }
    }
    await worker?.terminate();
  };
  try {
    await Promise.all(Array.from({ length: Math.min(atOnce, tests.length) }, lane));
  } finally {
    stopListening();
  }
  return interrupt;
}

function startWorker(active: Set<Worker>): Worker {
  const worker = new Worker(entry, { name: 'rxtract test' });
  active.add(worker);
  worker.once('exit', () => active.delete(worker));
  return worker;
}

interface Ended {
  readonly result: CaseResult;
  /** The thread can run another case. */
  readonly isUsable: boolean;
}

/** A thread that ends, or takes too long, fails its case. */
function runIn(worker: Worker, test: TestCase, { timeout, options }: CaseThreads): Promise<Ended> {
  return new Promise((resolve) => {
    const end = (ended: Ended) => {
      clearTimeout(timer);
      worker.removeAllListeners('message').removeAllListeners('error').off('exit', onExit);
      resolve(ended);
    };
    const fail = (title: string) =>
      end({ result: withoutRun(test.name, 'failed', { problems: [{ title, lines: [] }] }), isUsable: false });
    const onExit = () => fail('its thread has ended before the case did');
    const timer = setTimeout(
      () => fail(`it did not end within ${timeout / 1000} s; --timeout allows more time`),
      timeout,
    );
    worker.once('message', (result: CaseResult) => end({ result, isUsable: true }));
    worker.once('error', (thrown: Error) => fail(`its thread has failed: ${thrown.message}`));
    worker.once('exit', onExit);
    worker.postMessage({ test, options });
  });
}

/** Passes results on in the order of their indexes. */
function inOrder(onResult: CaseThreads['onResult']): (index: number, result: CaseResult) => void {
  const waiting = new Map<number, CaseResult>();
  let next = 0;
  return (index, result) => {
    waiting.set(index, result);
    for (let due = waiting.get(next); due !== undefined; due = waiting.get(next)) {
      waiting.delete(next);
      next += 1;
      onResult(due);
    }
  };
}
