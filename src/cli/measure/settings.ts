/** The options of `rxtract bench` beside those of `rxtract run`. */
import { usageError } from '../../core/util/check-value.js';
import type { Options, ParsedArguments } from '../arguments.js';
import { atMost, runOptions } from '../run-options.js';
import { type ApiShape, parseShape } from './shape.js';

/** Values that `--sweep` compares, by option of `run`. An option is offered once `run` has it. */
const sweepValues: Readonly<Record<string, readonly string[]>> = {
  prefetch: ['1', '2', '4', '8', '16'],
  threads: ['1', '2'],
};

/** The options that `--sweep` takes, of those that `run` has. */
export const sweepable = (options: Options): readonly string[] =>
  Object.keys(sweepValues).filter((name) => Object.hasOwn(options, name));

/** The row of `--sweep`; none if `run` has no option to compare. */
export function sweepOption(options: Options): Options {
  const names = sweepable(options);
  if (names.length === 0) return {};
  const about = `also measure what other values of ${names.join(' or ')} give; may be repeated`;
  return { sweep: { value: names.join('|'), oneOf: names, about } };
}

/** Options of `run` that a measurement does not have: it keeps no state, and repeats what it does. */
const without = new Set(['state', 'resume', 'drain', 'on-changed-page', 'data-dir', 'cache-dir', 'replace-empty']);

export const benchOptions: Options = {
  repeat: { value: 'N', about: 'measure N runs (default: 3)' },
  'warm-up': { value: 'N', about: 'runs before that, which do not count (default: 1)' },
  ...sweepOption(runOptions),
  json: { value: 'FILE', about: 'write all figures as JSON' },
  report: { value: 'FILE', about: 'write a page with plots, such as report.html' },
  compare: { value: 'FILE', about: 'show the figures beside those of an earlier --json FILE' },
  yes: { about: 'do not ask before several runs against another host' },
  server: { about: 'without CONFIG: measure against a generated API on this machine' },
  shape: { value: 'KEY=VALUE,...', about: 'change the generated API, see below; may be repeated' },
  listen: { value: 'PORT', about: 'only start the generated API at this port (0: any), for other programs' },
  ...Object.fromEntries(Object.entries(runOptions).filter(([name]) => !without.has(name))),
  to: { value: 'URI', about: 'sink for the items; may be repeated (default: null:)' },
};

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
