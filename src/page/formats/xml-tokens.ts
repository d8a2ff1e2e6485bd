/** Cuts XML into tags and texts, as chunks arrive. Refuses a DTD, and entities beyond the five. */
import { checkedFlags, flagsBetween, GREATER_THAN, LITERAL, MARKUP, textFlagsOf, VALUE } from './xml-bytes.js';
import { XmlFault } from './xml-fault.js';
import { isAt, type WrittenName, type XmlNames } from './xml-names.js';
import { isBlankText } from './xml-text.js';
import type { XmlWindow } from './xml-window.js';

/** Receives the parts of a document in order. Positions are those in the window. */
export interface XmlHandler {
  open(name: WrittenName): void;
  attribute(name: WrittenName, from: number, to: number, flags: number): void;
  /** Returns the name of the element that is open. */
  current(): WrittenName | undefined;
  close(): void;
  /** A part of a text; the parts of one text follow one another. */
  text(from: number, to: number, flags: number): void;
  /** Whether the texts are of use: references in the others are not read. */
  wantsText(): boolean;
}

/** More bytes than any tag of data has. */
const MOST_TAG = 1024 * 1024;
const longestReference = 12;

/** The modes of what may be long: its end, and how much of it may be the beginning of that end. */
const modes = {
  comment: { end: Buffer.from('-->'), kept: 2 },
  cdata: { end: Buffer.from(']]>'), kept: 2 },
  instruction: { end: Buffer.from('?>'), kept: 1 },
} as const;

type Mode = keyof typeof modes;

const openings: readonly (readonly [string, Mode])[] = [
  ['<!--', 'comment'],
  ['<![CDATA[', 'cdata'],
  ['<?', 'instruction'],
];
const longestOpening = 9;

const RETURN = 0x0d;
const SPACE = 0x20;
const BANG = 0x21;
const DOUBLE_QUOTE = 0x22;
const AMPERSAND = 0x26;
const SINGLE_QUOTE = 0x27;
const SLASH = 0x2f;
const SEMICOLON = 0x3b;
const LESS = 0x3c;
const EQUALS = 0x3d;
const GREATER = 0x3e;
const QUESTION = 0x3f;
const CLOSE_BRACKET = 0x5d;

const isSpace = (byte: number | undefined): boolean =>
  byte === SPACE || byte === 0x0a || byte === 0x09 || byte === RETURN;

export class XmlTokens {
  readonly #handler: XmlHandler;
  readonly #window: XmlWindow;
  readonly #names: XmlNames;
  #mode: Mode | undefined;

  constructor(handler: XmlHandler, window: XmlWindow, names: XmlNames) {
    this.#handler = handler;
    this.#window = window;
    this.#names = names;
  }

  /** What is open at the end of a document; undefined: nothing. */
  open(): string | undefined {
    if (this.#mode !== undefined) return `in a ${this.#mode}`;
    return this.#window.at < this.#window.end ? 'in a tag or a reference' : undefined;
  }

  /** Passes on the next part. Returns whether there was one; otherwise more bytes are needed. Throws XmlFault. */
  next(): boolean {
    const { bytes, at, end } = this.#window;
    if (at >= end) return false;
    if (this.#mode !== undefined) return this.#within(this.#mode);
    if (bytes[at] !== LESS) return this.#characters();
    if (at + 1 === end) return false;
    const second = bytes[at + 1];
    if (second === SLASH) return this.#closeTag();
    if (second !== BANG && second !== QUESTION) return this.#openTag();
    return this.#special();
  }

  #special(): boolean {
    const window = this.#window;
    const begun = window.text(window.at, window.at + longestOpening);
    for (const [opening, mode] of openings) {
      if (begun.startsWith(opening)) {
        this.#mode = mode;
        window.at += opening.length;
        return true;
      }
    }
    if (begun.length < longestOpening && openings.some(([opening]) => opening.startsWith(begun))) return false;
    if ('<!DOCTYPE'.startsWith(begun.slice(0, 3))) throw new XmlFault('a document type definition, which is refused');
    throw new XmlFault('`<!` begins neither a comment nor CDATA');
  }

  /** A comment, an instruction or CDATA: its text passes by as it arrives. */
  #within(mode: Mode): boolean {
    const window = this.#window;
    const { end, kept } = modes[mode];
    const found = window.findAll(end);
    let to = found < 0 ? Math.max(window.at, window.end - kept) : found;
    // The bytes of a character, and the two characters of a line end, stay together.
    if (found < 0) {
      while (to > window.at && isWithinCharacter(window.bytes[to])) to -= 1;
      while (to > window.at && window.bytes[to - 1] === RETURN) to -= 1;
    }
    const hasPart = to > window.at;
    if (mode === 'cdata' && hasPart) {
      this.#handler.text(window.at, to, flagsBetween(window.bytes, window.at, to, LITERAL));
    }
    window.at = found < 0 ? to : to + end.length;
    if (found < 0) return hasPart;
    this.#mode = undefined;
    return true;
  }

  #characters(): boolean {
    const window = this.#window;
    const { bytes, at: from } = window;
    const { end } = window;
    let flags = 0;
    let to = from;
    for (; to < end; to++) {
      const each = textFlagsOf(bytes[to] ?? 0);
      if (each === MARKUP) break;
      flags |= each;
    }
    if (to === end) {
      to = this.#certainEnd(from);
      if (to === from) return false;
      flags = flagsBetween(bytes, from, to, 0);
    }
    if ((flags & GREATER_THAN) !== 0 && bytes.subarray(from, to).includes(']]>')) throw new XmlFault('`]]>` in a text');
    if (this.#handler.wantsText()) this.#handler.text(from, to, checkedFlags(bytes, from, to, flags));
    window.at = to;
    return true;
  }

