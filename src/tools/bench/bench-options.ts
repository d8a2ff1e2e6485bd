/** The options of `rxtract bench` beside those of `rxtract run`: the help shows them without what reads them. */
import type { Options } from '../../cli/arguments.js';
import { runOptions } from '../../cli/run-options.js';

/** Values that `--sweep` compares, by option of `run`. An option is offered once `run` has it. */
export const sweepValues: Readonly<Record<string, readonly string[]>> = {
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

/** Options of `run` that a measurement does not have: it keeps no state and no recording, and repeats what it does. */
const without = new Set([
  ...['state', 'resume', 'resume-only', 'drain', 'on-changed-page', 'record', 'replay'],
  ...['data-dir', 'cache-dir', 'replace-empty', 'min-items'],
]);

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
