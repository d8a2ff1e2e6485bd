/** `rxtract bench`: a configuration as a measurement. Loads the engine only when it measures. */

import { flagsOf } from '../core/options/flags.js';
import type { OptionRows } from '../core/options/kind.js';
import { measureRows } from '../tools/bench/settings.js';
import type { Command } from './command.js';
import { loadEngine } from './run.js';
import { runFlagRows } from './run-flags.js';

const details = `Examples
  rxtract bench --server                                 measure rxtract itself, against a generated API
  rxtract bench config.json --max-pages 50               an API with a run of 50 pages, three times
  rxtract bench config.json --json before.json           keep the figures
  rxtract bench config.json --compare before.json        compare with them: what differs, and what is noise
  rxtract bench config.json --report report.html         a page with plots
  rxtract bench --server --shape latency=50,items=100    an API with 50 ms to the first byte
  rxtract bench --listen 8080 > config.json              the generated API for other programs

The table goes to standard output. Shares of the time: waiting for the first byte, receiving, scanning, sink, login,
rate limit, retries, and the engine between pages. A measurement keeps no state and uses no cache.

The generated API has these keys, with their defaults:
`;

/** What a measurement does not have: it keeps no state, no recording and no shape, and repeats runs by itself. */
const { state, resume, resumeOnly, retryFailed, drain, full, remember, onChangedPage, ...unkept } = runFlagRows;
const { schedule, jitter, health, metrics, metricsPush, record, replay, report, dataDir, ...unwatched } = unkept;
const { on, workers, name, block, detach, ...once } = unwatched;
const { to, cacheFolder, replaceEmpty, minItems, shape, onDrift, ...measured } = once;

export const benchRows = {
  ...measureRows,
  ...measured,
  to: { ...to, value: 'URI', summary: 'sink for the items, but not stdout:', otherwise: 'null:' },
} satisfies OptionRows;

export const bench: Command = {
  name: 'bench',
  summary: 'measure a configuration: rates, latencies, where the time goes',
  options: flagsOf(benchRows),
  details: async () => `${details}${(await import('../tools/bench/shape.js')).shapeHelp()}`,
  async execute(args, shell, report) {
    await loadEngine(shell); // the flags of a run
    const { runBench } = await import('./run-bench.js');
    return runBench(args, shell, report);
  },
};
