/** An item of XML while it is read: its elements, attributes and texts in order, as numbers. */

/** Each cell has four numbers, of which the first is its kind, and for texts also their flags. */
export const CELL = 4;
/** An element: its name, where its cells end, and what is in it. */
export const ELEMENT = 0;
/** An attribute: its name, and where its value begins and ends. */
export const ATTRIBUTE = 1;
/** A part of a text: where it begins and ends. */
export const TEXT = 2;
/** The bits of the kind; flags are above them. */
export const KIND_BITS = 2;

/** What is in an element. */
export const HAS_ATTRIBUTES = 1;
export const HAS_ELEMENTS = 2;
export const HAS_TEXT = 4;
export const HAS_VISIBLE = 8;

const FIRST_CELLS = 4096;

export class XmlTape {
  cells = new Int32Array(FIRST_CELLS);
  length = 0;
  /** The cells of the open elements. */
  readonly #open: number[] = [];
  #current = 0;

  /** A number of the tape. */
  at(index: number): number {
    return this.cells[index] ?? 0;
  }

  /** Forgets an item that is complete. */
  clear(): void {
    this.length = 0;
  }

  open(name: number): void {
    if (this.#open.length > 0) this.#has(HAS_ELEMENTS);
    this.#current = this.length;
    this.#open.push(this.#current);
    this.#add(ELEMENT, name, 0, 0);
  }

  close(): void {
    this.cells[this.#current + 2] = this.length;
    this.#open.pop();
    this.#current = this.#open.at(-1) ?? 0;
  }

  /** Returns whether the element has no other attribute of this name. */
  attribute(flags: number, name: number, from: number, to: number): boolean {
    for (let at = this.#current + CELL; at < this.length; at += CELL) if (this.cells[at + 1] === name) return false;
    this.#has(HAS_ATTRIBUTES);
    this.#add(ATTRIBUTE | (flags << KIND_BITS), name, from, to);
    return true;
  }

  text(flags: number, from: number, to: number, isVisible: boolean): void {
    this.#has(isVisible ? HAS_TEXT | HAS_VISIBLE : HAS_TEXT);
    this.#add(TEXT | (flags << KIND_BITS), 0, from, to);
  }

  #has(what: number): void {
    this.cells[this.#current + 3] = (this.cells[this.#current + 3] ?? 0) | what;
  }

  #add(first: number, second: number, third: number, fourth: number): void {
    const at = this.length;
    if (at + CELL > this.cells.length) {
      const larger = new Int32Array(this.cells.length * 2);
      larger.set(this.cells);
      this.cells = larger;
    }
    const { cells } = this;
    cells[at] = first;
    cells[at + 1] = second;
    cells[at + 2] = third;
    cells[at + 3] = fourth;
    this.length = at + CELL;
  }
}
