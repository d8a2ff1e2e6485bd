/** Cuts XML into tags and texts, as chunks arrive. Refuses a DTD, and entities beyond the five. */
import { XmlFault } from './xml-fault.js';
import { decodeText, isBlankText, normalizedValue } from './xml-text.js';

/** Receives the parts of a document in order. */
export interface XmlHandler {
  open(name: string): void;
  attribute(name: string, value: string): void;
  /** Returns the name of the element that is open. */
  current(): string | undefined;
  close(): void;
  /** A part of a text; the parts of one text follow one another. */
  text(part: string): void;
  /** Whether the texts are of use: the others are not decoded. */
  wantsText(): boolean;
}

/** More characters than any tag of data has. */
const MOST_TAG = 1024 * 1024;
const longestReference = 12;

/** The modes of what may be long: its end, and how much of it may be the beginning of that end. */
const modes = {
  comment: { end: '-->', kept: 2 },
  cdata: { end: ']]>', kept: 2 },
  instruction: { end: '?>', kept: 1 },
} as const;

type Mode = keyof typeof modes;

const openings: readonly (readonly [string, Mode])[] = [
  ['<!--', 'comment'],
  ['<![CDATA[', 'cdata'],
  ['<?', 'instruction'],
];

const SPACE = 0x20;
const SLASH = 0x2f;
const EQUALS = 0x3d;
const GREATER = 0x3e;

const isSpace = (code: number): boolean => code === SPACE || code === 0x0a || code === 0x09 || code === 0x0d;

export class XmlTokens {
  readonly #handler: XmlHandler;
  #text = '';
  #at = 0;
  #mode: Mode | undefined;
  /** The text has no carriage return, and no end of CDATA. */
  #isPlain = true;

  constructor(handler: XmlHandler) {
    this.#handler = handler;
  }

  /** Adds text. */
  add(text: string): void {
    this.#text = this.#at === this.#text.length ? text : this.#text.slice(this.#at) + text;
    this.#at = 0;
    this.#isPlain = !this.#text.includes('\r') && !this.#text.includes(']]>');
  }

  /** The text that is not used yet. */
  rest(): string {
    return this.#text.slice(this.#at);
  }

