/** What each byte of CSV means, within a cell and within quotes, and how it is written in a JSON string. */

/** Classes of bytes; 0: a byte is copied. */
export const DELIMITER = 1;
export const LINE_END = 2;
export const QUOTE = 3;
const ESCAPED = 4;

export type ByteClasses = Uint8Array;

/** The class of each byte. An empty quote occurs in no file. */
export function byteClasses(
  delimiter: string,
  quote: string,
): { readonly [Where in 'inCell' | 'inQuotes']: ByteClasses } {
  const escaped = Uint8Array.from({ length: 256 }, (_, byte) => (escapes[byte] === undefined ? 0 : ESCAPED));
  const inCell = escaped.slice();
  inCell[0x0a] = LINE_END;
  inCell[0x0d] = LINE_END;
  inCell[delimiter.charCodeAt(0)] = DELIMITER;
  const inQuotes = escaped.slice();
  if (quote !== '') inQuotes[quote.charCodeAt(0)] = QUOTE;
  return { inCell, inQuotes };
}

/** What stands for a byte in a JSON string; undefined: the byte itself. */
export const escapes: readonly (Uint8Array | undefined)[] = Array.from({ length: 256 }, (_, byte) => {
  const isSpecial = byte < 0x20 || byte === 0x22 || byte === 0x5c;
  return isSpecial ? Buffer.from(JSON.stringify(String.fromCharCode(byte)).slice(1, -1)) : undefined;
});
