/** The gate of a page that may repeat the one before it: what the scanner gives, on its way to the sink. */
import { createSlabBuffer, type SlabBuffer } from './buffer/slab-buffer.js';
import type { PageWriter } from './page-writer.js';
import type { Scan, ScanEvent, Slab } from './scanner/scanner.js';

/** Holds slabs back only as long as the page agrees with the one before. */
export class RepeatGate {
  readonly #scan: Scan;
  readonly #page: PageWriter;
  readonly #previous: readonly bigint[] | undefined;
  #isOpen: boolean;
  #held: SlabBuffer | undefined = undefined;

  constructor(scan: Scan, page: PageWriter, previous: readonly bigint[] | undefined) {
    this.#scan = scan;
    this.#page = page;
    this.#previous = previous;
    this.#isOpen = previous === undefined;
  }

  /** A promise only where something waits. */
  take(event: ScanEvent): void | Promise<void> {
    return 'slab' in event ? this.#deliver(event.slab) : this.#startOver();
  }

  /** The body has ended: lets the held slabs go, or drops them when the page repeats the one before. */
  finish(): boolean | Promise<boolean> {
    if (this.#isOpen) return false;
    const { chain } = this.#scan;
    if (chain.length === this.#previous?.length && agrees(chain, this.#previous)) return true;
    return this.#isEmpty() ? false : this.#release().then(() => false);
  }

  /** Forgets what is held. A promise only where there is something. */
  clear(): void | Promise<void> {
    return this.#isEmpty() ? undefined : this.#held?.clear();
  }

  #isEmpty(): boolean {
    return this.#held === undefined || this.#held.size === 0;
  }

  #deliver(slab: Slab): void | Promise<void> {
    if (this.#isOpen) return this.#page.write(slab);
    if (agrees(this.#scan.chain, this.#previous)) {
      this.#held ??= createSlabBuffer();
      return this.#held.add(slab);
    }
    if (!this.#isEmpty()) return this.#release().then(() => this.#page.write(slab));
    this.#isOpen = true;
    return this.#page.write(slab);
  }

  async #release(): Promise<void> {
    this.#isOpen = true;
    if (this.#held === undefined) return;
    for await (const slab of this.#held.drain()) await this.#page.write(slab);
  }

  async #startOver(): Promise<void> {
    await this.#held?.clear();
    await this.#page.rollback();
    this.#isOpen = this.#previous === undefined;
  }
}

function agrees(chain: readonly bigint[], previous: readonly bigint[] | undefined): boolean {
  if (previous === undefined || chain.length > previous.length) return false;
  return chain.every((digest, at) => digest === previous[at]);
}