  /** What is open at the end of a document; undefined: nothing. */
  open(): string | undefined {
    if (this.#mode !== undefined) return `in a ${this.#mode}`;
    return this.#at < this.#text.length ? 'in a tag or a reference' : undefined;
  }

  /** Passes on the next part. Returns whether there was one; otherwise more text is needed. Throws XmlFault. */
  next(): boolean {
    if (this.#at >= this.#text.length) return false;
    if (this.#mode !== undefined) return this.#within(this.#mode);
    if (this.#text.charCodeAt(this.#at) !== 0x3c) return this.#characters();
    const second = this.#text.charCodeAt(this.#at + 1);
    if (second === SLASH) return this.#closeTag();
    if (second !== 0x21 && second !== 0x3f) return this.#openTag();
    return this.#special();
  }

  #special(): boolean {
    for (const [opening, mode] of openings) {
      if (this.#text.startsWith(opening, this.#at)) {
        this.#mode = mode;
        this.#at += opening.length;
        return true;
      }
    }
    const begun = this.#text.slice(this.#at, this.#at + 9);
    if (begun.length < 9 && openings.some(([opening]) => opening.startsWith(begun))) return false;
    if ('<!DOCTYPE'.startsWith(begun.slice(0, 3))) throw new XmlFault('a document type definition, which is refused');
    throw new XmlFault('`<!` begins neither a comment nor CDATA');
  }

  /** A comment, an instruction or CDATA: its text passes by as it arrives. */
  #within(mode: Mode): boolean {
    const { end, kept } = modes[mode];
    const found = this.#text.indexOf(end, this.#at);
    let to = found < 0 ? Math.max(this.#at, this.#text.length - kept) : found;
    // The two characters of a line end stay together.
    if (found < 0) while (to > this.#at && this.#text.charAt(to - 1) === '\r') to -= 1;
    const hasPart = to > this.#at;
    if (mode === 'cdata' && hasPart) this.#handler.text(normalizedValue(this.#text.slice(this.#at, to), '\n'));
    this.#at = found < 0 ? to : to + end.length;
    if (found < 0) return hasPart;
    this.#mode = undefined;
    return true;
  }

  #characters(): boolean {
    const found = this.#text.indexOf('<', this.#at);
    let to = found;
    if (found < 0) {
      to = this.#text.length;
      const reference = this.#text.lastIndexOf('&');
      if (reference >= this.#at && to - reference <= longestReference && !this.#text.includes(';', reference))
        to = reference;
      // A line end of two characters, and the end of CDATA, which is not allowed in text.
      else while (to > this.#at && /[\r\]]/.test(this.#text.charAt(to - 1))) to -= 1;
      if (to === this.#at) return false;
    }
    const part = this.#text.slice(this.#at, to);
    if (!this.#isPlain && part.includes(']]>')) throw new XmlFault('`]]>` in a text');
    if (this.#handler.wantsText()) this.#handler.text(this.#isPlain && !part.includes('&') ? part : decodeText(part));
    this.#at = to;
    return true;
  }

  #closeTag(): boolean {
    const open = this.#handler.current() ?? '';
    const after = this.#at + 2 + open.length;
    if (this.#text.charCodeAt(after) === GREATER && open !== '' && this.#text.startsWith(open, this.#at + 2)) {
      this.#at = after + 1;
      this.#handler.close();
      return true;
    }
    return this.#otherCloseTag();
  }

  /** A closing tag with white space, one that is incomplete, or a wrong one. */
  #otherCloseTag(): boolean {
    const end = this.#text.indexOf('>', this.#at);
    if (end < 0) return this.#needsMore();
    const name = this.#handler.current();
    const from = this.#at + 2;
    if (name === undefined || !this.#isClosing(name, from, end)) {
      const found = `\`</${this.#text.slice(from, Math.min(end, from + 40))}>\``;
      throw new XmlFault(
        name === undefined ? `${found}, but no element is open` : `${found} instead of \`</${name}>\``,
      );
    }
    this.#at = end + 1;
    this.#handler.close();
    return true;
  }

  #isClosing(name: string, from: number, end: number): boolean {
    if (!this.#text.startsWith(name, from)) return false;
    const after = from + name.length;
    return after === end || isBlankText(this.#text.slice(after, end));
  }

  #needsMore(): false {
    if (this.#text.length - this.#at > MOST_TAG) throw new XmlFault(`a tag of more than ${MOST_TAG} characters`);
    return false;
  }

  /** Reads a tag only if it is complete: its end is the first `>` outside of quotes. */
  #openTag(): boolean {
    const nameEnd = endOfName(this.#text, this.#at + 1, this.#text.length);
    if (this.#text.charCodeAt(nameEnd) === GREATER && nameEnd > this.#at + 1) {
      this.#handler.open(this.#text.slice(this.#at + 1, nameEnd));
      this.#at = nameEnd + 1;
      return true;
    }
    const end = endOfTag(this.#text, this.#at);
    if (end < 0) return this.#needsMore();
    const text = this.#text;
    const isEmpty = text.charCodeAt(end - 1) === SLASH;
    const to = isEmpty ? end - 1 : end;
    let at = endOfName(text, this.#at + 1, to);
    if (at === this.#at + 1) throw new XmlFault('`<` is not followed by a name');
    this.#handler.open(text.slice(this.#at + 1, at));
    while (at < to) at = this.#attribute(at, to);
    this.#at = end + 1;
    if (isEmpty) this.#handler.close();
    return true;
  }

  /** Reads white space, and an attribute after it. Returns the place after it. */
  #attribute(from: number, to: number): number {
    const text = this.#text;
    const start = afterSpace(text, from, to);
    if (start === to) return to;
    if (start === from) throw new XmlFault('an attribute without white space before it');
    const nameEnd = endOfName(text, start, to);
    const equals = afterSpace(text, nameEnd, to);
    const quoteAt = afterSpace(text, equals + 1, to);
    const quote = text.charAt(quoteAt);
    const end = quote === '"' || quote === "'" ? text.indexOf(quote, quoteAt + 1) : -1;
    if (text.charCodeAt(equals) !== EQUALS || nameEnd === start || end < 0 || end > to) {
      throw new XmlFault('an attribute that is not NAME="VALUE"');
    }
    const value = text.slice(quoteAt + 1, end);
    if (value.includes('<')) throw new XmlFault('`<` in the value of an attribute');
    this.#handler.attribute(text.slice(start, nameEnd), decodeText(normalizedValue(value, ' ')));
    return end + 1;
  }
}

function afterSpace(text: string, from: number, to: number): number {
  let at = from;
  while (at < to && isSpace(text.charCodeAt(at))) at += 1;
  return at;
}

function endOfName(text: string, from: number, to: number): number {
  let at = from;
  for (; at < to; at++) {
    const code = text.charCodeAt(at);
    if (isSpace(code) || code === EQUALS || code === SLASH || code === GREATER) break;
  }
  return at;
}

function endOfTag(text: string, from: number): number {
  let end = text.indexOf('>', from);
  let at = from;
  while (end >= 0) {
    const quoted = quoteBefore(text, at, end);
    if (quoted < 0) return end;
    const close = text.indexOf(text.charAt(quoted), quoted + 1);
    if (close < 0) return -1;
    at = close + 1;
    if (close > end) end = text.indexOf('>', at);
  }
  return -1;
}

/** The next quote before a place, or -1. */
function quoteBefore(text: string, from: number, to: number): number {
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22 || code === 0x27) return at;
  }
  return -1;
}
