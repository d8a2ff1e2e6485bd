/** Makes an item of each element at a path of XML, and keeps the values around them that a pagination reads. */
import { ExtractError } from '../../core/errors/errors.js';
import { type Exact, isArray, isObject, stringifyExact } from '../../core/json/exact.js';
import { maxDepth, parseExact } from '../../core/json/exact-parse.js';
import { asBuffer } from '../../core/util/as-buffer.js';
import type { CapturedText } from '../scanner/scanner.js';
import type { Converter, FormatContext } from './body-format.js';
import { XmlFault } from './xml-fault.js';
import { createXmlName, XmlElement, type XmlName } from './xml-node.js';
import { isBlankText } from './xml-text.js';
import { type XmlHandler, XmlTokens } from './xml-tokens.js';

/** What an element takes in memory beside its texts, for the limit of an item. */
const NODE_BYTES = 32;
const UTF8_GROWTH = 3;
/** Names are kept to be found again; a document with more of them is not data. */
const mostNames = 10_000;

const noValue: CapturedText = { json: undefined, beside: [], depth: 0 };

export class XmlItems implements Converter, XmlHandler {
  readonly #context: FormatContext;
  readonly #path: readonly string[];
  readonly #drops: boolean;
  readonly #tokens: XmlTokens;
  readonly #names = new Map<string, XmlName>();
  /** The elements of each level; those up to the depth are open. */
  readonly #levels: XmlElement[] = [];
  #depth = 0;
  /** The innermost open element. */
  #element: XmlElement | undefined;
  /** How many of the open elements lead to the items. */
  #matched = 0;
  #itemDepth = 0;
  #itemBytes = 0;
  #keptBytes = 0;
  #root: string | undefined;
  #around: Exact | undefined;
  #isOver = false;
  #lines = 0;
  #isPending = false;

  constructor(context: FormatContext) {
    const { element = [], namespaces } = context.options;
    this.#context = context;
    this.#path = typeof element === 'string' ? element.split('.') : element;
    this.#drops = namespaces === 'drop';
    this.#tokens = new XmlTokens(this);
  }

