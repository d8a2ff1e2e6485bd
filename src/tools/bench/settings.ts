/** The settings of a measurement, and the rows of its own options. */

import type { OptionRows } from '../../core/options/kind.js';
import { file, flag, nonEmptyText, whole, word } from '../../core/options/kinds.js';
import { listOf } from '../../core/options/object-kinds.js';
import type { ApiShape } from './shape.js';

/** Values that `--sweep` compares, by option of `run`. */
export const sweepValues = { prefetch: ['1', '2', '4', '8', '16'] } as const;

/** The options that a run has not. */
export const measureRows = {
  repeat: { kind: whole(1, 1000), default: 3, summary: 'measure N runs' },
  warmUp: { kind: whole(0, 1000), default: 1, summary: 'runs before that, which do not count' },
  sweep: {
    kind: listOf(word('prefetch'), 'names of options'),
    summary: 'also measure what other values of this option give',
    details:
      'For `prefetch` these are 1, 2, 4, 8 and 16, each as often as the options as given. It needs page numbers or offsets',
  },
  json: { kind: file, summary: 'write all figures as [JSON](05-command-line.md#the-figures-as-json)' },
  report: {
    kind: file,
    summary: 'write a page with plots, such as report.html',
    details: 'It needs no network',
  },
  compare: { kind: file, summary: 'show the figures beside those of an earlier --json FILE' },
  yes: { kind: flag, summary: 'do not ask before several runs against another host' },
  server: { kind: flag, summary: 'without CONFIG: measure against a generated API on this machine' },
  shape: {
    kind: listOf(nonEmptyText, 'texts'),
    value: 'KEY=VALUE,...',
    summary: 'change [the generated API](05-command-line.md#the-generated-api), see below',
  },
  listen: {
    kind: whole(0, 65_535, { name: 'a port' }),
    value: 'PORT',
    summary: 'only start the generated API at this port (0: any), for other programs',
    details: 'It runs until an interrupt. Its configuration is printed',
  },
} satisfies OptionRows;

export interface Sweep {
  /** A numeric option of `run`. */
  readonly option: string;
  readonly values: readonly string[];
}

export interface MeasureSettings {
  /** Runs that count. */
  readonly repeat: number;
  /** Runs before them. */
  readonly warmUp: number;
  readonly sweeps: readonly Sweep[];
  /** The generated API; undefined: the API of the configuration. */
  readonly server: ApiShape | undefined;
  /** Schemes of sinks, as the result names them. */
  readonly to: readonly string[];
}
