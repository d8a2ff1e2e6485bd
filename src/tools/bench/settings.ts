/** The settings of a measurement, read from its options. */

import type { ParsedArguments } from '../../cli/arguments.js';
import { atMost } from '../../cli/read-run-options.js';
import { usageError } from '../../core/util/check-value.js';
import { sweepValues } from './bench-options.js';
import { type ApiShape, parseShape } from './shape.js';

export interface Sweep {
  readonly option: string;
  readonly values: readonly string[];
}

export interface BenchSettings {
  readonly repeat: number;
  readonly warmUp: number;
  readonly sweeps: readonly Sweep[];
  readonly json: string | undefined;
  readonly report: string | undefined;
  readonly compare: string | undefined;
  readonly isConfirmed: boolean;
  /** The generated API; undefined: the API of the configuration. */
  readonly server: ApiShape | undefined;
  /** The port to serve the generated API at, without a measurement. */
  readonly listen: number | undefined;
  /** Schemes of sinks. */
  readonly to: readonly string[];
}

/** Reads the settings. Throws ERR_USAGE. */
export function readSettings(args: ParsedArguments): BenchSettings {
  const [hasServer, port] = [args.has('server'), args.last('listen')];
  const hasApi = hasServer || port !== undefined;
  if (!hasApi && args.has('shape')) throw usageError('--shape needs --server or --listen');
  const [path] = args.positionals;
  if (!hasApi && path === undefined) {
    throw usageError('CONFIG is missing: the path of a configuration, or - for standard input; or give --server');
  }
  if (hasApi && path !== undefined) {
    const hint = 'to measure a configuration of your own against it, start it with --listen';
    throw usageError(`--${hasServer ? 'server' : 'listen'} takes no CONFIG, found "${path}"; ${hint}`);
  }
  const shape = hasApi ? parseShape(args.list('shape')) : undefined;
  return {
    repeat: count(args, 'repeat', 3, 1),
    warmUp: count(args, 'warm-up', 1, 0),
    sweeps: [...new Set(args.list('sweep'))].map((option) => ({ option, values: sweepValues[option] ?? [] })),
    json: fileOf(args, 'json'),
    report: fileOf(args, 'report'),
    compare: fileOf(args, 'compare'),
    isConfirmed: args.has('yes'),
    server: shape,
    listen: port === undefined ? undefined : portOf(port),
    to: schemesOf(args),
  };
}

const mostRuns = 1000;

function count(args: ParsedArguments, name: string, usual: number, least: number): number {
  const text = args.last(name) ?? String(usual);
  if (!/^\d+$/.test(text) || Number(text) < least) {
    throw usageError(`--${name} is a whole number from ${least} to ${mostRuns}, found "${text}"`);
  }
  return atMost(name, text, { value: Number(text), most: mostRuns, written: String(mostRuns) });
}

function fileOf(args: ParsedArguments, name: string): string | undefined {
  const path = args.last(name);
  if (path === '') throw usageError(`--${name} needs a file`);
  return path;
}

function portOf(text: string): number {
  if (/^\d+$/.test(text) && Number(text) < 65_536) return Number(text);
  throw usageError(`--listen is a port from 0 to 65535, found "${text}"`);
}

/** The schemes of `--to`: the rest of an address may be a secret. */
function schemesOf(args: ParsedArguments): readonly string[] {
  const schemes = args.list('to').map((uri) => /^(?:[^:=]*=)?([^:]*)/.exec(uri)?.[1]?.toLowerCase() ?? '');
  if (schemes.includes('stdout')) {
    throw usageError('--to stdout: has no place in a measurement, whose table goes there; use null: or ndjson:DIR');
  }
  return schemes.length === 0 ? ['null:'] : schemes.map((scheme) => `${scheme}:`);
}
