/** `rxtract run`: pulls the jobs of a configuration into sinks. Its work is loaded when there is something to run. */
import { usageError } from '../core/util/check-value.js';
import type { ParsedArguments } from './arguments.js';
import type { Command } from './command.js';
import type { RunEngine } from './engine.js';
import type { Report } from './report.js';
import { runDetails, runFlags } from './run-flags.js';
import type { ScheduleClock } from './run-schedule.js';
import type { RunWatch } from './run-watch.js';
import type { Shell } from './shell.js';
import type { MetricsWatch } from './watch-metrics.js';

export const run = runWith(() => import('./engine.js'));

/** Objects of the engine live no longer than a page: a larger space for young ones costs 20 MB and gains no time. */
const smallYoungSpace = '--semi-space-growth-factor=1';

/**
 * V8 optimizes WebAssembly after this much work. Optimizing undici's parser takes 100 ms and 38 MB, and a process ends
 * only after it: not for the first responses. docs/decisions/024.
 */
const lateOptimizing = '--wasm-tiering-budget=250000000';

/** Unrolled and peeled loops make undici's parser larger, and no faster: without them its optimization takes 25 MB. */
const plainLoops = ['--no-wasm-loop-unrolling', '--no-wasm-loop-peeling'];

/** Creates the command for an engine; tests pass their own. */
export function runWith(load: () => Promise<RunEngine>, clock?: ScheduleClock): Command {
  return {
    name: 'run',
    summary: 'pull the jobs of a configuration into files or other sinks',
    options: runFlags,
    details: runDetails,
    async execute(args, shell, report) {
      mustHave(args, 'schedule', 'CRON', ['jitter', 'health']);
      mustHave(args, 'on', 'ADDRESS', ['workers', 'name', 'block', 'detach']);
      const engine = await loadEngine(shell, { hasShape: args.has('shape') });
      const { runJobs, scheduled } = engine;
      const servers = engine.createLocalServers();
      const watches = await watchRuns(args, shell, report, { engine, servers });
      const metrics = watches.find(isMetrics);
      const observe = watches.map((each) => each.observe);
      const page = args.has('ui') ? await (await import('./ui-tools.js')).openRunPage(args, shell, report) : undefined;
      const once = async () => {
        if (args.has('on')) {
          const { runOnBoard } = await import('./shared/at-board.js');
          return runOnBoard({ args, shell, report, metrics, now: engine.now() });
        }
        const result = await (page === undefined
          ? runJobs(args, shell, report, { load, observe })
          : page.follow((own, read) => runJobs(args, own, read, { load, observe: [...observe, page.feed] })));
        for (const each of watches) await each.push();
        return result;
      };
      try {
        return await (args.has('schedule') ? scheduled(args, shell, report, { once, clock, servers }) : once());
      } finally {
        await page?.close();
        for (const each of watches) await each.close();
      }
    },
  };
}

const isMetrics = (watch: RunWatch): watch is MetricsWatch => 'watchBoard' in watch;

type Engine = Awaited<ReturnType<typeof loadEngine>>;

/** What watches the runs of this process. */
async function watchRuns(
  args: ParsedArguments,
  { env }: Pick<Shell, 'env'>,
  report: Report,
  { engine, servers }: { readonly engine: Engine; readonly servers: ReturnType<Engine['createLocalServers']> },
): Promise<readonly RunWatch[]> {
  const {
    createMetrics: create,
    metricsPush: createPush,
    exportTraces,
    traceAddress: addressIn,
    createLineage,
  } = engine;
  const lineage = engine.watchLineage(args, report, { env, create: createLineage });
  const traces = await engine.watchTraces(args, report, { env, addressIn, create: exportTraces });
  const metrics = await engine.watchMetrics(args, report, { servers, env, create, createPush });
  return [metrics, traces, lineage].filter((each) => each !== undefined);
}

/** Throws ERR_USAGE for a flag that is of use only with another one. */
function mustHave(args: ParsedArguments, flag: string, value: string, without: readonly string[]): void {
  const alone = without.find((name) => args.has(name) && !args.has(flag));
  if (alone !== undefined) throw usageError(`--${alone} needs --${flag} ${value}`);
}

/** Loads what a run needs, with the flags of V8 for a run. V8 rejects code that it kept with other flags. */
export async function loadEngine(shell: Pick<Shell, 'setFlags' | 'cacheCode'>, { hasShape = false } = {}) {
  shell.cacheCode();
  shell.setFlags(smallYoungSpace);
  const engine = await import('./engine.js');
  engine.compileScanner();
  if (hasShape) engine.compileChecker();
  shell.setFlags(lateOptimizing, ...plainLoops); // of what is compiled from here on
  return engine;
}
