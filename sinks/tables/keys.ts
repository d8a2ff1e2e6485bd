/** The options `mode` and `key` of tables: what becomes of earlier rows, and the members that identify an item. */

import type { OptionRows } from '../../src/core/options/kind.js';
import { nonEmptyText, word } from '../../src/core/options/kinds.js';
import { usageError } from '../../src/core/util/check-value.js';
import { decodeText } from '../addresses/address.js';
import { keyPaths } from '../addresses/kinds.js';
import { hasLoneSurrogate } from '../lone-surrogates.js';

const tableModes = ['replace', 'append', 'merge', 'mirror', 'history'] as const;

/** What a run does with the rows of earlier runs. */
export type RowsMode = (typeof tableModes)[number];

export const tableOptions = {
  mode: {
    kind: word(...tableModes),
    summary:
      '`replace`: a table has the items of the last run; `append`: they are added; `merge`: an item replaces the one with the same key; `mirror`: the same, and rows that a complete pull no longer has are deleted; `history`: a row for each version of an item',
    default: 'replace',
  },
  key: {
    kind: keyPaths,
    summary:
      'with `mode=merge`, `mirror` and `history`: the member that identifies an item, such as `id` or `org.id`; several with commas',
  },
  deleted: {
    kind: nonEmptyText,
    summary: 'with `mode=mirror`: a column for the time when a row was found missing; such rows stay',
    otherwise: 'such rows are deleted',
  },
} as const satisfies OptionRows;

export const mirrorRule =
  '`mode=mirror` is `merge`, and rows that the run does not have are deleted; with `deleted=COLUMN` they stay, and get the time in that column, until an item has the key again. `mode=mirror` and `history` treat missing rows only if the run is complete: each job of the data type, and each one above it, has ended by itself, without a limit of the run, `forceStop` or a page that says that it failed, none has `incremental` (with `--full` one may have it, without `lag`), all of them were chosen, and no item was refused. Otherwise such rows stay as they are, with the notice `rows-kept`.';
export const historyRule =
  '`mode=history` keeps a row for each version of an item, with the time of the publication that first had it in `valid_from` and of the first one without it in `valid_to`, which is NULL for the current version (slowly changing dimension, type 2). An item that has not changed gets no new version. One that a complete run does not have ends its version. The table must be new, or made by `mode=history`; items have no members of these names.';

/** The columns that `mode=history` adds: the time of the run that first had the version, and of the one without it. */
export const [validFrom, validTo] = ['valid_from', 'valid_to'];

/** Whether an item replaces the row with its key. */
export const isUpdating = (mode: string): boolean => mode === 'merge' || mode === 'mirror';

/** Whether items have a key, so that the last one of each counts. */
export const isKeyed = (mode: string): boolean => isUpdating(mode) || mode === 'history';

/** Whether rows that a complete pull does not have are treated. */
export const isWatching = (mode: string): boolean => mode === 'mirror' || mode === 'history';

/** The columns that are the sink's own: no member of an item can have such a name. */
export const ownColumns = (mode: string, deleted: string | undefined): readonly string[] =>
  mode === 'history' ? [validFrom, validTo] : deleted === undefined ? [] : [deleted];

/** Throws ERR_USAGE for `deleted` without `mode=mirror`. */
export function mustBeMirror(
  sink: string,
  { mode, deleted }: { readonly mode: string; readonly deleted?: string | undefined },
): void {
  if (deleted !== undefined && mode !== 'mirror') throw usageError(`${sink}: deleted needs mode=mirror`);
}

/**
 * The paths of `key=id,org.id`. Throws ERR_USAGE for a key with another mode than `merge`, `mirror` and `history`, and
 * for such a mode without one.
 */
export function readKeys(sink: string, text: string | undefined, mode: string): readonly (readonly string[])[] {
  const needsKey = isKeyed(mode);
  if (text === undefined && needsKey) throw usageError(`${sink}: mode=${mode} needs key=..., such as key=id`);
  if (text === undefined) return [];
  if (!needsKey) throw usageError(`${sink}: key needs mode=merge, mirror or history`);
  return pathsIn(sink, text);
}

/** A comma separates keys, a dot the members of a path; in names they are percent-encoded. Throws ERR_USAGE. */
export function pathsIn(sink: string, text: string): readonly (readonly string[])[] {
  const keys = text.split(',').map((path) => path.split('.').map(decodeText));
  const faulty = keys.flat().some((name) => name === '' || name.includes('\0') || hasLoneSurrogate(name));
  if (faulty) throw usageError(`${sink}: key: expected paths of members such as id or org.id, found "${text}"`);
  return keys;
}
