/**
 * An element around the items while it is open, and its form in JSON; `XmlJson` writes the items themselves.
 * docs/14-any-response.md#xml.
 */
import { noName, type XmlName } from './xml-names.js';
import { isBlankText } from './xml-text.js';

/** One for each level of a document, used again for each element at it. Elements within it are JSON already. */
export class XmlElement {
  name: XmlName = noName;
  /** It leads to a captured value, or is a part of one. */
  isKept = false;
  /** The text, while there are no elements. */
  text = '';
  /** Attributes as members of JSON. */
  #attributes = '';
  readonly #attributeNames: XmlName[] = [];
  /** Elements and texts in order; a text has no name. */
  readonly #names: (XmlName | undefined)[] = [];
  readonly #values: string[] = [];
  #isMixed = false;

  begin(name: XmlName, isKept: boolean): void {
    this.name = name;
    this.isKept = isKept;
    this.text = '';
    this.#isMixed = false;
    if (this.#attributes !== '') {
      this.#attributes = '';
      this.#attributeNames.length = 0;
    }
    if (this.#names.length === 0) return;
    this.#names.length = 0;
    this.#values.length = 0;
  }

  hasAttribute(name: XmlName): boolean {
    return this.#attributeNames.includes(name);
  }

  addAttribute(name: XmlName, value: string): void {
    this.#attributeNames.push(name);
    this.#attributes += `,${name.attribute}${quoted(value)}`;
  }

  addElement(name: XmlName, json: string): void {
    if (this.text !== '') this.#addText();
    this.#names.push(name);
    this.#values.push(json);
  }

  /** The element as a value: a text if it has nothing else, otherwise an object. */
  json(): string {
    return this.#attributes === '' && this.#names.length === 0 ? quoted(this.text) : this.object();
  }

  /** The element as an object, also if it has only a text. */
  object(): string {
    if (this.text !== '' && this.#names.length > 0) this.#addText();
    let members = this.#attributes;
    if (this.#names.length > 0) members += this.#isMixed ? this.#content() : this.#elements();
    else if (this.text !== '') members += `,"#text":${quoted(this.text)}`;
    return `{${members.slice(1)}}`;
  }

  /** The text so far comes before or after an element. */
  #addText(): void {
    this.#isMixed ||= !isBlankText(this.text);
    this.#names.push(undefined);
    this.#values.push(quoted(this.text));
    this.text = '';
  }

  /** Texts between elements: their order matters, so all of it is a list. */
  #content(): string {
    const parts = this.#values.map((json, at) => {
      const name = this.#names[at];
      return name === undefined ? json : `{${name.member}${json}}`;
    });
    return `,"#content":[${parts.join(',')}]`;
  }

  /** Elements by name, in the order of the first of each; several of one name are a list. */
  #elements(): string {
    const [names, values] = [this.#names, this.#values];
    if (names.length > fewNames) return groups(names, values);
    let members = '';
    for (let at = 0; at < names.length; at++) {
      const name = names[at];
      if (name === undefined) continue;
      if (names.indexOf(name) < at || names.indexOf(name, at + 1) > 0) return groups(names, values);
      members += `,${name.member}${values[at] ?? ''}`;
    }
    return members;
  }
}

/** More names than this are grouped by a table at once. */
const fewNames = 32;

function groups(names: readonly (XmlName | undefined)[], values: readonly string[]): string {
  const byName = new Map<XmlName, string[]>();
  for (const [at, name] of names.entries()) {
    if (name === undefined) continue;
    const group = byName.get(name);
    if (group === undefined) byName.set(name, [values[at] ?? '']);
    else group.push(values[at] ?? '');
  }
  let members = '';
  for (const [{ member }, group] of byName) {
    members += `,${member}${group.length === 1 ? (group[0] ?? '') : `[${group.join(',')}]`}`;
  }
  return members;
}

/** Longer texts are written by JSON alone. */
const shortText = 128;

/** The text as JSON. Most short texts need no escape, and a look at them takes less time than a call of JSON. */
function quoted(text: string): string {
  if (text.length > shortText) return JSON.stringify(text);
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x20 || code === 0x22 || code === 0x5c) return JSON.stringify(text);
  }
  return `"${text}"`;
}
