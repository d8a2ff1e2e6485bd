/** The flags of `rxtract run`: their rows, those that other commands share first, and their help. */
import { flagsOf } from '../core/options/flags.js';
import type { OptionRows } from '../core/options/kind.js';
import { duration, file, flag, folder, nonEmptyText, text, whole, word } from '../core/options/kinds.js';
import { listOf } from '../core/options/object-kinds.js';
import { choiceRows, commandRows, jobRows, setRows, sharedRows } from '../run/run-options.js';
import { wrap } from '../tools/text/lines.js';
import type { ParsedArguments } from './arguments.js';
import { onBoardRows } from './shared/shared-flags.js';

export const logRows = {
  log: {
    kind: word('text', 'json'),
    default: 'text',
    summary: 'log format: text, or json with [one object a line](05-command-line.md#--log-json)',
  },
} satisfies OptionRows;

export const toRows = {
  to: {
    kind: listOf(text, 'addresses'),
    value: '[NAME=]URI',
    summary: '[sink](07-sinks.md) for the items, or those of [data type NAME](07-sinks.md#routes)',
    otherwise: 'ndjson:out',
  },
} satisfies OptionRows;

export const itemErrorRows = {
  onItemError: {
    kind: { ...text, offers: ['fail', 'skip', 'dead-letter='] },
    value: 'RULE',
    summary:
      '[items that a destination refuses](07-sinks.md#items-that-a-destination-refuses): fail, skip, or dead-letter=URI',
    otherwise: 'fail',
  },
} satisfies OptionRows;

export const shapeRows = {
  shape: {
    kind: file,
    summary: 'compare each item with [the shape](15-tables.md#shapes) in FILE, as rxtract shape writes it',
  },
} satisfies OptionRows;

export const reportRows = {
  report: {
    kind: file,
    summary:
      'write [a page](05-command-line.md#the-page-of-a-run) about the run: what came, how fast, what waited, what was odd',
  },
} satisfies OptionRows;

export const certificateRows = {
  certificate: {
    kind: file,
    excludes: ['retryFailed'],
    summary: 'write [a certificate](18-certificates.md) of the run to FILE, for rxtract verify',
  },
} satisfies OptionRows;

export const proxyRows = { proxy: { ...sharedRows.proxy, summary: 'as in run' } } satisfies OptionRows;

export const exchangeRows = {
  record: {
    kind: file,
    excludes: ['replay'],
    summary: '[record](05-command-line.md#a-recording) all requests and responses in FILE, secrets masked',
  },
  replay: {
    kind: file,
    summary: 'answer all requests from the recording FILE, without a connection or a wait',
  },
} satisfies OptionRows;

const { jobs, ...warningRows } = jobRows;
const {
  full,
  since,
  until,
  remember,
  maxDuration,
  concurrency,
  prefetch,
  onChangedPage,
  onDrift,
  cacheFolder,
  replaceEmpty,
  ...requestRows
} = sharedRows;
const { select, ...limitRows } = choiceRows;

/** Of a run that keeps its progress. */
export const stateRows = {
  state: {
    kind: folder,
    value: 'PATH',
    summary:
      'save the progress of the run in [the folder PATH](06-resume.md), or at [a server](06-resume.md#a-state-at-a-server) such as postgres://...?state=NAME, for --resume; with --on the name of [a state at the board](19-workers.md#what-jobs-remember)',
  },
  resume: {
    kind: flag,
    excludes: ['resumeOnly'],
    summary:
      'continue the run in --state PATH if it was interrupted, or else [start a new run](06-resume.md#with-a-scheduler)',
  },
  resumeOnly: {
    kind: flag,
    summary:
      'the same, but do nothing if that run is complete: for [supervisors](06-resume.md#with-a-scheduler) that start a run again',
  },
  retryFailed: {
    kind: flag,
    excludes: ['resume', 'resumeOnly'],
    summary:
      'send only the requests again that [failed and were left out](04-child-jobs.md#requests-that-failed-again) in the run in --state PATH',
  },
  drain: {
    // A little more than a day.
    kind: duration('s', 0, 99_999_000),
    default: 5000,
    summary: 'with --state: how long an interrupt waits for the current page, in seconds or with a unit',
  },
} satisfies OptionRows;

/** Of a process that stays. */
export const scheduleRows = {
  schedule: {
    kind: nonEmptyText,
    value: 'CRON',
    summary:
      "stay, and run at [these times](16-scheduling.md#a-process-that-stays), one run after the other, as in `'*/15 * * * *'`",
  },
  jitter: {
    kind: duration('s', 0, 86_400_000),
    default: 0,
    summary: 'with --schedule: start each run later by a random time below this, in seconds or with a unit',
  },
  health: {
    kind: nonEmptyText,
    value: '[HOST:]PORT',
    summary: 'with --schedule: answer at `/healthz` of this port, without HOST to this machine alone',
  },
} satisfies OptionRows;

