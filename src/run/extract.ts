/** The engine for code: a configuration becomes observables of receipts, which open and close their sink. */

import { asyncScheduler } from 'rxjs';
import { mustBeComplete } from '../../sinks/recovery.js';
import { type Checkpoint, openCheckpoint } from '../checkpoint/checkpoint.js';
import { namedSecrets } from '../checkpoint/named-secrets.js';
import { markOfConfiguration } from '../checkpoint/run-identity.js';
import { createSecretReferences } from '../checkpoint/secret-refs.js';
import { type JobConfig, withChildren } from '../config/config.js';
import type { Configuration } from '../config/configuration.js';
import { fillFromEnv } from '../config/env.js';
import type { ExpectedConfiguration } from '../config/expected-configuration.js';
import { parseConfig } from '../config/parse-config.js';
import { builtIn } from '../config/registries.js';
import { fillSecrets, type SecretOptions } from '../config/secret-sources.js';
import { tableNotices } from '../config/table-settings.js';
import { ExtractError } from '../core/errors/errors.js';
import { strictError } from '../core/errors/notices.js';
import { allowing, checkAllowed } from '../core/errors/warnings.js';
import { type Exact, fromPlain } from '../core/json/exact.js';
import type { Notice } from '../core/model/notice.js';
import type { Secrets } from '../core/model/secrets.js';
import { maskError } from '../core/secrets/mask-error.js';
import { createSecrets } from '../core/secrets/secrets.js';
import { optionError, usageError } from '../core/util/check-value.js';
import { defined } from '../core/util/defined.js';
import { digestOf } from '../core/util/digest.js';
import { version } from '../core/util/version.js';
import { engineExchanges } from '../http/exchanges.js';
import { readProxyOption } from '../http/transport/proxy.js';
import type { RunMemory } from '../incremental/run-memory.js';
import { buildExtraction } from './build-extraction.js';
import { chooseJobs } from './choose-jobs.js';
import { runToCompletion } from './consume/run-to-completion.js';
import type { Extraction } from './extraction.js';
import { type BackfillOptions, createIncrementalRun, type IncrementalRun } from './incremental-run.js';
import { createIncrementalState } from './incremental-state.js';
import type { Summary } from './job-stats.js';
import { maskedNames } from './masked-names.js';
import { observeMemory } from './observe-memory.js';
import {
  type CompleteOptions,
  type ExtractOptions,
  type RunOptions,
  readExtractOptions,
  readRunOptions,
} from './options.js';
import { mustHaveShapes, mustTakeLetters, type RuledSinks, ruledSinks } from './output/handled-sinks.js';
import { selectTexts } from './output/selects.js';
import { documentOf } from './parse-configuration.js';
import { readPartitionFiles } from './partition-files.js';
import { createRememberedShapes, type RememberedShapes } from './remembered-shapes.js';
import { createRevalidation, hasRevalidation, type Revalidation } from './revalidation.js';
import { createRunContext, type RunContext } from './run-context.js';
import { decidingOptions, leavingOut } from './run-options.js';
import { runProof } from './run-proof.js';
import type { FailedWalks } from './walk/failed-walk.js';
import { failedWalks } from './walk/failed-walks.js';

/**
 * Prepares a configuration: a plain object, the result of `parseConfiguration`, or that of `parseDocument`. Requests
 * nothing before a subscription to `receipts` or the use of a consumer. Throws ERR_CONFIG with every problem at once,
 * ERR_FUNCTION, ERR_USAGE, ERR_RESUME for the checkpoint of another run, and ERR_STRICT for warnings under `strict`.
 */
export function extract<Item = unknown, Given = Configuration>(
  configuration: ExpectedConfiguration<Given>,
  options: ExtractOptions<Item> = {},
): Extraction<Item> {
  const { context, jobs, complete, known, handled, state } = prepareRun(configuration, options);
  hiding(context.secrets, () => mustTakeLetters(jobs, context.sinks));
  const { checkpoint } = complete;
  return {
    ...buildExtraction<Item>(context, jobs, { ...complete, known, handled }),
    state,
    shape: handled.shape,
    proof: () => runProof(context, { known, checkpoint }),
  };
}

/** What a run knows of those before it. */
type Past = Pick<Checkpoint, 'remembered' | 'earlier' | 'forgotten'>;

const pastOf = (remembered: RunMemory | undefined): Past | undefined =>
  remembered === undefined ? undefined : { remembered, earlier: [] };

/**
 * Everything of `extract` but the extraction: reads the configuration, and makes the engine with all clients.
 * `remembered`: of a run without a checkpoint, which only describes what others do.
 */
