/** The options `mode` and `key` of tables: what becomes of earlier rows, and the members that identify an item. */
import { usageError } from '../../src/core/util/check-value.js';
import { type AddressOptions, decodeText, type SinkAddress } from '../addresses/address.js';
import { hasLoneSurrogate } from '../lone-surrogates.js';

export const tableOptions = {
  mode: {
    summary:
      '`replace`: a table has the items of the last run; `append`: they are added; `merge`: an item replaces the one with the same key',
    type: '`replace`, `append` or `merge`',
    default: 'replace',
  },
  key: {
    summary: 'with `mode=merge`: the member that identifies an item, such as `id` or `org.id`; several with commas',
    type: 'paths',
  },
} as const satisfies AddressOptions;

/**
 * The paths of `key=id,org.id`. A comma separates keys, a dot the members of a path; in names they are percent-encoded.
 * Throws ERR_USAGE for a key without `mode=merge`, and the other way round.
 */
export function readKeys(sink: string, { options }: SinkAddress, needsKey: boolean): readonly (readonly string[])[] {
  const text = options.get('key');
  if (text === undefined && needsKey) throw usageError(`${sink}: mode=merge needs key=..., such as key=id`);
  if (text === undefined) return [];
  if (!needsKey) throw usageError(`${sink}: key needs mode=merge`);
  const keys = text.split(',').map((path) => path.split('.').map(decodeText));
  const faulty = keys.flat().some((name) => name === '' || name.includes('\0') || hasLoneSurrogate(name));
  if (faulty) throw usageError(`${sink}: key: expected paths of members such as id or org.id, found "${text}"`);
  return keys;
}
