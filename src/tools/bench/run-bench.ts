/** `rxtract bench`: runs a configuration repeatedly, and shows what was measured. */
import { constants } from 'node:fs';
import { access, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { asyncScheduler } from 'rxjs';
import type { ParsedArguments } from '../../cli/arguments.js';
import { readFlags } from '../../cli/arguments.js';
import type { CommandResult } from '../../cli/command.js';
import { type Document, readDocument } from '../../cli/document.js';
import { executeInterruptible } from '../../cli/execute-run.js';
import { openItemErrors, openSinks } from '../../cli/open-sinks.js';
import type { Report } from '../../cli/report.js';
import { warnOfPassword } from '../../cli/run-jobs.js';
import type { Shell } from '../../cli/shell.js';
import { applyAssignments } from '../../config/set.js';
import { ExtractError } from '../../core/errors/errors.js';
import { describeSystemError } from '../../core/errors/system-error.js';
import { fromPlain, isObject } from '../../core/json/exact.js';
import type { Notify } from '../../core/model/notice.js';
import { usageError } from '../../core/util/check-value.js';
import { defined } from '../../core/util/defined.js';
import { extract } from '../../run/extract.js';
import { flagRows } from '../../run/run-options.js';
import { prepare } from '../text/errors.js';
import { counted } from '../text/format.js';
import { benchOptions } from './bench-options.js';
import { readOther } from './compare.js';
import { configurationFor } from './generated-api.js';
import { remoteHosts } from './hosts.js';
import { reportPage } from './report-page.js';
import type { BenchResult } from './result.js';
import { type BenchSettings, readSettings } from './settings.js';
import { shapeText } from './shape.js';
import { startServer } from './start-server.js';
import { summarize } from './summarize.js';
import { benchTable } from './text-table.js';
import { runTrials, type TrialContext, trialsOf } from './trials.js';

interface BenchContext {
  readonly settings: BenchSettings;
  readonly args: ParsedArguments;
  readonly shell: Shell;
  readonly report: Report;
}

/** Resolves when all is shown and written. Rejects with ERR_USAGE, and with what a run rejects with. */
export async function runBench(args: ParsedArguments, shell: Shell, report: Report): Promise<CommandResult> {
  const settings = readSettings(args);
  warnOfPassword(args, report);
  const context = { settings, args, shell, report };
  if (settings.listen !== undefined) return serve(settings.listen, context);
  for (const name of ['json', 'report'] as const) await checkFolder(name, settings[name]);
  const other = settings.compare === undefined ? undefined : await readOther(settings.compare);
  const server = settings.server === undefined ? undefined : await startServer(settings.server);
  try {
    const document = await documentOf(server?.origin, context);
    await confirm(document, context);
    const interrupts = { ...shell, notify: report.notice };
    return await executeInterruptible(interrupts, (signal) => measure(document, other, context, signal));
  } finally {
    server?.stop();
  }
}

async function measure(
  { label, content }: Document,
  other: BenchResult | undefined,
  { settings, args, shell, report }: BenchContext,
  signal: AbortSignal,
): Promise<CommandResult> {
  const notify = once(report.notice);
  const addressed = args.has('to') ? args : withNull(args);
  const startedAt = asyncScheduler.now();
  const run: TrialContext['prepare'] = async (trial, onActivity) => {
    const quieter = { ...report, notice: notify };
    const to = openSinks(addressed, shell, quieter);
    const options = {
      ...trial.options,
      ...defined({ onItemError: openItemErrors(addressed, shell, quieter) }),
    };
    const allow = [...(options.allow ?? []), ...unimportant(settings)];
    const extraction = await prepare(label, () =>
      extract(content, { ...options, allow, onActivity, to, env: shell.env, notify }),
    );
    report.maskWith(extraction.mask);
    return extraction;
  };
  const trials = trialsOf(settings.sweeps, readFlags(args, flagRows));
  const runs = await runTrials(trials, settings, { prepare: run, notify, signal });
  if ('summary' in runs) return runs;
  const result = summarize(runs, {
    settings,
    label,
    startedAt,
    mask: report.mask,
    options: optionsOf(args, report.mask),
  });
  if (settings.json !== undefined) await write('json', settings.json, `${JSON.stringify(result)}\n`);
  if (settings.report !== undefined) await write('report', settings.report, await reportPage(result, other));
  shell.stdout.write(`${benchTable(result, other).join('\n')}\n`);
  return {};
}

const withNull = (args: ParsedArguments): ParsedArguments => ({
  ...args,
  list: (name) => (name === 'to' ? ['null:'] : args.list(name)),
});

/** Options that are no part of the result, or may contain a secret. */
const notShown = new Set([
  'to',
  'set',
  'proxy',
  'repeat',
  'warm-up',
  'sweep',
  'json',
  'report',
  'compare',
  'yes',
  'quiet',
  'log',
  'shape',
  'server',
]);

function optionsOf(args: ParsedArguments, mask: (text: string) => string): Readonly<Record<string, string>> {
  const names = Object.keys(benchOptions).filter((name) => args.has(name) && !notShown.has(name));
  return Object.fromEntries(names.map((name) => [name, mask(args.list(name).join(', '))]));
}

/**
 * Warnings that say nothing about a measurement: a response from the cache would be none, and the generated API really
 * has a round number of items.
 */
const unimportant = ({ server }: BenchSettings): readonly string[] => [
  'cache-not-used',
  ...(server === undefined ? [] : ['round-end']),
];

/** Each run would repeat the same notices. */
function once(notify: Notify): Notify {
  const seen = new Set<string>();
  return (notice) => {
    const text = `${notice.job} ${notice.message}`;
    if (notice.code !== 'retry' && seen.has(text)) return;
    seen.add(text);
    notify(notice);
  };
}

async function documentOf(
  origin: string | undefined,
  { settings, args, shell, report }: BenchContext,
): Promise<Document> {
  if (settings.server === undefined || origin === undefined) return readDocument(args, shell, report.notice);
  const content = fromPlain(configurationFor(origin, settings.server));
  if (!isObject(content)) throw new ExtractError('ERR_INTERNAL', 'the configuration of the generated API is no object');
  const label = `the generated API (${shapeText(settings.server)})`;
  return { label, content: applyAssignments(content, args.list('set'), report.notice) };
}

/** Asks before an API of others gets several runs. Throws ERR_USAGE without a yes. */
async function confirm({ label, content }: Document, { settings, args, shell }: BenchContext): Promise<void> {
  const runs = (settings.warmUp + settings.repeat) * trialsOf(settings.sweeps, {}).length;
  const hosts = [...remoteHosts(content, shell.env), ...(args.has('proxy') ? ['a proxy'] : [])];
  if (settings.isConfirmed || runs === 1 || hosts.length === 0) return;
  const what = `${label} sends requests to ${hosts.join(', ')}, in ${counted(runs, 'run')}`;
  if (!shell.isInteractive || args.positionals.includes('-')) {
    throw usageError(`${what}. Add --yes if its owner allows that`);
  }
  shell.stderr.write(`${what}. Does its owner allow that? [y/N] `);
  for await (const line of shell.stdin()) {
    if (/^y(es)?\s*$/i.test(String(line))) return;
    break;
  }
  throw usageError('not confirmed: no request was sent');
}

async function checkFolder(option: string, path: string | undefined): Promise<void> {
  if (path === undefined) return;
  await access(dirname(path), constants.W_OK).catch((thrown: unknown) => {
    throw notWritten(option, path, thrown);
  });
}

const write = (option: string, path: string, content: string): Promise<void> =>
  writeFile(path, content).catch((thrown: unknown) => {
    throw notWritten(option, path, thrown);
  });

const notWritten = (option: string, path: string, thrown: unknown) =>
  usageError(`--${option} ${path}: cannot be written: ${describeSystemError(thrown)}`);

/** Serves the generated API until a signal. Its configuration goes to standard output. */
async function serve(port: number, { settings, shell, report }: BenchContext): Promise<CommandResult> {
  if (settings.server === undefined) throw new ExtractError('ERR_INTERNAL', 'there is no shape to serve');
  const { origin, stop } = await startServer(settings.server, port);
  const message = `the generated API (${shapeText(settings.server)}) is at ${origin}/items until an interrupt`;
  report.notice({ level: 'info', code: 'bench', message });
  shell.stdout.write(`${JSON.stringify(configurationFor(origin, settings.server))}\n`);
  await new Promise<void>((resolve) => {
    const stopListening = shell.onSignal(() => {
      stopListening();
      resolve();
    });
  });
  stop();
  return {};
}
