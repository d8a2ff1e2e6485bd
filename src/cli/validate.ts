/** `rxtract validate`: does everything that `run` does before its first request, and sends none. */
import type { extract } from '../run/extract.js';
import type { Summary } from '../run/job-stats.js';
import type { ParsedArguments } from './arguments.js';
import type { Command, CommandResult } from './command.js';
import { prepare, prepareAsync, readDocument } from './document.js';
import { counted } from './format.js';
import { logOption, setOption, strictOption } from './options.js';
import type { Report } from './report.js';
import type { Shell } from './shell.js';

const examples = `Examples
  rxtract validate config.json             lists every problem with its path and the nearest valid name
  rxtract validate config.json --strict    warnings fail too, for continuous integration
`;

export const validate = validateWith(async () => (await import('../run/extract.js')).extract);

/** Creates the command for an engine; tests pass their own. */
export function validateWith(load: () => Promise<typeof extract<unknown>>): Command {
  return {
    name: 'validate',
    summary: 'check a configuration without sending a request',
    options: { ...setOption, ...strictOption, ...logOption },
    details: async () => examples,
    execute: (args, shell, report) => check(args, shell, report, load),
  };
}

async function check(
  args: ParsedArguments,
  shell: Shell,
  report: Report,
  load: () => Promise<typeof extract<unknown>>,
): Promise<CommandResult> {
  const { label, content } = await readDocument(args, shell, report.notice);
  const [extract, { cacheFolder }] = await Promise.all([load(), import('./cache-folder.js')]);
  const folder = cacheFolder(shell.env);
  const extraction = prepare(label, () =>
    extract(content, {
      strict: args.has('strict'),
      allow: args.list('allow'),
      env: shell.env,
      notify: report.notice,
      ...(folder === undefined ? {} : { cacheFolder: folder }),
    }),
  );
  report.maskWith(extraction.mask);
  await prepareAsync(label, extraction.check);

  const summary = extraction.summary();
  report.notice({ level: 'info', code: 'valid', message: `${label} is valid: ${describeJobs(summary)}` });
  return { summary };
}

/** `2 jobs (users, events), 1 child job (orders of users)`. */
function describeJobs({ jobs }: Summary): string {
  const names = jobs.filter(({ parent }) => parent === undefined).map(({ job }) => job);
  const below = jobs.flatMap(({ job, parent }) => (parent === undefined ? [] : [`${job} of ${parent}`]));
  const children = below.length === 0 ? [] : [`${counted(below.length, 'child job')} (${below.join(', ')})`];
  return [`${counted(names.length, 'job')} (${names.join(', ')})`, ...children].join(', ');
}
