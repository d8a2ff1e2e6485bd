/** Digests by PHP's names, as far as the OpenSSL of this Node has them. */
import { getHashes } from 'node:crypto';
import { ExtractError } from '../../core/errors/errors.js';
import { didYouMean } from '../../core/util/suggest.js';

const named = [
  ['md4', 'md4'],
  ['md5', 'md5'],
  ['sha1', 'sha1'],
  ['sha224', 'sha224'],
  ['sha256', 'sha256'],
  ['sha384', 'sha384'],
  ['sha512/224', 'sha512-224'],
  ['sha512/256', 'sha512-256'],
  ['sha512', 'sha512'],
  ['sha3-224', 'sha3-224'],
  ['sha3-256', 'sha3-256'],
  ['sha3-384', 'sha3-384'],
  ['sha3-512', 'sha3-512'],
  ['ripemd160', 'ripemd160'],
  ['whirlpool', 'whirlpool'],
] as const;

/** All possible names, for the reference; which of them exist depends on the machine. */
export const digestNames: readonly string[] = named.map(([name]) => name);

/** PHP's name and Node's, of digests that exist here. */
const digests: ReadonlyMap<string, string> = available();

/**
 * Returns Node's name of a digest. Throws ERR_FUNCTION for an unknown one; the message lists the known ones and
 * `others`.
 */
export function digestName(name: string, others: Iterable<string>): string {
  const digest = digests.get(name);
  if (digest !== undefined) return digest;
  const known = [...digests.keys(), ...others];
  const list = known.map((each) => `"${each}"`).join(', ');
  throw new ExtractError('ERR_FUNCTION', `unknown algorithm: expected one of ${list}${didYouMean(name, known)}`);
}

function available(): ReadonlyMap<string, string> {
  const hashes = new Set(getHashes());
  return new Map(named.filter(([, name]) => hashes.has(name)));
}
