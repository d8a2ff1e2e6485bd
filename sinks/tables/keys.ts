/** The options `mode` and `key` of tables: what becomes of earlier rows, and the members that identify an item. */

import type { OptionRows } from '../../src/core/options/kind.js';
import { word } from '../../src/core/options/kinds.js';
import { usageError } from '../../src/core/util/check-value.js';
import { decodeText } from '../addresses/address.js';
import { keyPaths } from '../addresses/kinds.js';
import { hasLoneSurrogate } from '../lone-surrogates.js';

export const tableOptions = {
  mode: {
    kind: word('replace', 'append', 'merge'),
    summary:
      '`replace`: a table has the items of the last run; `append`: they are added; `merge`: an item replaces the one with the same key',
    default: 'replace',
  },
  key: {
    kind: keyPaths,
    summary: 'with `mode=merge`: the member that identifies an item, such as `id` or `org.id`; several with commas',
  },
} as const satisfies OptionRows;

/**
 * The paths of `key=id,org.id`. A comma separates keys, a dot the members of a path; in names they are percent-encoded.
 * Throws ERR_USAGE for a key without `mode=merge`, and the other way round.
 */
export function readKeys(sink: string, text: string | undefined, mode: string): readonly (readonly string[])[] {
  const needsKey = mode === 'merge';
  if (text === undefined && needsKey) throw usageError(`${sink}: mode=merge needs key=..., such as key=id`);
  if (text === undefined) return [];
  if (!needsKey) throw usageError(`${sink}: key needs mode=merge`);
  const keys = text.split(',').map((path) => path.split('.').map(decodeText));
  const faulty = keys.flat().some((name) => name === '' || name.includes('\0') || hasLoneSurrogate(name));
  if (faulty) throw usageError(`${sink}: key: expected paths of members such as id or org.id, found "${text}"`);
  return keys;
}
