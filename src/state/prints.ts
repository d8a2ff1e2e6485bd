/** The fingerprints of a walk's pages, in order: what a resumed run needs to notice that the API goes round in a circle. */

export interface Prints {
  /** Its low 64 bits. */
  add(print: bigint): void;
  all(): Iterable<bigint>;
  /** 8 bytes each, as base64. */
  toText(): string;
}

const printBytes = 8;

/** Begins with those of a text that `toText` gave. */
export function createPrints(text = ''): Prints {
  let bytes = Buffer.from(text, 'base64');
  let length = bytes.length;
  return {
    add(print) {
      if (length + printBytes > bytes.length) bytes = Buffer.concat([bytes, Buffer.alloc(Math.max(64, bytes.length))]);
      bytes.writeBigUInt64LE(BigInt.asUintN(64, print), length);
      length += printBytes;
    },
    *all() {
      for (let at = 0; at < length; at += printBytes) yield bytes.readBigUInt64LE(at);
    },
    toText: () => bytes.toString('base64', 0, length),
  };
}
