/**
 * Percent-encoding in the three variants of the language. Works on bytes, so that invalid UTF-8 survives a round trip.
 */

const hex = (byte: number): string => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.';

/** Maps each byte to itself or %XX. */
const alphabet = (plain: string): readonly string[] =>
  Array.from({ length: 256 }, (_, byte) => {
    const char = String.fromCharCode(byte);
    return plain.includes(char) ? char : hex(byte);
  });

/** Text that a form leaves unchanged. */
const plainForm = /^[\w.-]*$/;

const formAlphabet = alphabet(letters).with(0x20, '+');
const rawAlphabet = alphabet(`${letters}~`);

const write = (value: string | Uint8Array, alphabet: readonly string[]): string => {
  let text = '';
  for (const byte of typeof value === 'string' ? Buffer.from(value) : value) text += alphabet[byte];
  return text;
};

/**
 * Encodes a name or value of a form or a query: a space becomes `+`; letters, digits, `-`, `_`, `.` stay.
 * docs/12-compatibility.md#parameters.
 */
export const formEncode = (value: string | Uint8Array): string =>
  typeof value === 'string' && plainForm.test(value) ? value : write(value, formAlphabet);

/** Encodes as in RFC 3986: a space becomes `%20`, `~` stays. Used for queries that an authentication has rebuilt. */
export const rawEncode = (value: string | Uint8Array): string => write(value, rawAlphabet);

/** Encodes characters that a path may not contain. Existing %XX stays; a lone % becomes %25. */
export const encodePath = (path: string): string =>
  path.replace(/[^\w\-.~!$&'()*+,;=%:@/]+|%(?![\da-f]{2})/gi, rawEncode);

/** Encodes characters that a query may not contain. Existing %XX stays; a lone % becomes %25. */
export const encodeQueryText = (query: string): string =>
  plainQuery.test(query) ? query : query.replace(/[^\w\-.~!$&'()*+,;=%:@/?]+|%(?![\da-f]{2})/gi, rawEncode);

/** A query in which nothing is to be encoded. */
const plainQuery = /^[\w\-.~!$&'()*+,;=:@/?]*$/;

/** Decodes to bytes: `+` is a space, and a % without two hex digits is itself. */
export function decodeBytes(encoded: string): Uint8Array {
  const bytes = Buffer.from(encoded.replaceAll('+', ' '));
  let end = 0;
  for (let at = 0; at < bytes.length; at += 1, end += 1) {
    const digits = bytes[at] === 0x25 ? bytes.toString('latin1', at + 1, at + 3) : '';
    const escaped = /^[\da-f]{2}$/i.test(digits);
    bytes[end] = escaped ? Number.parseInt(digits, 16) : (bytes[at] ?? 0);
    if (escaped) at += 2;
  }
  return bytes.subarray(0, end);
}

/** Decodes to text; invalid UTF-8 becomes U+FFFD. */
export const decode = (encoded: string): string => Buffer.from(decodeBytes(encoded)).toString();
