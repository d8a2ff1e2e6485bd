/** hash: computes the digest of a text. */
import { createHash } from 'node:crypto';
import { checksums } from '../checksums.js';
import { toText } from '../convert.js';
import { digestName, digestNames } from '../digests.js';
import type { ExpressionFunction } from '../function.js';

/**
 * Hexadecimal digits in lower case, of the text's UTF-8 bytes. Throws ERR_FUNCTION for an unknown algorithm.
 * docs/reference/functions.md.
 */
export const hash: ExpressionFunction = {
  summary: 'the digest of a string with a given algorithm, in hexadecimal digits',
  args: [
    {
      name: 'algorithm',
      summary: `${[...digestNames, ...checksums.keys()].join(', ')}; md4 and whirlpool if OpenSSL supports them`,
    },
    { name: 'text', summary: 'the string to digest, as UTF-8' },
  ],
  example: '{"function": "hash", "args": ["crc32b", "abc"]}',
  gives: '352441c2',

  apply([algorithm = null, text = null]) {
    const name = toText(algorithm).toLowerCase();
    const bytes = Buffer.from(toText(text));
    const checksum = checksums.get(name);
    if (checksum !== undefined) return checksum(bytes);
    return createHash(digestName(name, checksums.keys())).update(bytes).digest('hex');
  },
};
