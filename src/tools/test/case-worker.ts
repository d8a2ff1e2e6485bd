/** The entry of a thread that runs test cases, one after the other: time is virtual in a whole thread. */
import { parentPort } from 'node:worker_threads';
import type { TestCase } from './find-cases.js';
import type { CaseOptions } from './run-case.js';

parentPort?.on('message', async ({ test, options }: { readonly test: TestCase; readonly options: CaseOptions }) => {
  const { runCase } = await import('./run-case.js');
  parentPort?.postMessage(await runCase(test, options));
});
