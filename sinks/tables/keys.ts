/** The option `key` of tables: the members that identify an item. */
import { ExtractError } from '../../src/core/errors/errors.js';
import { decodeText, type SinkAddress } from '../addresses/address.js';
import { hasLoneSurrogate } from '../lone-surrogates.js';

/**
 * The paths of `key=id,org.id`. A comma separates keys, a dot the members of a path; in names they are percent-encoded.
 * Throws ERR_USAGE for a key without `mode=merge`, and the other way round.
 */
export function readKeys(sink: string, { options }: SinkAddress, needsKey: boolean): readonly (readonly string[])[] {
  const text = options.get('key');
  if (text === undefined && needsKey) throw usage(`${sink}: mode=merge needs key=..., such as key=id`);
  if (text === undefined) return [];
  if (!needsKey) throw usage(`${sink}: key needs mode=merge`);
  const keys = text.split(',').map((path) => path.split('.').map(decodeText));
  const faulty = keys.flat().some((name) => name === '' || name.includes('\0') || hasLoneSurrogate(name));
  if (faulty) throw usage(`${sink}: key: expected paths of members such as id or org.id, found "${text}"`);
  return keys;
}

const usage = (message: string) => new ExtractError('ERR_USAGE', message);
