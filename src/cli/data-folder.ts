/**
 * The data folder of a run: contains configuration and state, and receives items and, after success, the next state.
 */
import { open, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sink } from '../../sinks/contract.js';
import { delegate } from '../../sinks/delegate.js';
import { refused } from '../../sinks/errors.js';
import { createFolder } from '../../sinks/files/folder.js';
import { createOutputFile } from '../../sinks/files/output-file.js';
import { tables } from '../../sinks/related-tables/tables.js';
import { asExtractError, ExtractError } from '../core/errors/errors.js';
import { strictError } from '../core/errors/notices.js';
import { describeSystemError } from '../core/errors/system-error.js';
import { allowing } from '../core/errors/warnings.js';
import {
  type ExactObject,
  emptyObject,
  fromPlain,
  isArray,
  isNumber,
  isObject,
  stringifyExact,
} from '../core/json/exact.js';
import { parseExact } from '../core/json/exact-parse.js';
import type { Notice, Notify } from '../core/model/notice.js';
import { usageError } from '../core/util/check-value.js';
import { renameFile } from '../core/util/rename-file.js';
import type { ParsedArguments } from './arguments.js';
import { type Document, type RunSource, readDocument } from './document.js';
import { openSinks, type SinkReport } from './open-sinks.js';
import type { Shell } from './shell.js';

/**
 * Opens `DIR/config.json` and `DIR/in/state.json`. Tables go to `DIR/out/tables/`, the state to `DIR/out/state.json`,
 * cached responses to `DIR/cache/`. Throws ERR_DATA_FOLDER if config.json is missing or no JSON, ERR_USAGE for options
 * that cannot be combined with it, ERR_CONFIG and ERR_STRICT. docs/05-command-line.md#a-data-folder.
 */
export async function openDataFolder(
  dir: string,
  args: ParsedArguments,
  shell: Shell,
  report: SinkReport,
): Promise<RunSource> {
  refuseOthers(args);
  const document = await readConfig(join(dir, 'config.json'), args, shell, report.notice);
  const state = await readState(join(dir, 'in', 'state.json'), args, report.notice);
  const isWhole = args.list('job').length === 0;
  const output = openOutput(join(dir, 'out', 'tables'), state, { args, shell, report });
  return {
    ...document,
    to: output.to,
    options: { state, outputNames: 'bucket.dataType', cacheFolder: join(dir, 'cache'), dataFolder: true },
    async save(next, { jobs }) {
      const isCut = jobs.some(({ bounded }) => bounded === true);
      if (isWhole && !isCut) return writeState(join(dir, 'out'), withMembers(next, output.structures()));
      const why = isWhole ? 'a limit of this run ended a job' : 'only some of the jobs have run';
      const message = `no state is written, because ${why}`;
      report.notice({ level: 'info', code: 'state-not-written', message });
    },
  };
}

interface OutputContext {
  readonly args: ParsedArguments;
  readonly shell: Shell;
  readonly report: SinkReport;
}

/** Tables, unless `--to` names other places: then the state has no structures. */
function openOutput(dir: string, state: ExactObject, { args, shell, report }: OutputContext) {
  if (args.has('to')) {
    const to = openSinks(args, shell, report);
    return { to: args.has('state') ? to : removingPartials(to), structures: () => emptyObject };
  }
  const to = tables(dir, { notify: report.notice, state });
  return { to, structures: to.structures };
}

const withMembers = (state: object, members: ExactObject): ExactObject => {
  const plain = fromPlain(state);
  return new Map([...(isObject(plain) ? plain : []), ...members]);
};

function refuseOthers({ positionals: [path], has }: ParsedArguments): void {
  if (path !== undefined) throw usageError(`a data folder has its own config.json: remove "${path}" or --data-dir`);
  if (has('cache-dir')) throw usageError('a data folder has its own cache folder: remove --cache-dir');
}

/** Invalid JSON has another exit code than an invalid configuration. docs/05-command-line.md#exit-codes. */
async function readConfig(path: string, args: ParsedArguments, shell: Shell, notify: Notify): Promise<Document> {
  try {
    return await readDocument(args, shell, notify, path);
  } catch (thrown) {
    const { code, message } = asExtractError(thrown);
    if (code !== 'ERR_CONFIG_SYNTAX') throw thrown;
    throw new ExtractError('ERR_DATA_FOLDER', message, { cause: thrown });
  }
}

/**
 * A missing or broken state counts as empty. A missing one is reported as information, a broken one as a warning.
 * Throws ERR_STRICT.
 */
async function readState(path: string, args: ParsedArguments, notify: Notify): Promise<ExactObject> {
  try {
    return parseState(await readFile(path));
  } catch (thrown) {
    const notice = allowing(args.list('allow'))(unusable(path, thrown));
    if (args.has('strict') && notice.level === 'warning') throw strictError([notice]);
    notify(notice);
    return emptyObject;
  }
}

function unusable(path: string, thrown: unknown): Notice {
  const isMissing = thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT';
  if (isMissing) {
    return { level: 'info', code: 'missing-state', message: `no ${path}: this is the first run` };
  }
  const reason =
    thrown instanceof ExtractError ? `no state: ${thrown.message}` : `cannot be read: ${describeSystemError(thrown)}`;
  const message = `${path}: ${reason}; the run starts without a state, like a first run`;
  return { level: 'warning', code: 'broken-state', message };
}

/** Some programs write an empty object as an empty list. */
function parseState(bytes: Uint8Array): ExactObject {
  const state = parseExact(bytes);
  if (isObject(state)) return checkState(state);
  if (isArray(state) && state.length === 0) return emptyObject;
  throw new ExtractError('ERR_JSON', 'expected an object');
}

/**
 * Checks values that would fail in jobs, so that the message names the file. A string may be a date that expressions
 * parse.
 */
function checkState(state: ExactObject): ExactObject {
  const time = state.get('time');
  const start = isObject(time) ? (time.get('previousStart') ?? null) : null;
  const isTime = start === null || isNumber(start) || (typeof start === 'string' && /^(?:$|[+-]?\d)/.test(start));
  if (!isTime) throw new ExtractError('ERR_JSON', 'expected a Unix time at "time.previousStart"');
  return state;
}

/** Replaces the earlier state atomically; only its owner can read it. Throws ERR_SINK. */
async function writeState(dir: string, state: ExactObject): Promise<void> {
  const path = join(dir, 'state.json');
  const partial = `${path}.partial`;
  const folder = createFolder(dir);
  await folder.make();
  const file = await createOutputFile(partial, { openFile: (name, flags) => open(name, flags, 0o600) });
  try {
    await file.append(Buffer.from(`${stringifyExact(state)}\n`), new AbortController().signal);
  } finally {
    await file.close();
  }
  await renameFile(partial, path).catch((thrown: unknown) => {
    throw refused(`rename "${partial}" to "${path}"`, thrown);
  });
  folder.touch();
  await folder.sync();
}

/**
 * Removes unfinished files after a failed run, because a collector of `out/tables` takes every file there. A run that
 * can be resumed keeps them.
 */
export function removingPartials(sink: Sink): Sink {
  let isGone = false;
  return delegate(sink, {
    async abort(reason) {
      const aborting = Promise.resolve(sink.abort(reason));
      await aborting.catch(() => {});
      const rest = (sink.summary?.() ?? []).filter(({ unfinished }) => unfinished === true);
      isGone = true;
      await Promise.all(rest.map(({ name }) => unlink(name).catch(() => {}))); // of a database it is no file
      await aborting;
    },
    summary: () => (isGone ? [] : (sink.summary?.() ?? [])),
  });
}