  push(chunk: Uint8Array, from: number): number {
    try {
      if (!this.#isPending) this.#add(chunk);
      this.#isPending = true;
      while (!this.#context.out.isFull()) {
        if (this.#tokens.next()) continue;
        this.#isPending = false;
        return chunk.length;
      }
      return from;
    } catch (thrown) {
      throw this.#placed(thrown);
    }
  }

  end(): void {
    const isOpen = this.#tokens.open() !== undefined && !isBlankText(this.#tokens.rest());
    const inside = this.#depth > 0 ? 'before its root element is closed' : this.#tokens.open();
    if (isOpen || this.#depth > 0) throw this.#placed(new XmlFault(`the document ends ${inside}`));
    if (!this.#isOver) throw this.#placed(new XmlFault('the document has no element'));
    if (this.#root !== undefined) this.#around = parseExact(this.#root);
  }

  place(): string {
    const line = this.#lines - linesIn(this.#tokens.rest()) + 1;
    const path = this.#levels.slice(0, Math.min(this.#depth, 16)).map(({ name }) => name.text);
    return path.length === 0 ? `line ${line}` : `line ${line}, in ${path.join('.')}`;
  }

  captured(index: number): CapturedText {
    const value = valueAt(this.#around, this.#context.captures[index] ?? []);
    return value === undefined ? noValue : { json: Buffer.from(stringifyExact(value)), beside: [], depth: 0 };
  }

  #add(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0;
      if (byte >= 0x20) continue;
      if (byte === 0x0a) this.#lines += 1;
      else if (byte !== 0x0d && byte !== 0x09) {
        throw new XmlFault(`the control character ${byte}, which XML does not allow`);
      }
    }
    this.#tokens.add(asBuffer(chunk).toString());
  }

  // The parts of the document.

  current(): string | undefined {
    return this.#depth === 0 ? undefined : this.#element?.written;
  }

  wantsText(): boolean {
    return this.#depth === 0 || this.#element?.isKept === true;
  }

  open(written: string): void {
    if (this.#isOver) throw new XmlFault('a second root element');
    const name = this.#nameOf(written);
    const depth = this.#depth;
    if (depth + 1 >= maxDepth) throw this.#tooDeep();
    if (depth === 0 && name.text !== this.#path[0]) throw this.#otherRoot(name.text);
    const element = this.#levels[depth] ?? new XmlElement();
    this.#levels[depth] = element;
    this.#element = element;
    this.#depth = depth + 1;
    if (this.#itemDepth > 0) this.#count(NODE_BYTES);
    else if (this.#matched === depth && this.#path[depth] === name.text) {
      this.#matched += 1;
      if (this.#matched === this.#path.length) this.#itemDepth = depth + 1;
    }
    element.begin(written, name, this.#itemDepth > 0);
    if (this.#itemDepth === 0) element.isKept = this.#isWanted();
  }

  attribute(written: string, value: string): void {
    if (this.#drops && (written === 'xmlns' || written.startsWith('xmlns:'))) return;
    const name = this.#nameOf(written);
    const element = this.#element;
    if (element === undefined || !element.isKept) return;
    if (element.hasAttribute(name)) throw new XmlFault(`the attribute ${name.text} twice`);
    element.addAttribute(name, value);
    this.#count(value.length);
  }

  close(): void {
    const depth = this.#depth;
    const element = this.#element;
    const around = depth < 2 ? undefined : this.#levels[depth - 2];
    if (element !== undefined && depth === this.#itemDepth) this.#write(element);
    else if (element?.isKept === true) {
      if (around === undefined) this.#root = `{${element.name.member}${element.json()}}`;
      else around.addElement(element.name, element.json());
    }
    if (this.#matched >= depth) this.#matched = depth - 1;
    this.#element = around;
    this.#depth = depth - 1;
    if (depth === 1) this.#isOver = true;
  }

  text(part: string): void {
    if (this.#depth === 0 && !isBlankText(part)) throw new XmlFault('a text outside of the root element');
    const element = this.#element;
    if (element === undefined || !element.isKept) return;
    element.text = element.text === '' ? part : element.text + part;
    this.#count(part.length);
  }

  #write(element: XmlElement): void {
    const { out, maxItemBytes } = this.#context;
    const json = element.object();
    out.reserve(json.length * UTF8_GROWTH);
    out.length += asBuffer(out.bytes).write(json, out.length);
    if (out.length - out.itemAt > maxItemBytes) throw this.#tooLarge(maxItemBytes, 'an item');
    this.#itemBytes = 0;
    this.#itemDepth = 0;
    out.endItem();
  }

  #count(bytes: number): void {
    const { maxItemBytes, maxCaptureBytes } = this.#context;
    if (this.#itemDepth > 0) {
      this.#itemBytes += bytes;
      if (this.#itemBytes > maxItemBytes) throw this.#tooLarge(maxItemBytes, 'an item');
    } else if (this.#element?.isKept === true) {
      this.#keptBytes += bytes;
      if (this.#keptBytes > maxCaptureBytes)
        throw this.#tooLarge(maxCaptureBytes, 'what the pagination reads beside the items');
    }
  }

  /** Whether the open elements lead to a captured value, or are a part of it. */
  #isWanted(): boolean {
    const { captures } = this.#context;
    return captures.some((capture) => {
      const names = capture.filter((segment) => !/^\d+$/.test(segment));
      const length = Math.min(names.length, this.#depth);
      for (let at = 0; at < length; at++) {
        const name = names[at] ?? '';
        if (name !== this.#levels[at]?.name.text && !/^[@#]/.test(name)) return false;
      }
      return length > 0;
    });
  }

  #nameOf(written: string): XmlName {
    const known = this.#names.get(written);
    if (known !== undefined) return known;
    if (!/^[^\s<>&"'=/\d.-][^\s<>&"'=/]*$/.test(written))
      throw new XmlFault('a name with characters that are not allowed');
    const text = this.#drops ? written.slice(written.indexOf(':') + 1) : written;
    const same = text === written ? undefined : this.#names.get(text);
    const name = same ?? createXmlName(text);
    if (this.#names.size >= mostNames) throw new XmlFault(`more than ${mostNames} names of elements and attributes`);
    this.#names.set(written, name).set(text, name);
    return name;
  }

  #otherRoot(found: string): ExtractError {
    const expected = this.#path.join('.');
    const message = `the root element is ${JSON.stringify(found.slice(0, 80))}; \`response.element\` is "${expected}"`;
    return new ExtractError('ERR_XML', `${message}, a path from the root`);
  }

  #tooDeep(): ExtractError {
    return new ExtractError(
      'ERR_DEPTH',
      `the document is nested deeper than ${maxDepth - 1} levels at ${this.place()}`,
    );
  }

  #tooLarge(bytes: number, what: string): ExtractError {
    return new ExtractError('ERR_ITEM_SIZE', `${what} is larger than ${bytes} bytes at ${this.place()}`);
  }

  #placed(thrown: unknown): unknown {
    if (!(thrown instanceof XmlFault)) return thrown;
    return new ExtractError('ERR_XML', `invalid XML at ${this.place()}: ${thrown.message}`);
  }
}

function linesIn(text: string): number {
  let lines = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}

/** The value at a path; of several elements of one name the last one counts, unless an index selects one. */
function valueAt(root: Exact | undefined, segments: readonly string[]): Exact | undefined {
  let value = root;
  for (const segment of segments) {
    const isIndex = isArray(value) && /^\d+$/.test(segment);
    const one = isArray(value) && !isIndex ? value.at(-1) : value;
    value = isArray(one) ? one[Number(segment)] : isObject(one) ? one.get(segment) : undefined;
  }
  return isArray(value) ? value.at(-1) : value;
}
