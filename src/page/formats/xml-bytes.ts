/** What bytes of XML mean: each text has the flags of its bytes, so that most texts are copied without a look. */
import { isAt } from './xml-names.js';
import { decodeText, isBlankText, normalizedValue } from './xml-text.js';

/** JSON writes it with an escape. */
export const ESCAPED = 1;
/** A line end that is another one in the text, or a reference by number: the text is decoded as a whole. */
export const DECODED = 2;
/** Something else than white space. */
export const VISIBLE = 4;
/** It may end `]]>`. */
export const GREATER_THAN = 8;
/** It is no part of a text. */
export const MARKUP = 16;
/** References to the five entities. */
export const REFERENCES = 128;
/** CDATA: references in it are text. */
export const LITERAL = 32;
/** The value of an attribute, whose white space is spaces. */
export const VALUE = 64;

const flagsOf = (special: Readonly<Record<string, number>>): Uint8Array =>
  Uint8Array.from({ length: 256 }, (_, byte) => special[String.fromCharCode(byte)] ?? VISIBLE);

const literal = {
  ' ': 0,
  '\t': ESCAPED,
  '\n': ESCAPED,
  '\r': ESCAPED | DECODED,
  '"': ESCAPED | VISIBLE,
  '\\': ESCAPED | VISIBLE,
};
const markup = { '&': REFERENCES | VISIBLE, '<': MARKUP };
const white = ESCAPED | DECODED;

const literalFlags = flagsOf(literal);
const textFlags = flagsOf({ ...literal, ...markup, '>': GREATER_THAN | VISIBLE });
const valueFlags = flagsOf({ ...literal, ...markup, '\t': white, '\n': white });

/** The flags of a byte of text. */
export const textFlagsOf = (byte: number): number => textFlags[byte] ?? 0;

/** The flags of what is between two positions. */
export function flagsBetween(
  bytes: Uint8Array,
  from: number,
  to: number,
  kind: 0 | typeof LITERAL | typeof VALUE,
): number {
  const flags = kind === 0 ? textFlags : kind === VALUE ? valueFlags : literalFlags;
  let all: number = kind;
  for (let at = from; at < to; at++) all |= flags[bytes[at] ?? 0] ?? 0;
  return all;
}

/** The text of bytes with these flags. Throws XmlFault for an entity beyond the five. */
export function textBetween(bytes: Buffer, from: number, to: number, flags: number): string {
  const text = bytes.toString('utf8', from, to);
  if ((flags & (DECODED | REFERENCES)) === 0) return text;
  if ((flags & LITERAL) !== 0) return normalizedValue(text, '\n');
  return decodeText((flags & VALUE) !== 0 ? normalizedValue(text, ' ') : text);
}

/** The flags of a text whose references are valid; one that becomes white space is not visible. Throws XmlFault. */
export function checkedFlags(bytes: Buffer, from: number, to: number, flags: number): number {
  if ((flags & (DECODED | REFERENCES)) === 0) return flags;
  const isSimple = (flags & DECODED) === 0 && hasNamedOnly(bytes, from, to);
  if (isSimple) return flags;
  const isBlank = isBlankText(textBetween(bytes, from, to, flags | DECODED));
  return (isBlank ? flags & ~VISIBLE : flags) | DECODED;
}

const AMPERSAND = 0x26;

function hasNamedOnly(bytes: Buffer, from: number, to: number): boolean {
  for (let at = bytes.indexOf(AMPERSAND, from); at >= 0 && at < to; at = bytes.indexOf(AMPERSAND, at + 1)) {
    if (referenceAt(bytes, at, to) === undefined) return false;
  }
  return true;
}

/** The name of an entity with its ampersand and semicolon, and its character as JSON writes it. */
export interface NamedEntity {
  readonly name: Buffer;
  readonly json: Buffer;
}

const entities: readonly NamedEntity[] = ['&amp;&', '&lt;<', '&gt;>', '&quot;\\"', "&apos;'"].map((each) => {
  const end = each.indexOf(';') + 1;
  return { name: Buffer.from(each.slice(0, end)), json: Buffer.from(each.slice(end)) };
});

/** The one of the five entities that is at a place. */
export function referenceAt(bytes: Buffer, at: number, to: number): NamedEntity | undefined {
  for (const entity of entities) {
    const { name } = entity;
    if (name[1] === bytes[at + 1] && at + name.length <= to && isAt(name, bytes, at, at + name.length)) return entity;
  }
  return undefined;
}
