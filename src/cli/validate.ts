/** `rxtract validate`: does everything that `run` does before its first request, and sends none. */
import type { Sink } from '../../sinks/contract.js';
import { usageError } from '../core/util/check-value.js';
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
  rxtract validate config.json --to nats://localhost:4222/items?stream=ITEMS --connect
                                           connects to the destination, without a request to the API
`;

const sinkOptions = {
  to: { value: 'URI', about: 'check this sink too, as in run; may be repeated' },
  connect: { about: 'with --to: connect to the destinations, and check what can be checked without a change' },
};

export const validate = validateWith(async () => (await import('../run/extract.js')).extract);

/** Creates the command for an engine; tests pass their own. */
export function validateWith(load: () => Promise<typeof extract<unknown>>): Command {
  return {
    name: 'validate',
    summary: 'check a configuration without sending a request',
    options: { ...sinkOptions, ...setOption, ...strictOption, ...logOption },
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
  const to = await givenSinks(args, shell, report);
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
      ...(to === undefined ? {} : { to }),
    }),
  );
  report.maskWith(extraction.mask);
  await prepareAsync(label, extraction.check);
  if (to !== undefined && args.has('connect')) await (await import('./open-sinks.js')).checkSinks(to, report);

  const summary = extraction.summary();
  report.notice({ level: 'info', code: 'valid', message: `${label} is valid: ${describeJobs(summary)}` });
  return { summary };
}

/** The sinks of `--to`. Throws ERR_USAGE. */
async function givenSinks(args: ParsedArguments, shell: Shell, report: Report): Promise<Sink | undefined> {
  if (args.has('to')) return (await import('./open-sinks.js')).openSinks(args, shell, report);
  if (args.has('connect')) throw usageError('--connect needs --to URI: the sink to connect to');
  return undefined;
}

/** `2 jobs (users, events), 1 child job (orders of users)`. */
function describeJobs({ jobs }: Summary): string {
  const names = jobs.filter(({ parent }) => parent === undefined).map(({ job }) => job);
  const below = jobs.flatMap(({ job, parent }) => (parent === undefined ? [] : [`${job} of ${parent}`]));
  const children = below.length === 0 ? [] : [`${counted(below.length, 'child job')} (${below.join(', ')})`];
  return [`${counted(names.length, 'job')} (${names.join(', ')})`, ...children].join(', ');
}