export function prepareRun<Item = unknown>(configuration: object, given: ExtractOptions<Item>, remembered?: RunMemory) {
  const written = documentOf(configuration);
  const options = readExtractOptions(given);
  const { document, secrets, configs: parsed, notices, proxies } = read(written, options);
  const { configs, values } = hiding(secrets, () => readPartitionFiles(parsed));
  const { checkpoint } = options;
  const past = checkpoint ?? pastOf(remembered);
  checkpoint?.take();
  const before = fromPlain(options.state ?? {});
  const startedAt = checkpoint?.earlier[0]?.begin.startedAt ?? asyncScheduler.now();
  const state = createIncrementalState(before, startedAt);
  const runId = checkpoint?.earlier[0]?.begin.run;
  const handled: RuledSinks = ruledSinks<Item>(given.to, options, {
    notify: (notice) => context.notify(notice),
    mask: (text) => context.secrets.mask(text),
  });
  const settings = { ...options, to: handled.sink, runId, time: state.time, secrets, proxies };
  const context = hiding(secrets, () => createRunContext(configs, document, settings));
  const hasTables = context.sinks.some(({ hasBuckets }) => hasBuckets === true);
  const outputNames = hasTables ? 'bucket.dataType' : options.outputNames;
  const tables = configs.map((config) => config.tables);
  for (const notice of [...notices, ...tableNotices(tables, { outputNames, hasTables })]) {
    context.notify(notice);
  }
  for (const sink of context.sinks) mustBeComplete(sink);
  const chosen = hiding(secrets, () => chooseJobs(context.jobs, options.jobs));
  const failedWalks = hiding(secrets, () => failedWalksOf(context, options, { written, document }));
  const jobs = failedWalks === undefined ? chosen : chosen.filter(({ name }) => failedWalks.of(name).length > 0);
  hiding(secrets, () => mustHaveShapes(handled.judge, jobs));
  const increments = hiding(secrets, () => incrementsOf(context, jobs, options, { past, startedAt }));
  const revalidation = revalidationOf(context, jobs, options, { past, written });
  const shapes = failedWalks === undefined ? shapesOf(context, options, { past, written }) : undefined;
  const applied = {
    ...options,
    outputNames,
    jobs: jobs.map(({ name }) => name).join(', '),
    select: options.select === undefined ? null : selectTexts(options.select).join('\n'),
    state: before,
  };
  const deciding = { options: decidingOptions(applied), unsetOptions: decidingOptions({}) };
  const known = { written, filled: document, values, ...deciding, startedAt };
  return {
    context: { ...context, increments, revalidation, shapes, failedWalks },
    configs,
    jobs,
    complete: { ...options, outputNames },
    known,
    handled,
    state: state.next,
  };
}

/**
 * Runs a configuration to its end. Rejects with the error of the first job that fails. See `extract`, and
 * `openCheckpoint` for the store.
 */
export async function run<Item = unknown, Given = Configuration>(
  configuration: ExpectedConfiguration<Given>,
  options: RunOptions<Item> = {},
): Promise<Summary> {
  readRunOptions(options);
  const { onReceipt, signal, store, resume, ...rest } = options;
  if (store === undefined && resume !== undefined && resume !== false) {
    throw usageError('resume: needs a store to resume from');
  }
  const checkpoint = store === undefined ? rest.checkpoint : await openCheckpoint(store, defined({ resume }));
  try {
    const extraction = extract<Item, Given>(configuration, {
      ...rest,
      ...defined({ checkpoint }),
    });
    await runToCompletion(() => extraction, { onReceipt, signals: [signal] });
    return extraction.summary();
  } finally {
    await checkpoint?.close();
  }
}

/**
 * Reads the configuration and fills in its variables, whose values `secrets` has. The caller reports `notices` when an
 * engine can mask them.
 */
function read(written: Exact, options: CompleteOptions) {
  const proxies = options.proxy === undefined ? undefined : readProxyOption(options.proxy, options.env);
  const filled = fillFromEnv(written, options.env ?? {});
  const found = fillSecrets(filled.document, { sources: sourcesOf(options) });
  const { document } = found;
  const missing = [...filled.missing, ...found.problems];
  const allow = options.allow ?? [];
  checkAllowed(allow);
  const secrets = createSecrets();
  for (const value of [...filled.values, ...found.values, ...(proxies?.secrets ?? [])]) secrets.add(value);
  const hidden = (notice: Notice) => ({ ...notice, message: secrets.mask(notice.message) });
  const report = (notice: Notice) => options.notify?.(hidden(notice));
  const { configs, notices: ofConfig } = hiding(secrets, () => parseConfig(document, builtIn, report, missing));
  const notices = [...filled.notices, ...found.notices, ...ofConfig, ...maskedNames(configs, secrets)].map(hidden);
  const warnings = notices.map(allowing(allow)).filter(({ level }) => level === 'warning');
  if (options.strict && warnings.length > 0) throw strictError(warnings);
  return { document, secrets, configs, notices, proxies };
}

