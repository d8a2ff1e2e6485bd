/** Writes an item of XML as JSON, from its bytes and its tape. docs/14-any-response.md#xml. */
import { asBuffer } from '../../core/util/as-buffer.js';
import { escapes } from './csv-bytes.js';
import type { ItemWriter } from './item-writer.js';
import { DECODED, ESCAPED, REFERENCES, referenceAt, textBetween } from './xml-bytes.js';
import type { XmlNames } from './xml-names.js';
import {
  ATTRIBUTE,
  CELL,
  ELEMENT,
  HAS_ATTRIBUTES,
  HAS_ELEMENTS,
  HAS_TEXT,
  HAS_VISIBLE,
  KIND_BITS,
  TEXT,
  type XmlTape,
} from './xml-tape.js';

/** The most bytes of JSON that a byte of XML becomes, and a cell beside its bytes. */
const MOST_GROWTH = 3;
const CELL_GROWTH = 32;
const KINDS = (1 << KIND_BITS) - 1;

const QUOTE = 0x22;
const AMPERSAND = 0x26;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

const textMember = Buffer.from('"#text":');
const contentMember = Buffer.from('"#content":');

/** More names than this are grouped by a table at once. */
const fewNames = 32;
/** Shorter copies are faster in a loop. */
const shortBytes = 32;
const nothing = Buffer.alloc(0);

export class XmlJson {
  readonly #names: XmlNames;
  readonly #tape: XmlTape;
  /** The document, and where the item begins in it. */
  #bytes: Buffer = nothing;
  #from = 0;
  #out: Buffer = nothing;
  #length = 0;
  /** The cells of elements whose parents are written: so many of them, then what is left of earlier ones. */
  readonly #children: number[] = [];
  #childCount = 0;

  constructor(names: XmlNames, tape: XmlTape) {
    this.#names = names;
    this.#tape = tape;
  }

  /** Writes the item whose `size` bytes begin at `from`. */
  write(bytes: Buffer, from: number, size: number, out: ItemWriter): void {
    out.reserve(size * MOST_GROWTH + this.#tape.length * CELL_GROWTH);
    this.#bytes = bytes;
    this.#from = from;
    this.#out = asBuffer(out.bytes);
    this.#length = out.length;
    this.#object(0);
    out.length = this.#length;
  }

  /** An element as a value: a text if it has nothing else, otherwise an object. */
  #value(at: number): void {
    const tape = this.#tape;
    if ((tape.at(at + 3) & (HAS_ATTRIBUTES | HAS_ELEMENTS)) !== 0) this.#object(at);
    else this.#text(at + CELL, tape.at(at + 2));
  }

