/** hash_hmac: signs a text with a key. */
import { createHmac } from 'node:crypto';
import { toText } from '../convert.js';
import { digestName, digestNames } from '../digests.js';
import type { ExpressionFunction } from '../function.js';

/**
 * RFC 2104; hexadecimal digits in lower case. Throws ERR_FUNCTION for an unknown algorithm, and for checksums.
 * docs/reference/functions.md.
 */
export const hashHmac: ExpressionFunction = {
  summary: 'the HMAC of a string with a key, in hexadecimal digits',
  args: [
    { name: 'algorithm', summary: `${digestNames.join(', ')}; md4 and whirlpool if OpenSSL supports them` },
    { name: 'text', summary: 'the string to sign, as UTF-8' },
    { name: 'key', summary: 'the secret, as UTF-8' },
  ],
  example: '{"function": "hash_hmac", "args": ["sha256", "GET /users", "s3cret"]}',
  gives: 'eb6c1cff9f553479d395145c3e80ef73e980b05aed89a710a5d6252e2a864791',

  apply([algorithm = null, text = null, key = null]) {
    const name = digestName(toText(algorithm).toLowerCase(), []);
    return createHmac(name, toText(key)).update(toText(text)).digest('hex');
  },
};
