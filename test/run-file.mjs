/** Runs the uvu suites of one test file and tells the parent process what came of them; started by run.mjs alone. */
import { pathToFileURL } from 'node:url';

// uvu then leaves it to us to run what `test.run()` queued.
globalThis.UVU_DEFER = 1;
globalThis.UVU_INDEX = 0;
globalThis.UVU_QUEUE = [[]];

const told = { passed: 0, failed: 0, skipped: 0, total: 0, errors: '' };

function tell(extra) {
  if (!process.connected) return;
  process.send({ ...told, ...extra }, () => process.exit(extra.crash === undefined ? 0 : 1));
}

const crash = (thrown) => tell({ crash: thrown?.stack ?? String(thrown) });
process.on('uncaughtException', crash);
process.on('unhandledRejection', crash);

try {
  await import(pathToFileURL(process.argv[2]).href);
  for (const suite of globalThis.UVU_QUEUE[0]) {
    const [errors, passed, skipped, total] = await suite();
    told.passed += passed;
    told.failed += total - passed;
    told.skipped += skipped;
    told.total += total;
    if (typeof errors === 'string') told.errors += errors;
  }
  tell({});
} catch (thrown) {
  crash(thrown);
}