  #object(at: number): void {
    const tape = this.#tape;
    const end = tape.at(at + 2);
    const has = tape.at(at + 3);
    let next = at + CELL;
    this.#byte(OPEN_OBJECT);
    for (; next < end && (tape.at(next) & KINDS) === ATTRIBUTE; next += CELL) {
      this.#copy(this.#names.at(tape.at(next + 1)).attribute);
      this.#text(next, next + CELL);
      this.#byte(COMMA);
    }
    if ((has & HAS_ELEMENTS) === 0) {
      if ((has & HAS_TEXT) !== 0) {
        this.#copy(textMember);
        this.#text(next, end);
      }
    } else if ((has & HAS_VISIBLE) === 0) this.#members(next, end);
    else this.#content(next, end);
    this.#end(CLOSE_OBJECT);
  }

  /** A string of all texts between two cells that are not within other elements; of an attribute: its value. */
  #text(from: number, to: number): void {
    const tape = this.#tape;
    this.#byte(QUOTE);
    for (let at = from; at < to; at += CELL) {
      this.#part(tape.at(at) >> KIND_BITS, this.#from + tape.at(at + 2), this.#from + tape.at(at + 3));
    }
    this.#byte(QUOTE);
  }

  #part(flags: number, from: number, to: number): void {
    const bytes = this.#bytes;
    const out = this.#out;
    if ((flags & DECODED) !== 0) {
      const json = JSON.stringify(textBetween(bytes, from, to, flags));
      this.#length += out.write(json.slice(1, -1), this.#length);
    } else if ((flags & (ESCAPED | REFERENCES)) !== 0)
      this.#escaped(from, to, (flags & REFERENCES) !== 0 ? AMPERSAND : -1);
    else if (to - from > shortBytes) this.#length += bytes.copy(out, this.#length, from, to);
    else {
      let length = this.#length;
      for (let at = from; at < to; at++) out[length++] = bytes[at] ?? 0;
      this.#length = length;
    }
  }

  /** `reference` is the byte that begins a reference to one of the five entities; -1: none does. */
  #escaped(from: number, to: number, reference: number): void {
    const bytes = this.#bytes;
    const out = this.#out;
    let length = this.#length;
    for (let at = from; at < to; at++) {
      const byte = bytes[at] ?? 0;
      const entity = byte === reference ? referenceAt(bytes, at, to) : undefined;
      const written = entity?.json ?? escapes[byte];
      if (entity !== undefined) at += entity.name.length - 1;
      if (written === undefined) out[length++] = byte;
      else for (let own = 0; own < written.length; own++) out[length++] = written[own] ?? 0;
    }
    this.#length = length;
  }

  /** Elements by name, in the order of the first of each; several of one name are a list. */
  #members(from: number, to: number): void {
    const tape = this.#tape;
    const children = this.#children;
    const first = this.#childCount;
    let end = first;
    for (let at = from; at < to; ) {
      const isElement = (tape.at(at) & KINDS) === ELEMENT;
      if (isElement) children[end++] = at;
      at = isElement ? tape.at(at + 2) : at + CELL;
    }
    this.#childCount = end;
    if (end - first > fewNames || this.#hasTwice(first, end)) this.#groups(children.slice(first, end));
    else for (let child = first; child < end; child++) this.#member(children[child] ?? 0);
    this.#childCount = first;
  }

  #hasTwice(first: number, end: number): boolean {
    for (let child = first + 1; child < end; child++) {
      const name = this.#nameOf(child);
      for (let other = first; other < child; other++) if (this.#nameOf(other) === name) return true;
    }
    return false;
  }

  #nameOf(child: number): number {
    return this.#tape.at((this.#children[child] ?? 0) + 1);
  }

  #member(at: number): void {
    this.#copy(this.#names.at(this.#tape.at(at + 1)).member);
    this.#value(at);
    this.#byte(COMMA);
  }

  #groups(children: readonly number[]): void {
    const byName = new Map<number, number[]>();
    for (const child of children) {
      const name = this.#tape.at(child + 1);
      const group = byName.get(name);
      if (group === undefined) byName.set(name, [child]);
      else group.push(child);
    }
    for (const [name, group] of byName) {
      const [only = 0] = group;
      if (group.length === 1) this.#member(only);
      else {
        this.#copy(this.#names.at(name).member);
        this.#byte(OPEN_LIST);
        for (const child of group) {
          this.#value(child);
          this.#byte(COMMA);
        }
        this.#end(CLOSE_LIST);
        this.#byte(COMMA);
      }
    }
  }

  /** Texts between elements: their order matters, so all of it is a list. */
  #content(from: number, to: number): void {
    const tape = this.#tape;
    this.#copy(contentMember);
    this.#byte(OPEN_LIST);
    for (let at = from; at < to; ) {
      let next = at;
      while (next < to && (tape.at(next) & KINDS) === TEXT) next += CELL;
      if (next > at) this.#text(at, next);
      else {
        this.#byte(OPEN_OBJECT);
        this.#member(at);
        this.#end(CLOSE_OBJECT);
        next = tape.at(at + 2);
      }
      this.#byte(COMMA);
      at = next;
    }
    this.#end(CLOSE_LIST);
  }

  #byte(byte: number): void {
    this.#out[this.#length] = byte;
    this.#length += 1;
  }

  /** Writes the byte in place of a comma at the end, or after it if there is none. */
  #end(byte: number): void {
    if (this.#out[this.#length - 1] === COMMA) this.#length -= 1;
    this.#byte(byte);
  }

  #copy(bytes: Buffer): void {
    const out = this.#out;
    let length = this.#length;
    for (let at = 0; at < bytes.length; at++) out[length++] = bytes[at] ?? 0;
    this.#length = length;
  }
}