/** A replay needs no secrets. The configuration of a data folder comes from others: it may not open what it likes. */
function sourcesOf({ commands, dataFolder, exchanges }: CompleteOptions): SecretOptions['sources'] {
  if (exchanges !== undefined && engineExchanges(exchanges).isReplay === true) return 'stand in';
  return commands && !dataFolder ? 'open' : 'refuse';
}

/** Masks errors of a configuration: they contain names from it, and a variable may be part of a name. */
function hiding<T>(secrets: Pick<Secrets, 'mask'>, work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    throw thrown instanceof ExtractError ? maskError(thrown, secrets) : thrown;
  }
}

/** Undefined: the run takes all walks. Throws ERR_USAGE for options that would leave some of them out. */
function failedWalksOf(
  { jobs, secrets, notify }: RunContext,
  options: CompleteOptions,
  { written, document }: { readonly written: Exact; readonly document: Exact },
): FailedWalks | undefined {
  const { again, lost = 0 } = options.checkpoint ?? {};
  if (again === undefined) return undefined;
  const given = leavingOut.find((name) => options[name] !== undefined);
  if (given !== undefined) throw optionError(given, 'cannot be used with requests that failed: all of them are sent');
  const why =
    'what their job remembers makes the next run ask for them, or they contain secrets that are never stored, or are more than 10,000';
  if (lost > 0) notify(notSentAgain(lost, why));
  return failedWalks(again, jobs, createSecretReferences(secrets, namedSecrets(written, document)));
}

const notSentAgain = (count: number, why: string): Notice => ({
  level: 'warning',
  code: 'not-sent-again',
  message: `${count === 1 ? 'a request that failed is' : `${count} requests that failed are`} not sent again: ${why}`,
});

/** What jobs remember, of a run with its jobs chosen. */
function incrementsOf(
  { secrets, notify, observer }: RunContext,
  jobs: readonly JobConfig[],
  options: CompleteOptions,
  { past, startedAt }: { readonly past: Past | undefined; readonly startedAt: number },
): IncrementalRun | undefined {
  const { remembered, forgotten = 0 } = past ?? {};
  const backfill = backfillOf(options);
  const increments = createIncrementalRun({
    jobs,
    startedAt,
    secrets,
    notify,
    ...backfill,
    ...defined({ remembered }),
  });
  if (increments !== undefined && forgotten > 0 && options.full !== true)
    notify(notSentAgain(forgotten, 'this run asks for what is new; run with --retry-failed before it'));
  if (increments === undefined || observer === undefined) return increments;
  return observeMemory(increments, observer, remembered);
}

/** Pages that an earlier run has had. Undefined: no job asks. The configuration is read whole only if one does. */
function revalidationOf(
  { secrets, sinks, notify }: RunContext,
  jobs: readonly JobConfig[],
  { select, full, since, until, exchanges }: CompleteOptions,
  { past, written }: { readonly past: Past | undefined; readonly written: Exact },
): Revalidation | undefined {
  if (past === undefined) return undefined;
  const asking = { jobs: withChildren<JobConfig>(jobs), remembered: past.remembered };
  if (!hasRevalidation(asking)) return undefined;
  const places = [select === undefined ? [] : selectTexts(select), sinks.map(({ name = '' }) => name)];
  return createRevalidation({
    ...asking,
    mark: digestOf(JSON.stringify([version, markOfConfiguration(written, secrets), places])),
    sends: full !== true && exchanges === undefined,
    isBackfill: since !== undefined || until !== undefined,
    notify,
  });
}

/** What items were in earlier runs. A backfill has items of another time. */
function shapesOf(
  { secrets, notify }: RunContext,
  { select, since, until }: CompleteOptions,
  { past, written }: { readonly past: Past | undefined; readonly written: Exact },
): RememberedShapes | undefined {
  if (past === undefined || since !== undefined || until !== undefined) return undefined;
  const selected = select === undefined ? [] : selectTexts(select);
  return createRememberedShapes({
    remembered: past.remembered,
    // The number is that of the stored form.
    mark: digestOf(JSON.stringify(['1', markOfConfiguration(written, secrets), selected])).slice(0, 16),
    notify,
    mask: secrets.mask,
    isRest: past.earlier.some(({ phase }) => phase !== 'done'),
  });
}

/** The options that decide where jobs with `incremental` begin. */
const backfillOf = ({ full, since, until, remember }: CompleteOptions): BackfillOptions =>
  defined({ full, since, until, remember });
