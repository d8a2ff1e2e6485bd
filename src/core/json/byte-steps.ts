/** Steps through compact, valid JSON in bytes, without parsing it. */

export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const OPEN_LIST = 0x5b;
export const BACKSLASH = 0x5c;
export const CLOSE_LIST = 0x5d;
export const OPEN_OBJECT = 0x7b;
export const CLOSE_OBJECT = 0x7d;

/** The position after the string that begins at `at`, with its opening quote. */
export function afterString(bytes: Uint8Array, at: number): number {
  let next = at + 1;
  for (let byte = bytes[next]; byte !== QUOTE; byte = bytes[next]) {
    if (byte === undefined) return next;
    next += byte === BACKSLASH ? 2 : 1;
  }
  return next + 1;
}

/** The position after the value that begins at `at`. */
export function afterValue(bytes: Uint8Array, at: number): number {
  const first = bytes[at];
  if (first === QUOTE) return afterString(bytes, at);
  if (first === OPEN_OBJECT || first === OPEN_LIST) return afterNested(bytes, at);
  let next = at + 1;
  for (let byte = bytes[next]; byte !== undefined; byte = bytes[++next]) {
    if (byte === COMMA || byte === CLOSE_OBJECT || byte === CLOSE_LIST || byte < 0x20) break;
  }
  return next;
}

function afterNested(bytes: Uint8Array, at: number): number {
  let depth = 0;
  for (let next = at; next < bytes.length; ) {
    const byte = bytes[next];
    if (byte === QUOTE) {
      next = afterString(bytes, next);
      continue;
    }
    next += 1;
    if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth += 1;
    else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
      depth -= 1;
      if (depth === 0) return next;
    }
  }
  return bytes.length;
}

/** The position of the next member or element after a value that ends at `end`, or of the closing bracket. */
export const afterComma = (bytes: Uint8Array, end: number): number => (bytes[end] === COMMA ? end + 1 : end);

/** The names of the members of the object that begins at `at`, in their order. Decodes escapes. */
export function memberNames(bytes: Buffer, at: number): ReadonlySet<string> {
  const names = new Set<string>();
  for (let next = at + 1; bytes[next] !== CLOSE_OBJECT; ) {
    const value = afterString(bytes, next) + 1;
    names.add(stringAt(bytes, next, value - 1));
    next = afterComma(bytes, afterValue(bytes, value));
  }
  return names;
}

/** Whether the string between two positions is written as `text`; both with their quotes. */
export function isWritten(bytes: Uint8Array, from: number, to: number, text: Uint8Array): boolean {
  if (to - from !== text.length) return false;
  for (let at = from + 1, own = 1; at < to; at++, own++) if (bytes[at] !== text[own]) return false;
  return true;
}

/** The position of the value of the member at `at`, if its name is written as `name`, with its quotes; else -1. */
export function afterName(bytes: Uint8Array, at: number, name: Uint8Array): number {
  for (let own = 0; own < name.length; own++) if (bytes[at + own] !== name[own]) return -1;
  return at + name.length + 1;
}

/** The text of the string between two positions, its quotes included. Decodes escapes. */
export function stringAt(bytes: Buffer, from: number, to: number): string {
  const text = bytes.toString('utf8', from + 1, to - 1);
  return text.includes('\\') ? String(JSON.parse(`"${text}"`)) : text;
}
