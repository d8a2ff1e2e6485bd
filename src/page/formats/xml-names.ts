/** The names of a document of XML: each is made once, and found again by its bytes. */
import { XmlFault } from './xml-fault.js';

/** The name of an element or an attribute, with what JSON writes before its value. */
export interface XmlName {
  readonly index: number;
  readonly text: string;
  /** `"name":` */
  readonly member: Buffer;
  /** `"@name":` */
  readonly attribute: Buffer;
}

/** A name as it is written, with a prefix that may be dropped. */
export interface WrittenName {
  readonly text: string;
  readonly bytes: Buffer;
  readonly name: XmlName;
  /** It declares a namespace. */
  readonly isDeclaration: boolean;
}

/** A document with more names is not data. */
const mostNames = 10_000;
const SLOTS = 32_768;

export class XmlNames {
  readonly #drops: boolean;
  readonly #names: XmlName[] = [];
  readonly #byText = new Map<string, XmlName>();
  /** By a hash of the bytes: more than three times as many slots as names. */
  readonly #slots: (WrittenName | undefined)[] = new Array(SLOTS);
  #count = 0;

  constructor(drops: boolean) {
    this.#drops = drops;
  }

  at(index: number): XmlName {
    return this.#names[index] ?? noName;
  }

  /** The name between two positions. Throws XmlFault for one that is not allowed, and for too many. */
  find(bytes: Buffer, from: number, to: number): WrittenName {
    let hash = to - from;
    for (let at = from; at < to; at++) hash = (Math.imul(hash, 31) + (bytes[at] ?? 0)) | 0;
    for (let slot = (hash ^ (hash >>> 15)) & (SLOTS - 1); ; slot = (slot + 1) & (SLOTS - 1)) {
      const known = this.#slots[slot];
      if (known !== undefined && isAt(known.bytes, bytes, from, to)) return known;
      if (known !== undefined) continue;
      const made = this.#create(bytes.toString('utf8', from, to));
      this.#slots[slot] = made;
      return made;
    }
  }

  #create(text: string): WrittenName {
    if (!/^[^\s<>&"'=/\d.-][^\s<>&"'=/]*$/.test(text)) {
      throw new XmlFault('a name with characters that are not allowed');
    }
    if (this.#count === mostNames) throw new XmlFault(`more than ${mostNames} names of elements and attributes`);
    this.#count += 1;
    const isDeclaration = text === 'xmlns' || text.startsWith('xmlns:');
    const own = this.#drops ? text.slice(text.indexOf(':') + 1) : text;
    return { text, bytes: Buffer.from(text), name: this.#nameOf(own), isDeclaration };
  }

  #nameOf(text: string): XmlName {
    const known = this.#byText.get(text);
    if (known !== undefined) return known;
    const name = {
      index: this.#names.length,
      text,
      member: Buffer.from(`${JSON.stringify(text)}:`),
      attribute: Buffer.from(`${JSON.stringify(`@${text}`)}:`),
    };
    this.#names.push(name);
    this.#byText.set(text, name);
    return name;
  }
}

const nothing = Buffer.alloc(0);
export const noName: XmlName = { index: -1, text: '', member: nothing, attribute: nothing };

/** Whether a name is what is between two positions. */
export function isAt(name: Buffer, bytes: Buffer, from: number, to: number): boolean {
  if (name.length !== to - from) return false;
  for (let own = 0, at = from; at < to; own++, at++) if (name[own] !== bytes[at]) return false;
  return true;
}
