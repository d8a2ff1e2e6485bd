/** Runs test cases in threads, several at a time: a case that hangs ends alone. */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { type CaseResult, withoutRun } from './case-result.js';
import type { TestCase } from './find-cases.js';
import type { CaseOptions } from './run-case.js';

export interface CaseThreads extends CaseOptions {
  /** Threads at a time, each of about 60 MB. Absent: as many as there are processors, at most 4. */
  readonly atOnce?: number;
  /** How long a case may take, in ms. Absent: 60,000. */
  readonly timeout: number;
  /** Ends the threads. */
  readonly signal?: AbortSignal;
  /** Called with each result, in the order of the cases. */
  onResult?(result: CaseResult): void;
}

const usualThreads = 4;

/** Runs all cases. Resolves with their results; those of the first ones, if `signal` aborts. Never rejects. */
export async function runCases(tests: readonly TestCase[], context: CaseThreads): Promise<readonly CaseResult[]> {
  const { atOnce = Math.min(usualThreads, availableParallelism()), signal, onResult } = context;
  const results: CaseResult[] = [];
  const report = inOrder((result) => {
    results.push(result);
    onResult?.(result);
  });
  const left = [...tests.entries()];
  const active = new Set<Worker>();
  const isOver = () => signal?.aborted === true;
  const interrupt = () => {
    for (const worker of active) void worker.terminate();
  };
  signal?.addEventListener('abort', interrupt, { once: true });
  const lane = async () => {
    let worker: Worker | undefined;
    for (let next = left.shift(); next !== undefined && !isOver(); next = left.shift()) {
      const [index, test] = next;
      worker ??= startWorker(active);
      const { result, isUsable } = await runIn(worker, test, context);
      if (isOver()) return;
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
    signal?.removeEventListener('abort', interrupt);
  }
  return results;
}

function startWorker(active: Set<Worker>): Worker {
  // Builds find the entry by this form.
  const worker = new Worker(new URL('./case-worker.js', import.meta.url), { name: 'rxtract test' });
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
function runIn(worker: Worker, test: TestCase, { timeout, update, strict }: CaseThreads): Promise<Ended> {
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
    worker.postMessage({ test, options: { update, strict } });
  });
}

/** Passes results on in the order of their indexes. */
function inOrder(onResult: (result: CaseResult) => void): (index: number, result: CaseResult) => void {
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
