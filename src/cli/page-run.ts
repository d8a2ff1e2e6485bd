/** The runs that the page starts, in this process: their log and figures go to its feed. */

import { byLine } from '../tools/ui/line-queue.js';
import { createRunFeed } from '../tools/ui/run-feed.js';
import type { PageRuns } from '../tools/ui/run-routes.js';
import { parseArguments } from './arguments.js';
import { reportResult } from './command.js';
import { createReport } from './report.js';
import { runFlags } from './run-flags.js';
import { type RunParts, runJobs } from './run-jobs.js';
import { innerShell, type Shell } from './shell.js';

export interface PageRunOptions {
  readonly label: string;
  shell(): Shell;
  /** Aborts when the command ends. */
  readonly signal: AbortSignal;
  readonly load: RunParts['load'];
}

export function createPageRuns({ label, shell, signal, load }: PageRunOptions): PageRuns {
  const feed = createRunFeed();
  let current = new AbortController();
  return {
    feed,
    stop: () => current.abort(),
    async start(words) {
      current = new AbortController();
      const all = [...words, '--log=json'];
      const own = innerShell({
        shell: shell(),
        stdin: '',
        signal: AbortSignal.any([signal, current.signal]),
        onOutput: () => {},
        onLog: byLine(feed.log),
      });
      feed.open(label);
      const report = createReport(all, own);
      const ended = await runOne(all, own, report, { load, observe: [feed] }).catch((failure: unknown) => ({
        failure,
      }));
      feed.finish(reportResult(report, ended, 'run'));
    },
  };
}

async function runOne(
  words: readonly string[],
  shell: Shell,
  report: ReturnType<typeof createReport>,
  parts: RunParts,
) {
  return runJobs(parseArguments(words, runFlags), shell, report, parts);
}
