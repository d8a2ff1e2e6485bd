/** `rxtract bench`: runs a configuration repeatedly, and shows what was measured. */
import { constants } from 'node:fs';
import { access, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { applyAssignments } from '../config/set.js';
import { ExtractError } from '../core/errors/errors.js';
import { describeSystemError } from '../core/errors/system-error.js';
import { fromPlain, isObject } from '../core/json/exact.js';
import type { OptionsOf } from '../core/options/kind.js';
import { usageError } from '../core/util/check-value.js';
import { defined } from '../core/util/defined.js';
import { flagRows } from '../run/run-options.js';
import { readOther } from '../tools/bench/compare.js';
import { configurationFor } from '../tools/bench/generated-api.js';
import { remoteHosts } from '../tools/bench/hosts.js';
import { measureConfiguration } from '../tools/bench/measure-configuration.js';
import { reportPage } from '../tools/bench/report-page.js';
import type { BenchResult } from '../tools/bench/result.js';
import { type MeasureSettings, measureRows, sweepValues } from '../tools/bench/settings.js';
import { parseShape, shapeText } from '../tools/bench/shape.js';
import { startServer } from '../tools/bench/start-server.js';
import { benchTable } from '../tools/bench/text-table.js';
import { trialsOf } from '../tools/bench/trials.js';
import { counted } from '../tools/text/format.js';
import type { ParsedArguments } from './arguments.js';
import { readFlags } from './arguments.js';
import type { CommandResult } from './command.js';
import { type Document, readDocument } from './document.js';
import { executeInterruptible } from './execute-run.js';
import { openItemErrors, openSinks } from './open-sinks.js';
import type { Report } from './report.js';
import { shownOptions, toRows } from './run-flags.js';
import { warnOfPassword } from './run-jobs.js';
import type { Shell } from './shell.js';

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
  const addressed = args.has('to') ? args : withNull(args);
  const result = await measureConfiguration(content, {
    ...settings,
    label,
    options: { ...readFlags(args, flagRows), env: shell.env },
    shownOptions: shownOptions(args),
    openSinks(notify) {
      const quieter = { ...report, notice: notify };
      const onItemError = openItemErrors(addressed, shell, quieter);
      return { to: openSinks(addressed, shell, quieter), ...defined({ onItemError }) };
    },
    notify: report.notice,
    mask: report.mask,
    maskWith: report.maskWith,
    signal,
  });
  if ('summary' in result) return result;
  if (settings.json !== undefined) await write('json', settings.json, `${JSON.stringify(result)}\n`);
  if (settings.report !== undefined) await write('report', settings.report, await reportPage(result, other));
  shell.stdout.write(`${benchTable(result, other).join('\n')}\n`);
  return {};
}

const withNull = (args: ParsedArguments): ParsedArguments => ({
  ...args,
  list: (name) => (name === 'to' ? ['null:'] : args.list(name)),
});

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

export interface BenchSettings extends MeasureSettings, Pick<BenchOptions, 'json' | 'report' | 'compare' | 'listen'> {
  readonly isConfirmed: boolean;
}

type BenchOptions = OptionsOf<typeof measureRows>;

/** Reads the settings. Throws ERR_USAGE. */
export function readSettings(args: ParsedArguments): BenchSettings {
  const {
    server,
    shape = [],
    sweep = [],
    yes,
    to = ['null:'],
    ...options
  } = readFlags(args, { ...measureRows, ...toRows });
  const hasApi = server === true || options.listen !== undefined;
  if (!hasApi && args.has('shape')) throw usageError('--shape needs --server or --listen');
  const [path] = args.positionals;
  if (!hasApi && path === undefined) {
    throw usageError('CONFIG is missing: the path of a configuration, or - for standard input; or give --server');
  }
  if (hasApi && path !== undefined) {
    const hint = 'to measure a configuration of your own against it, start it with --listen';
    throw usageError(`--${server === true ? 'server' : 'listen'} takes no CONFIG, found "${path}"; ${hint}`);
  }
  return {
    ...options,
    sweeps: [...new Set(sweep)].map((option) => ({ option, values: sweepValues[option] })),
    isConfirmed: yes === true,
    server: hasApi ? parseShape(shape) : undefined,
    to: schemesOf(to),
  };
}

/** The schemes of `--to`: the rest of an address may be a secret. */
function schemesOf(addresses: readonly string[]): readonly string[] {
  const schemes = addresses.map((uri) => /^(?:[^:=]*=)?([^:]*)/.exec(uri)?.[1]?.toLowerCase() ?? '');
  if (schemes.includes('stdout')) {
    throw usageError('--to stdout: has no place in a measurement, whose table goes there; use null: or ndjson:DIR');
  }
  return schemes.map((scheme) => `${scheme}:`);
}
