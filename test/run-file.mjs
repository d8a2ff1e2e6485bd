/** Runs the uvu suites of one test file after another, as run.mjs names them, and tells what came of each. */
import { pathToFileURL } from 'node:url';

// uvu then leaves it to us to run what `test.run()` queued.
globalThis.UVU_DEFER = 1;
globalThis.UVU_INDEX = 0;

let told;

const tell = (extra) => process.connected && process.send({ ...told, ...extra });
const crash = (thrown) => tell({ crash: thrown?.stack ?? String(thrown) });
process.on('uncaughtException', crash);
process.on('unhandledRejection', crash);
process.on('disconnect', () => process.exit());

async function run(file) {
  told = { passed: 0, failed: 0, skipped: 0, total: 0, errors: '' };
  globalThis.UVU_QUEUE = [[]];
  await import(pathToFileURL(file).href);
  for (const suite of globalThis.UVU_QUEUE[0]) {
    const [errors, passed, skipped, total] = await suite();
    told.passed += passed;
    told.failed += total - passed;
    told.skipped += skipped;
    told.total += total;
    if (typeof errors === 'string') told.errors += errors;
  }
  // Rejections that nobody handled are reported once the tick in which they happened is over.
  await new Promise(setImmediate);
  tell({});
}

process.on('message', ({ file }) => {
  // A server or a timer that a test left behind must not keep the process.
  if (file === undefined) process.exit();
  run(file).catch(crash);
});
