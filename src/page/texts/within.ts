/** The data field inside each value of a row: a slab of values becomes the slab of the items that lie at the path in them. */
import { type Scan, type ScanOptions, type Slab, startScan } from '../scanner/scanner.js';

export interface Within {
  take(values: Slab): Slab;
  readonly count: number;
  readonly itemBytes: number;
  /** Whether the path has led anywhere, be it to an empty list. */
  readonly isFound: boolean;
}

/** Each value is scanned as a page of its own is. */
export function createWithin(options: ScanOptions): Within {
  const own: ScanOptions = { ...options, captures: [], fingerprint: false };
  let count = 0;
  let itemBytes = 0;
  let isFound = false;

  function itemsOf(value: Uint8Array): readonly Slab[] {
    const scan = startScan(own);
    try {
      const slabs = slabsOf(scan, value);
      isFound ||= scan.found !== 'empty';
      return slabs;
    } finally {
      scan.dispose();
    }
  }

  return {
    take({ bytes, offsets, count: values }) {
      const slabs = Array.from({ length: values }, (_, index) =>
        itemsOf(bytes.subarray(offsets[index], offsets[index + 1])),
      );
      const joined = join(slabs.flat());
      count += joined.count;
      itemBytes += joined.bytes.length;
      return joined;
    },
    get count() {
      return count;
    },
    get itemBytes() {
      return itemBytes;
    },
    get isFound() {
      return isFound;
    },
  };
}

function slabsOf(scan: Scan, value: Uint8Array): readonly Slab[] {
  let slabs: Slab[] = [];
  for (const events of [scan.feed(value), scan.end()]) {
    for (const event of events) {
      if ('slab' in event) slabs.push(event.slab);
      else slabs = [];
    }
  }
  return slabs;
}

function join(slabs: readonly Slab[]): Slab {
  const count = slabs.reduce((sum, slab) => sum + slab.count, 0);
  const offsets = new Uint32Array(count + 1);
  let items = 0;
  let length = 0;
  for (const slab of slabs) {
    for (const end of slab.offsets.subarray(1)) offsets[++items] = length + end;
    length += slab.bytes.length;
  }
  return { bytes: Buffer.concat(slabs.map(({ bytes }) => bytes)), offsets, count };
}
