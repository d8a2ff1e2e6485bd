/** The options of `rxtract bench` beside those of `rxtract run`: the help shows them without what reads them. */
import type { Options } from '../../cli/arguments.js';
import { runOptions } from '../../cli/run-options.js';

/** Values that `--sweep` compares, by option of `run`. */
export const sweepValues: Readonly<Record<string, readonly string[]>> = {
  prefetch: ['1', '2', '4', '8', '16'],
};

const sweepable = Object.keys(sweepValues);

/** Options of `run` that a measurement does not have: it keeps no state and no recording, and repeats what it does. */
const without = new Set([
  ...['state', 'resume', 'resume-only', 'drain', 'on-changed-page', 'record', 'replay'],
  ...['data-dir', 'cache-dir', 'replace-empty', 'min-items'],
]);

export const benchOptions: Options = {
  repeat: { value: 'N', about: 'measure N runs (default: 3)' },
  'warm-up': { value: 'N', about: 'runs before that, which do not count (default: 1)' },
  sweep: {
    value: sweepable.join('|'),
    oneOf: sweepable,
    about: `also measure what other values of ${sweepable.join(' or ')} give`,
  },
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
