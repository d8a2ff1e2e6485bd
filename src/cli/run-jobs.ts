/** What `rxtract run` does: opens source, sinks and state, runs the jobs, and stores the next state. */
import type { Checkpoint, CheckpointOptions, openCheckpoint } from '../checkpoint/checkpoint.js';
import type { Store } from '../checkpoint/store/store.js';
import { asExtractError } from '../core/errors/errors.js';
import type { Notice } from '../core/model/notice.js';
import type { Receipt } from '../core/model/page.js';
import { cacheFolder } from '../core/util/cache-folder.js';
import { usageError } from '../core/util/check-value.js';
import { defined } from '../core/util/defined.js';
import type { Observe } from '../http/observer.js';
import { hasLiteralPassword } from '../http/transport/proxy.js';
import { listeningTogether } from '../page/progress.js';
import type { extract } from '../run/extract.js';
import { flagRows } from '../run/run-options.js';
import type { RunReport } from '../tools/report/run-report.js';
import { readShapeFile, shapeText, writeWhole } from '../tools/shape/shape-file.js';
import { prepare } from '../tools/text/errors.js';
import { mustBeWritable } from '../tools/written-file.js';
import { type ParsedArguments, readFlags } from './arguments.js';
import type { CommandResult } from './command.js';
import { openDataFolder } from './data-folder.js';
import { notifyUnlessAllowed, type RunSource, readDocument } from './document.js';
import { executeRun } from './execute-run.js';
import { readExchangeOptions, withExchanges } from './open-exchanges.js';
import { deadLetterAddress, openItemErrors, openSinks } from './open-sinks.js';
import { openState } from './open-state.js';
import { commandRemedy, type Live, type Report } from './report.js';
import { certificateRows, reportRows, runFlagRows, shapeRows, shownOptions, stateRows } from './run-flags.js';
import type { Shell } from './shell.js';

export interface RunEngine {
  readonly extract: typeof extract<unknown>;
  readonly openCheckpoint: typeof openCheckpoint;
  /** Epoch ms. */
  now(): number;
}

export interface RunParts {
  readonly load: () => Promise<RunEngine>;
  /** What watches the run; absent: nothing does. */
  readonly observe?: readonly Observe[] | undefined;
}

/** Runs the jobs that the arguments name. Resolves when sinks and state are closed; rejects with failures before. */
export async function runJobs(
  args: ParsedArguments,
  shell: Shell,
  log: Report,
  { load, observe }: RunParts,
): Promise<CommandResult> {
  const [choices, state, open] = [readFlags(args, flagRows), stateOptions(args), readExchangeOptions(args)];
  const runReport = await openReport(args);
  const { certificate } = readFlags(args, certificateRows);
  if (certificate !== undefined) await mustBeWritable('--certificate', certificate);
  const report = runReport === undefined ? log : listening(log, runReport);
  const store = state === undefined ? undefined : openState(state.path, { args, shell, report, place: '--state' });
  warnOfPassword(args, report);
  const source = await openSource(args, shell, report);
  const onItemError = openItemErrors(args, shell, report);
  const shape = await openShape(args);
  const engine = await load();
  const checkpoint = await checkpointOf(engine, store, state?.resume);
  try {
    const { content } = source;
    return await withExchanges({ open, content }, { args, shell, report }, (exchanges, env) => {
      const options = {
        ...choices,
        ...source.options,
        ...defined({ checkpoint, onItemError, exchanges, shape, certify: certifying(args), observe }),
      };
      const context = { engine, args, shell: { ...shell, env }, report, runReport, drainMs: state?.drainMs };
      return runSource({ ...source, options }, context);
    });
  } finally {
    await checkpoint?.close();
  }
}

/** The page of `--report`. Its parts are loaded if it is asked for. */
async function openReport(args: ParsedArguments): Promise<RunReport | undefined> {
  const { report: path } = readFlags(args, reportRows);
  if (path === undefined) return undefined;
  const { openRunReport } = await import('../tools/report/run-report.js');
  return openRunReport(path, { label: args.positionals[0] ?? 'a data folder', options: shownOptions(args) });
}

/** The report of the command, which passes on what the page shows. */
const listening = (report: Report, { notice, page }: RunReport): Report => ({
  ...report,
  notice(each) {
    notice(each);
    report.notice(each);
  },
  page(receipt, at) {
    page(receipt);
    report.page(receipt, at);
  },
});

/** Process lists show the arguments of a command to all users of a machine. */
export function warnOfPassword(args: ParsedArguments, { notice }: Pick<Report, 'notice'>): void {
  const given = args.list('proxy');
  if (given.length === 0) return;
  if (given.some(hasLiteralPassword)) notifyUnlessAllowed([passwordInArguments], args, notice);
}

const passwordInArguments: Notice = {
  level: 'warning',
  code: 'password-in-arguments',
  message: `--proxy: process lists show the password in the command; use an environment variable instead: --proxy 'http://user:\${PROXY_PASSWORD}@host:port'`,
};

interface RunContext {
  readonly engine: RunEngine;
  readonly args: ParsedArguments;
  readonly shell: Shell;
  readonly report: Report;
  readonly runReport: RunReport | undefined;
  /** How long an interrupt waits; absent: no state is kept. */
  readonly drainMs: number | undefined;
}

