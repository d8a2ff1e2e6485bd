/** What `rxtract validate` does: reads a configuration and lists its problems, or describes its jobs. */

import { cacheFolder } from '../core/util/cache-folder.js';
import { usageError } from '../core/util/check-value.js';
import { defined } from '../core/util/defined.js';
import type { Summary } from '../run/job-stats.js';
import { commandRows, jobRows } from '../run/run-options.js';
import { prepare } from '../tools/text/errors.js';
import { counted } from '../tools/text/format.js';
import { type ParsedArguments, readFlags } from './arguments.js';
import type { CommandResult } from './command.js';
import { readDocument } from './document.js';
import { checkSinks, openItemErrors, openSinks } from './open-sinks.js';
import type { Report } from './report.js';
import type { RunEngine } from './run-jobs.js';
import type { Shell } from './shell.js';

/** Checks the configuration that the arguments name. Rejects with its problems. */
export async function checkDocument(
  args: ParsedArguments,
  shell: Shell,
  report: Report,
  load: () => Promise<RunEngine['extract']>,
): Promise<CommandResult> {
  const { to, onItemError, destinations } = givenSinks(args, shell, report);
  const { label, content } = await readDocument(args, shell, report.notice);
  const extract = await load();
  const folder = cacheFolder(shell.env);
  const extraction = await prepare(label, () =>
    extract(content, {
      ...readFlags(args, { ...jobRows, ...commandRows }),
      env: shell.env,
      notify: report.notice,
      ...defined({ cacheFolder: folder, to, onItemError }),
    }),
  );
  report.maskWith(extraction.mask);
  await prepare(label, extraction.check);
  if (args.has('connect')) for (const sink of destinations) await checkSinks(sink, report);

  const summary = extraction.summary();
  report.notice({ level: 'info', code: 'valid', message: `${label} is valid: ${describeJobs(summary)}` });
  return { summary };
}

/** The sinks of `--to` and of dead letters: as options of the run, and as a list. Throws ERR_USAGE. */
function givenSinks(args: ParsedArguments, shell: Shell, report: Report) {
  const to = args.has('to') ? openSinks(args, shell, report) : undefined;
  if (to === undefined && args.has('connect')) throw usageError('--connect needs --to URI: the sink to connect to');
  const onItemError = openItemErrors(args, shell, report);
  const letters = typeof onItemError === 'object' ? onItemError.deadLetter : undefined;
  return { to, onItemError, destinations: [to, letters].filter((sink) => sink !== undefined) };
}

/** `2 jobs (users, events), 1 child job (orders of users)`. */
function describeJobs({ jobs }: Summary): string {
  const names = jobs.filter(({ parent }) => parent === undefined).map(({ job }) => job);
  const below = jobs.flatMap(({ job, parent }) => (parent === undefined ? [] : [`${job} of ${parent}`]));
  const children = below.length === 0 ? [] : [`${counted(below.length, 'child job')} (${below.join(', ')})`];
  return [`${counted(names.length, 'job')} (${names.join(', ')})`, ...children].join(', ');
}
