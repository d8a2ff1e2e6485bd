/** The flags of `rxtract bench`, beside those of `rxtract run`: the help shows them without what reads them. */

import type { OptionRows } from '../core/options/kind.js';
import { file, flag, nonEmptyText, whole, word } from '../core/options/kinds.js';
import { listOf } from '../core/options/object-kinds.js';
import { runFlagRows } from './run-flags.js';

/** Values that `--sweep` compares, by option of `run`. */
export const sweepValues = { prefetch: ['1', '2', '4', '8', '16'] } as const;

/** What a measurement does not have: it keeps no state and no recording, and repeats what it does. */
const { state, resume, resumeOnly, drain, onChangedPage, record, replay, dataDir, ...ofRuns } = runFlagRows;
const { to, cacheFolder, replaceEmpty, minItems, ...measured } = ofRuns;

const runs = whole(1, 1000);

export const benchRows = {
  repeat: { kind: runs, default: 3, summary: 'measure N runs' },
  warmUp: { kind: whole(0, 1000), default: 1, summary: 'runs before that, which do not count' },
  sweep: {
    kind: listOf(word('prefetch'), 'names of options'),
    summary: 'also measure what other values of this option give',
  },
  json: { kind: file, summary: 'write all figures as [JSON](05-command-line.md#the-figures-as-json)' },
  report: { kind: file, summary: 'write a page with plots, such as report.html' },
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
  },
  ...measured,
  to: { ...to, value: 'URI', summary: 'sink for the items', otherwise: 'null:' },
} satisfies OptionRows;
