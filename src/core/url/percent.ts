/**
 * Percent-encoding in the three variants of the language. Works on bytes, so that invalid UTF-8 survives a round trip.
 */

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.';

/** What is written for each byte; 0: %XX. */
function alphabet(plain: string): Uint8Array {
  const written = new Uint8Array(256);
  for (const byte of Buffer.from(plain)) written[byte] = byte;
  return written;
}

/** Text that a form leaves unchanged. */
const plainForm = /^[\w.-]*$/;

const [percent, plus, blank] = [0x25, 0x2b, 0x20];
const formAlphabet = alphabet(letters).with(blank, plus);
const rawAlphabet = alphabet(`${letters}~`);

const hexDigits = Buffer.from('0123456789ABCDEF');

/** Writes bytes: a text that grows by characters takes 32 bytes for each of them. */
function write(value: string | Uint8Array, alphabet: Uint8Array): string {
  const bytes = typeof value === 'string' ? Buffer.from(value) : value;
  const text = Buffer.allocUnsafe(bytes.length * 3);
  let end = 0;
  for (const byte of bytes) {
    const plain = alphabet[byte] ?? 0;
    text[end++] = plain === 0 ? percent : plain;
    if (plain !== 0) continue;
    text[end++] = hexDigits[byte >> 4] ?? 0;
    text[end++] = hexDigits[byte & 15] ?? 0;
  }
  return text.toString('latin1', 0, end);
}

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
  const bytes = Buffer.from(encoded);
  let end = 0;
  for (let at = 0; at < bytes.length; at += 1, end += 1) {
    const byte = bytes[at] ?? 0;
    const digits = byte === percent ? bytes.toString('latin1', at + 1, at + 3) : '';
    const isEscaped = digits !== '' && /^[\da-f]{2}$/i.test(digits);
    if (isEscaped) bytes[end] = Number.parseInt(digits, 16);
    else bytes[end] = byte === plus ? blank : byte;
    if (isEscaped) at += 2;
  }
  return bytes.subarray(0, end);
}

/** Decodes to text; invalid UTF-8 becomes U+FFFD. */
export const decode = (encoded: string): string => Buffer.from(decodeBytes(encoded)).toString();