  /** A reference, a line end of two characters, and the end of CDATA, which no text has, are not cut. */
  #certainEnd(from: number): number {
    const { bytes, end } = this.#window;
    for (let at = end - 1; at >= from && at >= end - longestReference && bytes[at] !== SEMICOLON; at--) {
      if (bytes[at] === AMPERSAND) return at;
    }
    let to = end;
    while (to > from && (bytes[to - 1] === RETURN || bytes[to - 1] === CLOSE_BRACKET)) to -= 1;
    return to;
  }

  #closeTag(): boolean {
    const window = this.#window;
    const open = this.#handler.current();
    const from = window.at + 2;
    const after = from + (open?.bytes.length ?? 0);
    if (open === undefined || after >= window.end || window.bytes[after] !== GREATER) return this.#otherCloseTag();
    if (!isAt(open.bytes, window.bytes, from, after)) return this.#otherCloseTag();
    window.at = after + 1;
    this.#handler.close();
    return true;
  }

  /** A closing tag with white space, one that is incomplete, or a wrong one. */
  #otherCloseTag(): boolean {
    const window = this.#window;
    const end = window.find(GREATER, window.at);
    if (end < 0) return this.#needsMore();
    const name = this.#handler.current()?.text;
    const written = window.text(window.at + 2, end);
    if (name === undefined || !written.startsWith(name) || !isBlankText(written.slice(name.length))) {
      const found = `\`</${written.slice(0, 40)}>\``;
      throw new XmlFault(
        name === undefined ? `${found}, but no element is open` : `${found} instead of \`</${name}>\``,
      );
    }
    window.at = end + 1;
    this.#handler.close();
    return true;
  }

  #needsMore(): false {
    const { at, end } = this.#window;
    if (end - at > MOST_TAG) throw new XmlFault(`a tag of more than ${MOST_TAG} characters`);
    return false;
  }

  /** Reads a tag only if it is complete: its end is the first `>` outside of quotes. */
  #openTag(): boolean {
    const window = this.#window;
    const { bytes } = window;
    const start = window.at + 1;
    const nameEnd = endOfName(bytes, start, window.end);
    if (nameEnd < window.end && bytes[nameEnd] === GREATER && nameEnd > start) {
      this.#handler.open(this.#names.find(bytes, start, nameEnd));
      window.at = nameEnd + 1;
      return true;
    }
    const end = endOfTag(bytes, nameEnd, window.end);
    if (end < 0) return this.#needsMore();
    const isEmpty = bytes[end - 1] === SLASH;
    const to = isEmpty ? end - 1 : end;
    let at = Math.min(nameEnd, to);
    if (at === start) throw new XmlFault('`<` is not followed by a name');
    this.#handler.open(this.#names.find(bytes, start, at));
    while (at < to) at = this.#attribute(at, to);
    window.at = end + 1;
    if (isEmpty) this.#handler.close();
    return true;
  }

  /** Reads white space, and an attribute after it. Returns the place after it. */
  #attribute(from: number, to: number): number {
    const { bytes } = this.#window;
    const start = afterSpace(bytes, from, to);
    if (start === to) return to;
    if (start === from) throw new XmlFault('an attribute without white space before it');
    const nameEnd = endOfName(bytes, start, to);
    const equals = afterSpace(bytes, nameEnd, to);
    const quoteAt = afterSpace(bytes, equals + 1, to);
    const quote = bytes[quoteAt] ?? 0;
    const hasQuote = quoteAt < to && (quote === DOUBLE_QUOTE || quote === SINGLE_QUOTE);
    const end = hasQuote ? bytes.indexOf(quote, quoteAt + 1) : -1;
    if (bytes[equals] !== EQUALS || nameEnd === start || end < 0 || end >= to) {
      throw new XmlFault('an attribute that is not NAME="VALUE"');
    }
    const flags = flagsBetween(bytes, quoteAt + 1, end, VALUE);
    if ((flags & MARKUP) !== 0) throw new XmlFault('`<` in the value of an attribute');
    const checked = checkedFlags(bytes, quoteAt + 1, end, flags);
    this.#handler.attribute(this.#names.find(bytes, start, nameEnd), quoteAt + 1, end, checked);
    return end + 1;
  }
}

/** Whether a byte of UTF-8 is not the first one of its character. */
const isWithinCharacter = (byte = 0): boolean => (byte & 0xc0) === 0x80;

function afterSpace(bytes: Buffer, from: number, to: number): number {
  let at = from;
  while (at < to && isSpace(bytes[at])) at += 1;
  return at;
}

function endOfName(bytes: Buffer, from: number, to: number): number {
  let at = from;
  for (; at < to; at++) {
    const byte = bytes[at] ?? 0;
    if (byte <= GREATER && (isSpace(byte) || byte === EQUALS || byte === SLASH || byte === GREATER)) break;
  }
  return at;
}

/** The first `>` outside of quotes; -1: there is none yet. */
function endOfTag(bytes: Buffer, from: number, to: number): number {
  let quote = 0;
  for (let at = from; at < to; at++) {
    const byte = bytes[at] ?? 0;
    if (quote !== 0) quote = byte === quote ? 0 : quote;
    else if (byte === GREATER) return at;
    else if (byte === DOUBLE_QUOTE || byte === SINGLE_QUOTE) quote = byte;
  }
  return -1;
}
