/**
 * The page scanner: body chunks in; slabs of items, captured values and a fingerprint out. WebAssembly reads every
 * byte.
 */
import { ExtractError } from '../../core/errors/errors.js';
import { createPool, placeOf } from './instance.js';
import type { LocatedItems } from './items-locator.js';
import { createTracker } from './path-tracker.js';
import type { Scan, ScanEvent, ScanOptions } from './scan.js';
import { faultError } from './scan-errors.js';
import { createSlabs } from './slabs.js';
import type { CapturedText } from './slots.js';
import { createIntake } from './utf8-window.js';

export type { LocatedItems as Found } from './items-locator.js';
export type { Scan, ScanEvent, ScanOptions, Slab } from './scan.js';
export type { CapturedText } from './slots.js';

// The only module state; scans cannot observe it.
const pool = createPool();

/** Upper limits of the settings, so that all regions of an instance lie below 2 GiB. */
const MOST_BYTES = 512 << 20;
const MOST_BATCH_BYTES = 64 << 20;

const noPaths: ReadonlySet<number> = new Set();

/** Starts the scan of one page. Call `dispose` when done, also after an error. */
export const startScan = (options: ScanOptions): Scan => new PageScan(options);

/** A class, because V8 creates a hidden class for each object literal with getters. */
class PageScan implements Scan {
  readonly chain: readonly bigint[];
  readonly #parts: ReturnType<typeof layOut>;
  readonly #options: ScanOptions;
  #isDisposed = false;

  constructor(options: ScanOptions) {
    this.#options = options;
    this.#parts = layOut(options);
    this.chain = this.#parts.tracker.chain;
  }

  *feed(chunk: Uint8Array): Iterable<ScanEvent> {
    const { intake, slabs, batchBytes } = this.#parts;
    for (let from = 0; from < chunk.length; ) {
      const part = chunk.subarray(from, from + intake.room());
      from += part.length;
      if (this.#isDisposed) throw disposedError();
      intake.take(part);
      for (let event = slabs.next(batchBytes); event !== undefined; event = slabs.next(batchBytes)) yield event;
    }
  }

  *end(): Iterable<ScanEvent> {
    const { instance, intake, slabs, tracker } = this.#parts;
    if (this.#isDisposed) throw disposedError();
    intake.end();
    // Before the last slab: who gets that knows whether the page repeats the one before it.
    if (this.#options.fingerprint) {
      instance.calls.hashRest();
      tracker.chain.push(BigInt(slabs.count()));
    }
    for (let event = slabs.next(1); event !== undefined; event = slabs.next(1)) yield event;
  }

  get count(): number {
    return this.#parts.slabs.count();
  }

  get itemBytes(): number {
    return this.#parts.slabs.bytes();
  }

  get found(): LocatedItems {
    return this.#parts.tracker.target.found();
  }

  captured(index: number): CapturedText {
    return this.#parts.tracker.captures.get(index);
  }

  pathMiss(): Pick<CapturedText, 'beside' | 'depth'> {
    return this.captured(this.#options.captures.length);
  }

  get itemsDigest(): bigint | undefined {
    return this.chain.at(-3);
  }

  dispose(): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    this.#parts.slabs.leave();
    pool.give(this.#parts.instance);
  }
}

/** The error of a disposed scan: its instance may serve another scan by now. */
const disposedError = () => new ExtractError('ERR_INTERNAL', 'a scan went on after it was disposed of');

/** Resets an instance for the page. */
function layOut(options: ScanOptions) {
  const { dataField, captures, fingerprint, shallow = noPaths, silent = noPaths, figures = noPaths } = options;
  const sizes = sizesOf(options);
  const instance = pool.take();
  const { calls } = instance;
  const slabs = createSlabs(instance, options);
  const intake = createIntake(instance, options.firstOffset ?? 0, explain);
  const { offsetOf } = intake;
  const kinds = { shallow, silent, figures };
  const tracker = createTracker({ dataField, captures, kinds, instance, offsetOf, onRestart: slabs.restart });
  instance.serve(tracker.host);
  calls.begin(sizes.batchBytes, sizes.maxItemBytes, sizes.maxCaptureBytes, fingerprint, tracker.root);

  function explain(fault: number): ExtractError {
    const at = calls.faultAt();
    const byte = instance.memory()[at] ?? 0;
    const capture = captures[tracker.captures.outermost() ?? -1]?.join('.') ?? '';
    const stopped = { ...placeOf(calls), expected: calls.expected(), offset: offsetOf(at) };
    return faultError({ ...stopped, ...sizes, fault, byte, capture });
  }

  return { instance, batchBytes: sizes.batchBytes, slabs, intake, tracker };
}

const sizesOf = ({ batchBytes, maxItemBytes, maxCaptureBytes }: ScanOptions) => ({
  batchBytes: atMost(batchBytes, MOST_BATCH_BYTES),
  maxItemBytes: atMost(maxItemBytes, MOST_BYTES),
  maxCaptureBytes: atMost(maxCaptureBytes, MOST_BYTES),
});

const atMost = (bytes: number, most: number) => Math.max(1, Math.min(Math.trunc(bytes), most));
