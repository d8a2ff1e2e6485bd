/** `rxtract bench`: a configuration as a measurement. Loads the engine only when it measures. */

import type { Command } from './command.js';
import { benchOptions } from './measure/settings.js';
import { loadEngine } from './run.js';

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
  pages=200, items=1000       pages, and items a page
  item=customer               customer (345 bytes), tiny, text (2 kB) or numbers (50 of them)
  paging=page                 how the configuration pages: page, offset, cursor or link
  latency=0, jitter=0         ms to the first byte, and a random time up to so many ms in addition
  body=0, cursor=first        ms that a body takes; whether the next cursor comes first or last in it
  failures=0, limited=0       share of requests with status 503, with status 429
  cuts=0, seed=1              share of responses that break off; where the random numbers begin
`;

export const bench: Command = {
  name: 'bench',
  summary: 'measure a configuration: rates, latencies, where the time goes',
  options: benchOptions,
  details: async () => details,
  async execute(args, shell, report) {
    await loadEngine(shell); // the flags of a run
    const { runBench } = await import('./measure/run-bench.js');
    return runBench(args, shell, report);
  },
};
