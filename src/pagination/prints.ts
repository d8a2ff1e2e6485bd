/** The fingerprints of the pages of a walk, in order. They detect repeated pages, also after a resume. */
import { hash } from 'node:crypto';

/** The data for the fingerprint of a page. */
export interface PageDigests {
  /** Its chain; see `Scan`. Empty: the page had no body. */
  readonly chain: readonly bigint[];
  /** The digest of its items; undefined: it had none. */
  readonly items: bigint | undefined;
  /** Its request as text: pages without items have equal items if they answer the same request. */
  readonly request: () => string;
}

/** Compares pages by index. */
export interface Prints {
  readonly length: number;
  /** Adds the next page by its fingerprint from `printOf`. */
  add(print: bigint): void;
  isSamePage(a: number, b: number): boolean;
  hasSameItems(a: number, b: number): boolean;
  hasItems(index: number): boolean;
  all(): Iterable<bigint>;
  /** 12 bytes each, as base64. */
  toText(): string;
}

const printBytes = 12;

/** In the highest of the 48 bits of the items: there are none. */
const noItems = 2n ** 47n;

/** Returns 96 bits: 48 of the whole page, one for a page without items, 47 of its items. */
export function fingerprint({ chain, items, request }: PageDigests): bigint {
  // BigInt arithmetic in a loop crashes V8's compiler in Node 20.
  const page = chain.length === 0 ? 0n : digestOf(BigUint64Array.from(chain));
  const ofItems = items === undefined ? noItems + (digestOf(request()) % noItems) : BigInt.asUintN(47, items);
  return (page << 48n) | ofItems;
}

/** The first 48 bits. */
const digestOf = (content: string | BigUint64Array): bigint =>
  BigInt(`0x${hash('sha256', content, 'hex').slice(0, 12)}`);

/** Pages of one block. */
const blockPages = 1024;
const firstPages = 32;
/** Words of a page: its upper 32 bits; its lower 16 and the items' upper 16; the items' lower 32. */
const words = 3;
const noItemsBit = 0x8000;

/**
 * Starts with the fingerprints of a text from `toText`. Takes 12 bytes a page, in blocks that are never copied once
 * they are full.
 */
export function createPrints(text = ''): Prints {
  const blocks: Uint32Array<ArrayBuffer>[] = [];

  const blockOf = (index: number): Uint32Array => blocks[Math.floor(index / blockPages)] ?? nothing;
  const word = (index: number, which: number): number => blockOf(index)[(index % blockPages) * words + which] ?? 0;
  const print = (index: number): bigint => BigInt(`0x${[0, 1, 2].map((which) => hex(word(index, which))).join('')}`);
  const push = (first: number, second: number, third: number) => {
    const at = prints.length % blockPages;
    if (at === 0) blocks.push(new Uint32Array((prints.length === 0 ? firstPages : blockPages) * words));
    const last = blocks.length - 1;
    if (at * words === blocks[last]?.length) blocks[last] = doubled(blocks[last]);
    blocks[last]?.set([first, second, third], at * words);
    prints.length += 1;
  };

  // A number, not a getter: each row of a parent begins a walk.
  const prints: { -readonly [Member in keyof Prints]: Prints[Member] } = {
    length: 0,
    add(added) {
      const part = (shift: bigint) => Number(BigInt.asUintN(32, added >> shift));
      push(part(64n), part(32n), part(0n));
    },
    isSamePage: (a, b) => word(a, 0) === word(b, 0) && word(a, 1) >>> 16 === word(b, 1) >>> 16,
    hasSameItems: (a, b) => word(a, 2) === word(b, 2) && (word(a, 1) & 0xffff) === (word(b, 1) & 0xffff),
    hasItems: (index) => (word(index, 1) & noItemsBit) === 0,
    *all() {
      for (let index = 0; index < prints.length; index++) yield print(index);
    },
    toText() {
      const written = Buffer.alloc(prints.length * printBytes);
      for (let at = 0; at < prints.length * words; at++)
        written.writeUInt32BE(word(Math.floor(at / words), at % words), at * 4);
      return written.toString('base64');
    },
  };
  const bytes = Buffer.from(text, 'base64');
  for (let at = 0; at + printBytes <= bytes.length; at += printBytes) {
    push(bytes.readUInt32BE(at), bytes.readUInt32BE(at + 4), bytes.readUInt32BE(at + 8));
  }
  return prints;
}

const nothing = new Uint32Array();

const hex = (value: number): string => value.toString(16).padStart(8, '0');

function doubled(array: Uint32Array): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(array.length * 2);
  larger.set(array);
  return larger;
}
