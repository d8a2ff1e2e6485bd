/**
 * What a worker needs to run tasks of a run, as the board stores it: the configuration and the options, encrypted with
 * the key that all processes have. Variables and files that they name are read by each worker.
 */

import type { RunSpec } from '../../checkpoint/board/board.js';
import { keyOf, keyRemedy } from '../../checkpoint/board/shared-key.js';
import { keyVariable, sealText, unsealText } from '../../checkpoint/store/sealed-text.js';
import type { EnvironmentVariables } from '../../config/env.js';
import { ExtractError } from '../../core/errors/errors.js';
import {
  type Exact,
  ExactNumber,
  type ExactObject,
  fromPlain,
  isObject,
  stringifyExact,
} from '../../core/json/exact.js';
import { parseExact } from '../../core/json/exact-parse.js';
import { readOptions } from '../../core/options/read-options.js';
import { defined } from '../../core/util/defined.js';
import type { CredentialBroker } from '../../http/credential-broker.js';
import type { MakeRateLimiter } from '../../http/rate-limiter.js';
import type { ExtractOptions } from '../options.js';
import { extractRows } from '../run-options.js';
import { sentOptions } from './shared-options.js';

export interface Work {
  readonly configuration: ExactObject;
  /** The options that are sent, by name. */
  readonly options: ExactObject;
}

/** As a worker reads it. */
export interface WorkToDo extends Work {
  readonly configuration: ExactObject;
}

/** The work of a run, with the options of it that workers get. */
export function workOf(configuration: ExactObject, options: object): Work {
  const given = Object.entries(options).filter(([name, value]) => sentOptions.includes(name) && value !== undefined);
  return { configuration, options: new Map(given.map(([name, value]) => [name, fromPlain(value, [name])])) };
}

const format = new ExactNumber('1');

/** A text of one run is not taken for that of another. */
const useOf = (name: string): string => `rxtract-work/1 ${name}`;

/** Writes the work of a run. Without a key it is not encrypted, and must have no secrets. */
export function textOfWork(name: string, { configuration, options }: Work, key: Uint8Array | undefined): string {
  const work = new Map<string, Exact>([
    ['configuration', configuration],
    ['options', options],
  ]);
  if (key === undefined) return stringifyExact(new Map([['format', format], ...work]));
  const sealed = sealText(stringifyExact(work), key, useOf(name));
  return stringifyExact(
    new Map<string, Exact>([
      ['format', format],
      ['sealed', sealed],
    ]),
  );
}

/**
 * Reads the work of a run. Throws ERR_USAGE if the variable with the key is missing, or has another key: another worker
 * can do the task.
 */
export function readWork({ name, work }: Pick<RunSpec, 'name' | 'work'>, env: EnvironmentVariables): WorkToDo {
  const written = objectIn(name, work);
  const { sealed } = Object.fromEntries(written);
  const opened = typeof sealed === 'string' ? objectIn(name, unsealed(name, sealed, keyOf(env))) : written;
  const { configuration, options } = Object.fromEntries(opened);
  if (String(written.get('format')) !== format.text || !isObject(configuration) || !isObject(options)) {
    throw unreadable(name);
  }
  return { configuration, options };
}

function unsealed(name: string, sealed: string, key: Uint8Array | undefined): string {
  if (key === undefined) throw keyError(`the run "${name}" is encrypted, and there is no variable ${keyVariable}`);
  const text = unsealText(sealed, key, useOf(name));
  if (text !== undefined) return text;
  throw keyError(
    `the run "${name}" cannot be decrypted: ${keyVariable} is another key than that of the process that submitted it, or it was changed`,
  );
}

const keyError = (message: string) => new ExtractError('ERR_USAGE', message, { remedy: keyRemedy });

function objectIn(name: string, text: string): ExactObject {
  const value = parseExact(Buffer.from(text));
  if (isObject(value)) return value;
  throw unreadable(name);
}

const unreadable = (name: string) =>
  new ExtractError('ERR_STATE', `the run "${name}" is not one that this version of rxtract has submitted`);

/** What one worker has for all its tasks. */
export interface WorkerContext {
  readonly env: EnvironmentVariables;
  readonly limiter: MakeRateLimiter;
  readonly credentials: CredentialBroker;
  readonly notify?: ExtractOptions['notify'];
  readonly observe?: ExtractOptions['observe'];
  /** Of its response cache. */
  readonly cacheFolder?: string | undefined;
  /** False: a configuration that opens files or runs programs is refused on this machine. */
  readonly commands?: boolean | undefined;
}

/** The options of `extract` for one task. Its sinks are made of their addresses, for each task anew. */
export function taskOptions(name: string, { options }: Pick<Work, 'options'>, worker: WorkerContext): ExtractOptions {
  const read = readOptions(extractRows, options, 'document');
  if (read.problems !== undefined) throw unreadable(name);
  const { commands, ...own } = worker;
  const sent: ExtractOptions = read.options as ExtractOptions; // addresses are texts
  const { limiter: rateLimiter, ...rest } = own;
  return { ...sent, ...defined(rest), rateLimiter, ...(commands === false ? { commands } : {}) };
}
