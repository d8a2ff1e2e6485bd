/**
 * Replaces `{"file": PATH}` and `{"command": [PROGRAM, ...]}` by a secret, directly at keys of `config` that begin with
 * `#`. Everywhere else such objects are data: no configuration of before reads a file or runs a program.
 */
import { spawnSync } from 'node:child_process';
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import type { Problem } from '../core/errors/errors.js';
import { describeSystemError } from '../core/errors/system-error.js';
import { type Exact, type ExactObject, isArray, isObject } from '../core/json/exact.js';
import { decode } from '../core/json/exact-parse.js';
import type { Notice } from '../core/model/notice.js';
import { type ConfigPath, createDiagnostics } from '../language/config-path.js';

/** Where a secret comes from. */
export type SecretSource =
  | { readonly file: string; readonly command?: undefined }
  | { readonly command: readonly [string, ...string[]]; readonly file?: undefined };

export interface SecretOptions {
  /** `refuse`: each source is a problem. `stand in`: none is opened, and a text stands for its value. */
  readonly sources: 'open' | 'refuse' | 'stand in';
}

export interface FilledSecrets {
  readonly document: Exact;
  /** Sources that cannot be used, each with its path. The document has a stand-in there and must not be run. */
  readonly problems: readonly Problem[];
  /** The inserted values. All of them are secrets. */
  readonly values: readonly string[];
  /** Warnings of empty values. */
  readonly notices: readonly Notice[];
}

/** Inserts each secret as a string, without the line break at its end. Runs each command once. */
export function fillSecrets(document: Exact, { sources }: SecretOptions): FilledSecrets {
  const findings = createDiagnostics();
  const values = new Set<string>();
  const results = new Map<string, SecretResult>();
  const secretAt = (place: ConfigPath, source: SecretSource): string => {
    if (sources === 'stand in') return standInSecret;
    if (sources === 'refuse') {
      place.problem('files and commands are refused (`--no-commands`, in code `commands: false`)');
      return standInSecret;
    }
    const key = JSON.stringify(source);
    const result = results.get(key) ?? read(source);
    results.set(key, result);
    if (result.fault !== undefined) place.problem(result.fault);
    else values.add(result.value);
    if (result.value === '') place.warn('empty-secret', 'the secret is empty');
    return result.value ?? standInSecret;
  };
  const fill: Fill = (place, config) => fillConfig(place, config, secretAt);
  const filled = isObject(document) ? inParameters(document, fill, findings.root) : document;
  return { document: filled, problems: findings.problems, values: [...values], notices: findings.notices };
}

/** Returns the document with a text in place of each source, for a use that needs no secret. Opens nothing. */
export const withoutSecrets = (document: ExactObject): ExactObject =>
  inParameters(document, (place, config) => fillConfig(place, config, () => standInSecret), createDiagnostics().root);

/** Stands for a secret that is not read. */
export const standInSecret = 'a-secret-that-is-not-read';

/** Returns the source if the value is one. */
export function secretSource(value: Exact): SecretSource | undefined {
  if (!isObject(value) || value.size !== 1) return undefined;
  const file = value.get('file');
  if (typeof file === 'string' && file !== '') return { file };
  const command = value.get('command');
  if (command === undefined || !isArray(command)) return undefined;
  const [program, ...args] = command.filter((each) => typeof each === 'string');
  if (program === undefined || program === '' || args.length + 1 < command.length) return undefined;
  return { command: [program, ...args] };
}

type Fill = (place: ConfigPath, config: ExactObject) => ExactObject;

/** `config` is at the top of the document, or in `parameters`. */
function inParameters(document: ExactObject, fill: Fill, root: ConfigPath): ExactObject {
  const name = document.has('parameters') ? 'parameters' : 'config';
  const part = document.get(name) ?? null;
  if (!isObject(part)) return document;
  if (name === 'config') return new Map(document).set(name, fill(root.at(name), part));
  const config = part.get('config') ?? null;
  if (!isObject(config)) return document;
  return new Map(document).set(name, new Map(part).set('config', fill(root.at(name, 'config'), config)));
}

function fillConfig(
  place: ConfigPath,
  config: ExactObject,
  secretAt: (place: ConfigPath, source: SecretSource) => string,
): ExactObject {
  return new Map(
    [...config].map(([key, value]) => {
      const source = key.startsWith('#') ? secretSource(value) : undefined;
      return [key, source === undefined ? value : secretAt(place.at(key), source)];
    }),
  );
}

/** A value, or why there is none. Faults quote nothing of what was read. */
type SecretResult =
  | { readonly value: string; readonly fault?: undefined }
  | { readonly fault: string; readonly value?: undefined };

/** In bytes: a secret is short. */
const mostBytes = 65_536;

/** In ms. */
const longestCommand = 30_000;

function read(source: SecretSource): SecretResult {
  const words = source.command ?? [source.file];
  if (words.some((word) => word.includes('\0'))) return { fault: 'paths and arguments have no NUL character' };
  return source.file === undefined ? outputOf(source.command) : contentOf(source.file);
}

function contentOf(path: string): SecretResult {
  try {
    const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)); // a pipe would wait
    try {
      const found = fstatSync(file);
      if (!found.isFile()) return { fault: `"${path}" is not a regular file` };
      if (found.size > mostBytes) return { fault: `"${path}" is larger than ${mostBytes} bytes` };
      return textOf(readFileSync(file), `"${path}"`);
    } finally {
      closeSync(file);
    }
  } catch (thrown) {
    return { fault: `"${path}" cannot be read: ${describeSystemError(thrown)}` };
  }
}

/** The words go to the program as they are: there is no shell that could read them otherwise. */
function outputOf([program, ...args]: readonly [string, ...string[]]): SecretResult {
  const { error, status, signal, stdout } = spawnSync(program, args, {
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: longestCommand,
    killSignal: 'SIGKILL',
    maxBuffer: mostBytes,
    windowsHide: true,
  });
  const what = `the command "${program}"`;
  if (error !== undefined) return { fault: `${what} ${faultOf(error)}` };
  if (status === 0) return textOf(stdout, `the output of ${what}`);
  const how = signal === null ? `ended with exit code ${status}` : `was ended by ${signal}`;
  return { fault: `${what} ${how}; run it by hand to see why` };
}

function faultOf(error: Error): string {
  const code = 'code' in error ? error.code : undefined;
  if (code === 'ETIMEDOUT') return `has not ended after ${longestCommand / 1000} seconds`;
  if (code === 'ENOBUFS') return `has written more than ${mostBytes} bytes`;
  return `cannot be run: ${describeSystemError(error)}`;
}

function textOf(bytes: Uint8Array, what: string): SecretResult {
  try {
    return { value: decode(bytes).replace(/\r?\n$/, '') };
  } catch {
    return { fault: `${what} is not valid UTF-8` };
  }
}
