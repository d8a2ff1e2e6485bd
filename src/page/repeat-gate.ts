/** Gates the slabs of a page that may repeat the previous one, between scanner and sink. */
import { createSlabBuffer, type SlabBuffer } from './buffer/slab-buffer.js';
import type { PageWriter } from './page-writer.js';
import type { Scan, ScanEvent, Slab } from './scanner/scan.js';

/** Holds slabs back only while the page equals the previous one. */
export class RepeatGate {
  readonly #scan: Pick<Scan, 'chain'>;
  readonly #page: PageWriter;
  readonly #previous: readonly bigint[] | undefined;
  #isOpen: boolean;
  #slabs: SlabBuffer | undefined = undefined;

  constructor(scan: Pick<Scan, 'chain'>, page: PageWriter, previous: readonly bigint[] | undefined) {
    this.#scan = scan;
    this.#page = page;
    this.#previous = previous;
    this.#isOpen = previous === undefined;
  }

  /** Returns a promise only if something waits. */
  take(event: ScanEvent): void | Promise<void> {
    return 'slab' in event ? this.#deliver(event.slab) : this.#startOver();
  }

  /** Ends the body: releases the held slabs, or drops them when the page repeats the previous one. */
  finish(): boolean | Promise<boolean> {
    if (this.#isOpen) return false;
    const { chain } = this.#scan;
    if (chain.length === this.#previous?.length && agrees(chain, this.#previous)) return true;
    return this.#isEmpty() ? false : this.#release().then(() => false);
  }

  /** Drops held slabs. Returns a promise only if there are any. */
  clear(): void | Promise<void> {
    return this.#isEmpty() ? undefined : this.#slabs?.clear();
  }

  #isEmpty(): boolean {
    return this.#slabs === undefined || this.#slabs.size === 0;
  }

  #deliver(slab: Slab): void | Promise<void> {
    if (this.#isOpen) return this.#page.write(slab);
    if (agrees(this.#scan.chain, this.#previous)) {
      this.#slabs ??= createSlabBuffer();
      return this.#slabs.add(slab);
    }
    if (!this.#isEmpty()) return this.#release().then(() => this.#page.write(slab));
    this.#isOpen = true;
    return this.#page.write(slab);
  }

  async #release(): Promise<void> {
    this.#isOpen = true;
    if (this.#slabs === undefined) return;
    for await (const slab of this.#slabs.drain()) await this.#page.write(slab);
  }

  async #startOver(): Promise<void> {
    await this.#slabs?.clear();
    await this.#page.rollback();
    this.#isOpen = this.#previous === undefined;
  }
}

function agrees(chain: readonly bigint[], previous: readonly bigint[] | undefined): boolean {
  if (previous === undefined || chain.length > previous.length) return false;
  return chain.every((digest, at) => digest === previous[at]);
}
