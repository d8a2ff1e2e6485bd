/** Finds the names of an object's own members in its bytes, without parsing the values. */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const OPEN_OBJECT = 0x7b;
const CLOSE_LIST = 0x5d;
const CLOSE_OBJECT = 0x7d;

/** Reads the compact, valid JSON object between two offsets. Decodes escapes in names. */
export function memberNames(bytes: Buffer, from: number, to: number): ReadonlySet<string> {
  const names = new Set<string>();
  let depth = 0;
  let isName = true;
  for (let at = from; at < to; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) {
      const end = endOfText(bytes, at);
      if (depth === 1 && isName) names.add(textAt(bytes, at, end));
      isName = false;
      at = end;
    } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth++;
    else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) depth--;
    else if (byte === COMMA && depth === 1) isName = true;
  }
  return names;
}

/** The position of the closing quote. */
function endOfText(bytes: Buffer, opening: number): number {
  let at = opening + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}

/** The decoded string between two quotes. */
function textAt(bytes: Buffer, opening: number, closing: number): string {
  const text = bytes.toString('utf8', opening + 1, closing);
  return text.includes('\\') ? String(JSON.parse(`"${text}"`)) : text;
}
