/** Makes an item of each element at a path of XML, and keeps the values around them that a pagination reads. */
import { ExtractError } from '../../core/errors/errors.js';
import { type Exact, isArray, isObject, stringifyExact } from '../../core/json/exact.js';
import { maxDepth, parseExact } from '../../core/json/exact-parse.js';
import type { CapturedText } from '../scanner/scanner.js';
import type { Converter, FormatContext } from './body-format.js';
import { textBetween, VISIBLE } from './xml-bytes.js';
import { XmlFault } from './xml-fault.js';
import { XmlJson } from './xml-json.js';
import { type WrittenName, XmlNames } from './xml-names.js';
import { XmlElement } from './xml-node.js';
import { XmlTape } from './xml-tape.js';
import { isBlankText } from './xml-text.js';
import { type XmlHandler, XmlTokens } from './xml-tokens.js';
import { XmlWindow } from './xml-window.js';

/** What an element takes in memory beside its texts, for the limit of an item. */
const NODE_BYTES = 32;

/** So many names are kept, to suggest one of them. */
const MOST_BESIDE = 64;

const noValue: CapturedText = { json: undefined, beside: [], depth: 0 };

export class XmlItems implements Converter, XmlHandler {
  readonly #context: FormatContext;
  readonly #path: readonly string[];
  readonly #drops: boolean;
  readonly #names: XmlNames;
  readonly #window = new XmlWindow();
  readonly #tokens: XmlTokens;
  /** The item that is read. */
  readonly #tape = new XmlTape();
  readonly #json: XmlJson;
  /** The names of the open elements: those of each level up to the depth. */
  readonly #open: WrittenName[] = [];
  /** The elements around the items, of each level. */
  readonly #levels: XmlElement[] = [];
  #depth = 0;
  /** How many of the open elements lead to the items. */
  #matched = 0;
  #itemDepth = 0;
  #itemElements = 0;
  #hasItem = false;
  /** The innermost open element is one whose children are the items, and has no child or text so far. */
  #isEmpty = false;
  /** There was one without any. */
  #hasEmpty = false;
  /** The most names of the path that open elements had, and the other names below them. */
  #deepest = 0;
  readonly #beside = new Set<string>();
  /** The last element that ended was an item, or is not kept: white space after it is between elements. */
  #isAfterOmitted = false;
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
    this.#names = new XmlNames(this.#drops);
    this.#tokens = new XmlTokens(this, this.#window, this.#names);
    this.#json = new XmlJson(this.#names, this.#tape);
  }

  push(chunk: Uint8Array, from: number): number {
    try {
      if (!this.#isPending) this.#add(chunk);
      this.#isPending = true;
      while (!this.#context.out.isFull()) {
        if (this.#tokens.next()) continue;
        this.#isPending = false;
        if (this.#itemDepth > 0) this.#checkItem();
        return chunk.length;
      }
      return from;
    } catch (thrown) {
      throw this.#placed(thrown);
    }
  }

  end(): void {
    const { at, end } = this.#window;
    const isOpen = this.#tokens.open() !== undefined && !isBlankText(this.#window.text(at, end));
    const inside = this.#depth > 0 ? 'before its root element is closed' : this.#tokens.open();
    if (isOpen || this.#depth > 0) throw this.#placed(new XmlFault(`the document ends ${inside}`));
    if (!this.#isOver) throw this.#placed(new XmlFault('the document has no element'));
    if (this.#root !== undefined) this.#around = parseExact(this.#root);
  }

  place(): string {
    const { bytes, at, end } = this.#window;
    const line = this.#lines - linesIn(bytes, at, end) + 1;
    const path = this.#open.slice(0, Math.min(this.#depth, 16)).map(({ name }) => name.text);
    return path.length === 0 ? `line ${line}` : `line ${line}, in ${path.join('.')}`;
  }

  /** An element above the items that has no child of any name, and no text, is an empty list. */
  hasPlace(): boolean {
    return this.#hasItem || (this.#hasEmpty && this.#beside.size === 0);
  }

  pathMiss(): Pick<CapturedText, 'beside' | 'depth'> {
    return { depth: this.#deepest, beside: [...this.#beside] };
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
    this.#window.add(chunk);
  }

  // The parts of the document.

  current(): WrittenName | undefined {
    return this.#open[this.#depth - 1];
  }

  wantsText(): boolean {
    if (this.#isEmpty) return true;
    return this.#itemDepth > 0 || this.#depth === 0 || this.#levels[this.#depth - 1]?.isKept === true;
  }

  open(written: WrittenName): void {
    if (this.#isOver) throw new XmlFault('a second root element');
    const depth = this.#depth;
    if (depth + 1 >= maxDepth) throw this.#tooDeep();
    if (depth === 0 && written.name.text !== this.#path[0]) throw this.#otherRoot(written.name.text);
    this.#open[depth] = written;
    this.#depth = depth + 1;
    this.#isAfterOmitted = false;
    if (this.#itemDepth > 0) {
      this.#itemElements += 1;
      this.#tape.open(written.name.index);
    } else this.#openAround(written, depth);
  }

  /** Opens an element that is an item, or is around the items. */
  #openAround({ name }: WrittenName, depth: number): void {
    if (this.#matched === depth) {
      this.#isEmpty = false;
      if (this.#path[depth] !== name.text) this.#noteBeside(name.text, depth);
      else {
        this.#matched += 1;
        if (this.#matched === this.#path.length) {
          this.#beginItem(name.index, depth);
          return;
        }
        this.#noteMatched();
      }
    }
    const element = this.#levels[depth] ?? new XmlElement();
    this.#levels[depth] = element;
    element.begin(name, this.#isWanted());
  }

  #beginItem(name: number, depth: number): void {
    this.#hasItem = true;
    this.#itemDepth = depth + 1;
    this.#itemElements = 1;
    this.#window.held = this.#window.at;
    this.#tape.clear();
    this.#tape.open(name);
  }

  /** An element on the path, above the items. */
  #noteMatched(): void {
    this.#isEmpty = this.#matched === this.#path.length - 1;
    if (this.#matched <= this.#deepest) return;
    this.#deepest = this.#matched;
    this.#beside.clear();
  }

  /** An element beside the path, whose parent is on it. */
  #noteBeside(name: string, depth: number): void {
    if (depth === this.#deepest && !this.#hasItem && this.#beside.size < MOST_BESIDE) this.#beside.add(name);
  }

  attribute({ name, isDeclaration }: WrittenName, from: number, to: number, flags: number): void {
    if (this.#drops && isDeclaration) return;
    const { held, bytes } = this.#window;
    let isNew = true;
    if (this.#itemDepth > 0) isNew = this.#tape.attribute(flags, name.index, from - held, to - held);
    else {
      const element = this.#levels[this.#depth - 1];
      if (element === undefined || !element.isKept) return;
      isNew = !element.hasAttribute(name);
      element.addAttribute(name, textBetween(bytes, from, to, flags));
      this.#countKept(to - from);
    }
    if (!isNew) throw new XmlFault(`the attribute ${name.text} twice`);
  }

  close(): void {
    const depth = this.#depth;
    if (this.#itemDepth > 0) this.#tape.close();
    if (depth === this.#itemDepth) {
      this.#write();
      this.#isAfterOmitted = true;
    } else if (this.#itemDepth === 0) this.#closeAround(depth);
    if (this.#matched >= depth) this.#matched = depth - 1;
    this.#depth = depth - 1;
    if (depth === 1) this.#isOver = true;
  }

  #closeAround(depth: number): void {
    const element = this.#levels[depth - 1];
    if (this.#isEmpty) this.#hasEmpty = true;
    this.#isEmpty = false;
    this.#isAfterOmitted = element?.isKept !== true;
    if (element?.isKept !== true) return;
    if (depth === 1) this.#root = `{${element.name.member}${element.json()}}`;
    else this.#levels[depth - 2]?.addElement(element.name, element.json());
  }

  text(from: number, to: number, flags: number): void {
    const { held, bytes } = this.#window;
    const isVisible = (flags & VISIBLE) !== 0;
    if (this.#itemDepth > 0) {
      this.#tape.text(flags, from - held, to - held, isVisible);
      return;
    }
    if (this.#depth === 0 && isVisible) throw new XmlFault('a text outside of the root element');
    if (isVisible) this.#isEmpty = false;
    const element = this.#levels[this.#depth - 1];
    if (this.#depth === 0 || element === undefined || !element.isKept) return;
    if (this.#isAfterOmitted && !isVisible) return;
    this.#isAfterOmitted = false;
    element.text += textBetween(bytes, from, to, flags);
    this.#countKept(to - from);
  }

  /** Writes the item that ends at this place. */
  #write(): void {
    const { out, maxItemBytes } = this.#context;
    const { bytes, held, at } = this.#window;
    this.#checkItem();
    this.#json.write(bytes, held, at - held, out);
    if (out.length - out.itemAt > maxItemBytes) throw this.#tooLarge(maxItemBytes, 'an item');
    this.#window.held = -1;
    this.#itemDepth = 0;
    out.endItem();
  }

  /** An item may have as many bytes in the document as in the output. */
  #checkItem(): void {
    const { maxItemBytes } = this.#context;
    const { held, end, at } = this.#window;
    const bytes = Math.max((this.#isPending ? at : end) - held, this.#itemElements * NODE_BYTES);
    if (bytes > maxItemBytes) throw this.#tooLarge(maxItemBytes, 'an item');
  }

  #countKept(bytes: number): void {
    const { maxCaptureBytes } = this.#context;
    this.#keptBytes += bytes;
    if (this.#keptBytes > maxCaptureBytes)
      throw this.#tooLarge(maxCaptureBytes, 'what the pagination reads beside the items');
  }

  /** Whether the open elements lead to a captured value, or are a part of it. */
  #isWanted(): boolean {
    const { captures } = this.#context;
    return captures.some((capture) => {
      const names = capture.filter((segment) => !/^\d+$/.test(segment));
      const length = Math.min(names.length, this.#depth);
      for (let at = 0; at < length; at++) {
        const name = names[at] ?? '';
        if (name !== this.#open[at]?.name.text && !/^[@#]/.test(name)) return false;
      }
      return length > 0;
    });
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

function linesIn(bytes: Uint8Array, from: number, to: number): number {
  let lines = 0;
  for (let at = from; at < to; at++) if (bytes[at] === 0x0a) lines += 1;
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
