/** Runs the uvu suites of one test file after another, as run.mjs names them, and reports the counts of each. */
import { pathToFileURL } from 'node:url';

// uvu then leaves it to us to run what `test.run()` queued.
globalThis.UVU_DEFER = 1;
globalThis.UVU_INDEX = 0;

let counts;

const report = (extra) => process.connected && process.send({ ...counts, ...extra });
const crash = (thrown) => report({ crash: thrown?.stack ?? String(thrown) });
process.on('uncaughtException', crash);
process.on('unhandledRejection', crash);
process.on('disconnect', () => process.exit());

async function run(file) {
  counts = { passed: 0, failed: 0, singledOut: 0, total: 0, errors: '', skipped: [] };
  globalThis.skippedTests = counts.skipped;
  globalThis.UVU_QUEUE = [[]];
  await import(pathToFileURL(file).href);
  for (const suite of globalThis.UVU_QUEUE[0]) {
    const [errors, passed, leftOut, total] = await suite();
    counts.passed += passed;
    counts.failed += total - passed;
    counts.singledOut += leftOut;
    counts.total += total;
    if (typeof errors === 'string') counts.errors += errors;
  }
  // Rejections without a handler are reported once the tick in which they happened is over.
  await new Promise(setImmediate);
  report({});
}

process.on('message', ({ file }) => {
  // A server or a timer that a test left running must not keep the process.
  if (file === undefined) process.exit();
  run(file).catch(crash);
});
