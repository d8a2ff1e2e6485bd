/** The flags of a run that workers share, and those of a worker. */
import { usualLease } from '../../checkpoint/board/board.js';
import type { OptionRows } from '../../core/options/kind.js';
import { duration, flag, nonEmptyText, whole } from '../../core/options/kinds.js';
import { commandRows, sharedRows } from '../../run/run-options.js';

/** So many tasks at once. */
const slots = whole(0, 1000);

/** Of `run`: each needs `on`. */
export const onBoardRows = {
  on: {
    kind: nonEmptyText,
    value: 'ADDRESS',
    excludes: ['dataDir'],
    summary: 'share the run with [workers](19-workers.md): the address of their board, such as postgres://HOST/DB',
  },
  workers: {
    kind: slots,
    default: 1,
    summary: 'with --on: so many tasks are done by this process at once; 0 leaves all to workers elsewhere',
  },
  name: {
    kind: nonEmptyText,
    summary: 'with --on: the name of the run; that of a run that has not ended shows it, and works at it',
    otherwise: 'that of CONFIG and the time',
  },
  block: {
    kind: whole(1),
    summary: 'with --on: so many rows of a page are one task of their child jobs',
    otherwise: 'as many as take about 5 seconds',
  },
  detach: {
    kind: flag,
    excludes: ['workers'],
    summary: 'with --on: submit the run, print its name, and end',
  },
} satisfies OptionRows;

export const workerRows = {
  slots: { kind: whole(1, 1000), default: 2, summary: 'so many tasks at once' },
  lease: {
    kind: duration('s', 1000, 86_400_000),
    default: usualLease,
    summary:
      'how long another worker waits before it takes a task of this one, if this one is gone or suspended; in seconds or with a unit',
  },
  commands: commandRows.commands,
  cacheFolder: { ...sharedRows.cacheFolder, otherwise: 'in the cache folder of the user' },
  quiet: { kind: flag, summary: 'print only warnings and errors' },
} satisfies OptionRows;
