/** The settings of a measurement, read from its options. */

import { type ParsedArguments, readFlags } from '../../cli/arguments.js';
import type { OptionsOf } from '../../core/options/kind.js';
import { usageError } from '../../core/util/check-value.js';
import { benchRows, sweepValues } from './bench-options.js';
import { type ApiShape, parseShape } from './shape.js';

export interface Sweep {
  readonly option: string;
  readonly values: readonly string[];
}

export interface BenchSettings
  extends Pick<BenchOptions, 'repeat' | 'warmUp' | 'json' | 'report' | 'compare' | 'listen'> {
  readonly sweeps: readonly Sweep[];
  readonly isConfirmed: boolean;
  /** The generated API; undefined: the API of the configuration. */
  readonly server: ApiShape | undefined;
  /** Schemes of sinks. */
  readonly to: readonly string[];
}

type BenchOptions = OptionsOf<typeof benchRows>;

/** Reads the settings. Throws ERR_USAGE. */
export function readSettings(args: ParsedArguments): BenchSettings {
  const { server, shape = [], sweep = [], yes, to = ['null:'], ...options } = readFlags(args, benchRows);
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