/** What others see of a run. */
export const watchRows = {
  ui: {
    kind: flag,
    excludes: ['quiet'],
    summary: 'show the run on [a page](22-page.md#the-run-at-hand) of this machine, whose address is printed',
  },
  metrics: {
    kind: nonEmptyText,
    value: '[HOST:]PORT',
    summary: 'show [metrics](20-watching.md#metrics) at `/metrics` of this port, without HOST to this machine alone',
  },
  metricsPush: {
    kind: nonEmptyText,
    value: 'URL',
    summary: 'push [metrics](20-watching.md#pushed) over OTLP, every minute and at the end of each run',
  },
  lineage: {
    kind: nonEmptyText,
    value: 'URL',
    summary:
      'send events of [OpenLineage](20-watching.md#lineage) about the run to a server, or add them to a file as `file:FILE`',
  },
  traceparent: {
    kind: flag,
    summary: 'with [traces](20-watching.md#traces): send the header `traceparent` to the API',
  },
} satisfies OptionRows;

/** Which pages are read by a command that writes no items. */
export const pageRows = {
  jobs: { ...jobs, summary: 'only this job, with its children' },
  pages: { kind: whole(1, 999_999), default: 1, summary: 'pages of each job' },
} satisfies OptionRows;

/** How they are read. */
export const readingRows = {
  ...setRows,
  ...commandRows,
  ...proxyRows,
  maxItemBytes: sharedRows.maxItemBytes,
  ...exchangeRows,
  ...warningRows,
  ...logRows,
} satisfies OptionRows;

export const runFlagRows = {
  ...toRows,
  select,
  jobs,
  ...setRows,
  ...commandRows,
  ...limitRows,
  maxDuration,
  concurrency,
  prefetch,
  ...stateRows,
  ...onBoardRows,
  ...scheduleRows,
  ...watchRows,
  full,
  since,
  until,
  remember,
  onChangedPage,
  ...itemErrorRows,
  ...shapeRows,
  onDrift,
  dataDir: {
    kind: folder,
    summary: 'use a [data folder](05-command-line.md#a-data-folder) instead of CONFIG',
    otherwise: 'KBC_DATADIR, if set',
  },
  cacheFolder: { ...cacheFolder, otherwise: 'in the cache folder of the user' },
  ...requestRows,
  ...exchangeRows,
  ...certificateRows,
  replaceEmpty,
  ...warningRows,
  ...reportRows,
  quiet: { kind: flag, summary: 'print only warnings and errors' },
  ...logRows,
} satisfies OptionRows;

export const runFlags = flagsOf(runFlagRows);

/** Flags that may contain a secret, or are no part of what a run does. */
const notShown = new Set(['to', 'set', 'proxy', 'state', 'on-item-error', 'report', 'quiet', 'log', 'shape']);

/** The options of the run that a report names, as they were given. */
export function shownOptions(args: Pick<ParsedArguments, 'has' | 'list'>): Readonly<Record<string, string>> {
  const names = Object.keys(runFlags).filter((name) => args.has(name) && !notShown.has(name));
  return Object.fromEntries(names.map((name) => [name, args.list(name).join(', ')]));
}

const examples = `Examples
  rxtract run config.json                                each data type to out/<data type>.ndjson
  rxtract run config.json --to stdout: | jq .name        items to another program, at its pace
  rxtract run config.json --job users --to null:         count the items of one job
  rxtract run config.json --to users=ndjson:a --to null: the users to files; count all other items
  rxtract run config.json --select 'id, name, !password' only these members of each item
  rxtract run config.json --to stdout: --max-items 10    a first look at an API
  rxtract run - --log json --quiet < config.json         for a scheduler: warnings, errors and the summary as JSON
  rxtract run config.json --set config.since=2026-01-01  change one value
  rxtract run config.json --state st --resume            continue the last run if it was interrupted, else a new run
  rxtract run config.json --record run.jsonl             keep all responses; --replay run.jsonl needs no API then
  rxtract run --data-dir /data                           configuration, state and items in one folder
  rxtract run config.json --to postgres://h/db --on postgres://h/jobs   with workers, see rxtract worker --help

Resume: a run with --state that fails, is interrupted or is killed loses nothing. The same command with --resume
continues after the last page that was written; after a successful run it starts a new one. With --resume-only it does
nothing then. Without both, a new run starts.

Data folder: rxtract reads config.json and in/state.json. It writes tables to out/tables/<bucket>.<table>, or what --to
says, and the next state to out/state.json after the whole run has succeeded. CONFIG is not allowed with it.

Output: during the run, a file is named .ndjson.partial. It replaces the earlier file after the whole run has succeeded.

Interrupt: the first Ctrl-C ends the run in order, the second ends it at once.
`;

/** The text of `rxtract run --help` after the options. */
export const runDetails = async (): Promise<string> => `${await sinkHelp()}\n${examples}`;

/** Loads the registry, which is small: no sink opens anything before it is used. */
async function sinkHelp(): Promise<string> {
  const { sinks } = await import('../../sinks/registry.js');
  const rows = Object.values(sinks).flatMap(({ address, summary }) => [
    `  ${address.form}`,
    ...wrap(summary, '      ', '      '),
  ]);
  return ['Sinks (rxtract sinks lists their guarantees and options)', ...rows, ''].join('\n');
}