async function runSource(source: RunSource, context: RunContext): Promise<CommandResult> {
  const { label, content, to, options, save } = source;
  const live = await liveOf(context, source);
  const { engine, args, shell, report, runReport, drainMs } = context;
  const { extract, now } = engine;
  const onActivity = listeningTogether([live?.onActivity, runReport?.onActivity]);
  const listeners = defined({ onActivity, onOutlook: live?.onOutlook });
  const extraction = await prepare(label, () =>
    extract(content, { ...options, ...listeners, to, env: shell.env, notify: report.notice }),
  );
  report.maskWith(extraction.mask);
  live?.show(() => extraction.summary().jobs);
  runReport?.begin(now());

  const notify = (notice: Notice) => {
    live?.end(); // What follows is no work of the jobs, and a second interrupt must not leave a frame behind.
    report.notice(notice);
  };
  const page = (receipt: Receipt) => report.page(receipt, now());
  const outcome = await executeRun(extraction, { page, notify, ...defined({ drainMs }) }, shell);
  const summary = extraction.summary();
  const finish = async () => {
    await save(extraction.state, summary);
    await evolve(args, extraction);
    await certify(source, context, extraction);
  };
  const failure = outcome.failure ?? (await catchFailure(finish));
  const result = { ...outcome, ...defined({ failure }), summary };
  await runReport?.write({ ...result, remedyOf: commandRemedy, mask: report.mask }).catch((thrown: unknown) => {
    report.notice({ level: 'warning', code: 'report-not-written', message: asExtractError(thrown).message });
  });
  return result;
}

/** No display beside a recording: its frames would move the time of the run. */
const liveOf = ({ args, report }: RunContext, { options }: RunSource): Promise<Live | undefined> =>
  report.live({ isFree: !writesToStdout(args), isTimed: options.exchanges === undefined });

async function openSource(args: ParsedArguments, shell: Shell, report: Report): Promise<RunSource> {
  const { dataDir, cacheFolder: given } = readFlags(args, runFlagRows);
  const dir = dataDir ?? (args.positionals.length === 0 ? shell.env.KBC_DATADIR : undefined);
  if (dir !== undefined && dir !== '') return openDataFolder(dir, args, shell, report);
  const to = openSinks(args, shell, report);
  const document = await readDocument(args, shell, report.notice);
  return { ...document, to, options: defined({ cacheFolder: given ?? cacheFolder(shell.env) }), save: async () => {} };
}

/** The shape in the file of `--shape`. */
export async function openShape(args: ParsedArguments): Promise<object | undefined> {
  const { shape } = readFlags(args, shapeRows);
  if (shape === undefined && args.has('on-drift')) throw usageError('--on-drift needs --shape FILE');
  return shape === undefined ? undefined : readShapeFile(shape);
}

/** With `--on-drift evolve`, the file gets the shape that the items have. It stays as it is if none has differed. */
async function evolve(args: ParsedArguments, { shape, summary }: ReturnType<RunEngine['extract']>): Promise<void> {
  const path = args.last('shape');
  const document = shape();
  if (path === undefined || document === undefined || args.last('on-drift') !== 'evolve') return;
  if (summary().drift === undefined) return;
  await writeWhole(path, shapeText(document));
}

/** Absent: the run gets no certificate. */
const certifying = (args: ParsedArguments): true | undefined => (args.has('certificate') ? true : undefined);

/** With `--certificate`, writes the certificate of a run that has succeeded. */
async function certify(
  { label }: RunSource,
  { args, report, engine }: RunContext,
  extraction: ReturnType<RunEngine['extract']>,
): Promise<void> {
  const { certificate: path } = readFlags(args, certificateRows);
  const proof = extraction.proof();
  if (path === undefined || proof === undefined) return;
  const { issueCertificate } = await import('../tools/certificate/make-certificate.js'); // for such a run alone
  const run = { proof, summary: extraction.summary(), label, dir: '.', endedAt: engine.now(), mask: report.mask };
  for (const message of await issueCertificate(path, run)) {
    report.notice({ level: 'info', code: 'certificate', message });
  }
}

async function catchFailure(work: () => Promise<void>): Promise<unknown> {
  try {
    await work();
    return undefined;
  } catch (thrown) {
    return thrown;
  }
}

/** The options with `--state`; undefined: no state is kept. */
function stateOptions(args: ParsedArguments) {
  const { state, drain, resume, resumeOnly, retryFailed } = readFlags(args, stateRows);
  const alone = ['resume', 'resume-only', 'retry-failed', 'drain', 'on-changed-page'].find((name) => args.has(name));
  if (state === undefined && alone !== undefined) throw usageError(`--${alone} needs --state PATH`);
  if (state === undefined) return undefined;
  return {
    path: state,
    drainMs: drain,
    resume: retryFailed === true ? ('failed' as const) : resumeOnly === true ? ('only' as const) : resume === true,
  };
}

const checkpointOf = async (
  { openCheckpoint: open }: RunEngine,
  store: Store | undefined,
  resume: CheckpointOptions['resume'],
): Promise<Checkpoint | undefined> => (store === undefined ? undefined : open(store, defined({ resume })));

/** Its reader may write to the terminal on which a display would be drawn. */
const writesToStdout = (args: ParsedArguments): boolean =>
  [...args.list('to'), deadLetterAddress(args) ?? ''].some((uri) => /^(?:[^:=]*=)?stdout:/i.test(uri));
