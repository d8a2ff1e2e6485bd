/** Reads the configuration of a command: a file, or standard input for `-`. Messages never quote it. */
import { readFile } from 'node:fs/promises';
import type { Sink } from '../../sinks/contract.js';
import { parseDocument } from '../config/document.js';
import { applyAssignments } from '../config/set.js';
import { ExtractError } from '../core/errors/errors.js';
import { strictError } from '../core/errors/notices.js';
import { describeSystemError } from '../core/errors/system-error.js';
import { allowing } from '../core/errors/warnings.js';
import type { ExactObject } from '../core/json/exact.js';
import type { Notice, Notify } from '../core/model/notice.js';
import { usageError } from '../core/util/check-value.js';
import type { Summary } from '../run/job-stats.js';
import type { ExtractOptions } from '../run/options.js';
import type { ParsedArguments } from './arguments.js';
import type { Shell } from './shell.js';

export interface Document {
  /** The name of the configuration in messages. */
  readonly label: string;
  readonly content: ExactObject;
}

/**
 * Reads and parses CONFIG, or the file at `path`, and applies --set. Throws ERR_USAGE without a path or for a wrong
 * --set, ERR_CONFIG_SYNTAX, ERR_CONFIG, and ERR_STRICT for a repeated member with --strict.
 */
export async function readDocument(
  args: ParsedArguments,
  shell: Shell,
  notify: Notify,
  path: string = configArgument(args),
): Promise<Document> {
  const label = path === '-' ? 'standard input' : path;
  const bytes = await (path === '-' ? readAll(shell.stdin()) : readConfig(path));
  const notices: Notice[] = [];
  const written = parseDocument(bytes, label, (notice) => notices.push(notice));
  const changes = args.list('set');
  const content = changes.length === 0 ? written : applyAssignments(written, changes, (notice) => notices.push(notice));
  notifyUnlessAllowed(notices, args, notify);
  return { label, content };
}

/**
 * Reports notices that are known before there is an engine. Throws ERR_STRICT for a warning with --strict, unless
 * --allow lists it.
 */
export function notifyUnlessAllowed(notices: readonly Notice[], args: ParsedArguments, notify: Notify): void {
  const shown = notices.map(allowing(args.list('allow')));
  const warnings = shown.filter(({ level }) => level === 'warning');
  if (args.has('strict') && warnings.length > 0) throw strictError(warnings);
  for (const notice of shown) notify(notice);
}

function configArgument({ positionals }: ParsedArguments): string {
  const [path, extra] = positionals;
  if (path === undefined) throw usageError('CONFIG is missing: the path of a configuration, or - for standard input');
  if (extra !== undefined) throw usageError(`expected one CONFIG, found "${extra}" too`);
  return path;
}

/** Reads a stream to its end. */
export async function readAll(stream: AsyncIterable<Uint8Array | string>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
  return Buffer.concat(chunks);
}

async function readConfig(path: string): Promise<Uint8Array> {
  try {
    return await readFile(path);
  } catch (thrown) {
    throw new ExtractError('ERR_CONFIG_SYNTAX', `${path}: cannot be read: ${describeSystemError(thrown)}`, {
      cause: thrown,
    });
  }
}

export interface RunSource extends Document {
  readonly to: Sink;
  readonly options: Pick<ExtractOptions, 'state' | 'outputNames' | 'cacheFolder' | 'dataFolder' | 'exchanges'>;
  /** Stores the state for the next run. Called once, after the whole run has succeeded. */
  save(state: object, summary: Summary): Promise<void>;
}
