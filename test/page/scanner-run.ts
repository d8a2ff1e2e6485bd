/** Scans a complete body in chunks of a given size, and collects everything that comes out. */
import { ExtractError } from '../../src/core/errors/errors.js';
import type { DataField } from '../../src/core/model/job.js';
import { type Scan, type ScanOptions, type Slab, startScan } from '../../src/page/scanner/scanner.js';

export const auto: DataField = { kind: 'auto' };
export const at = (...segments: string[]): DataField => ({ kind: 'path', segments, text: segments.join('.') });

export interface Outcome {
  /** The items since the last restart. */
  readonly items: readonly string[];
  readonly slabs: number;
  readonly restarts: number;
  readonly found: string;
  readonly miss: ReturnType<Scan['pathMiss']>;
  readonly count: number;
  readonly itemBytes: number;
  readonly captured: readonly (string | undefined)[];
  readonly beside: readonly (readonly string[])[];
  readonly chain: readonly bigint[];
  readonly itemsDigest: bigint | undefined;
}

export const defaults: ScanOptions = {
  dataField: auto,
  captures: [],
  batchBytes: 1 << 20,
  maxItemBytes: 64 << 20,
  maxCaptureBytes: 65536,
  fingerprint: false,
};

/** Larger than any body of the tests. */
export const WHOLE = 1 << 30;

/** Cuts the body into pieces of `size` bytes. */
export function pieces(body: Uint8Array, size: number): readonly Uint8Array[] {
  const chunks: Uint8Array[] = [];
  for (let from = 0; from < body.length; from += size) chunks.push(body.subarray(from, from + size));
  return chunks;
}

/** Throws the error of the scan, and an Error if a slab's offsets do not fit its bytes. */
export function scanChunks(
  chunks: Iterable<Uint8Array>,
  options: Partial<ScanOptions> = {},
  start: (options: ScanOptions) => Scan = startScan,
): Outcome {
  const scan = start({ ...defaults, ...options });
  let items: string[] = [];
  let slabs = 0;
  let restarts = 0;
  const take = (events: ReturnType<typeof scan.feed>) => {
    for (const event of events) {
      if ('restart' in event) {
        restarts++;
        items = [];
      } else {
        slabs++;
        items.push(...itemsOf(event.slab));
      }
    }
  };
  try {
    for (const chunk of chunks) take(scan.feed(chunk));
    take(scan.end());
    const captured = (options.captures ?? []).map((_, index) => scan.captured(index));
    return {
      items,
      slabs,
      restarts,
      found: scan.found,
      miss: scan.pathMiss(),
      count: scan.count,
      itemBytes: scan.itemBytes,
      captured: captured.map(({ json }) => (json === undefined ? undefined : Buffer.from(json).toString())),
      beside: captured.map(({ beside }) => beside),
      chain: [...scan.chain],
      itemsDigest: scan.itemsDigest,
    };
  } finally {
    scan.dispose();
  }
}

export const scanBody = (body: string | Uint8Array, options: Partial<ScanOptions> = {}, size = WHOLE): Outcome =>
  scanChunks(pieces(Buffer.from(body), size), options);

export interface Failure {
  readonly code: string;
  readonly offset: number | undefined;
  readonly message: string;
}

/** The error that the scan throws; undefined when it throws none. */
export function failure(
  body: string | Uint8Array,
  options: Partial<ScanOptions> = {},
  size = WHOLE,
): Failure | undefined {
  try {
    scanBody(body, options, size);
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof ExtractError)) throw thrown;
    return { code: thrown.code, offset: thrown.where.offset, message: thrown.message };
  }
}

/** The items of a slab without their newlines. */
export function itemsOf({ bytes, offsets, count }: Slab): string[] {
  const fits = count > 0 && offsets.length === count + 1 && offsets[0] === 0 && offsets[count] === bytes.length;
  if (!fits) throw new Error('the offsets do not span the slab');
  return Array.from({ length: count }, (_, index) => {
    const line = Buffer.from(bytes.subarray(offsets[index], offsets[index + 1])).toString();
    if (line.indexOf('\n') !== line.length - 1) throw new Error(`item ${index} is no line`);
    return line.slice(0, -1);
  });
}
