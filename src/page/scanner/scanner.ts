/**
 * The page scanner: body chunks in; slabs of items, captured values and a fingerprint out. Every byte is looked at in
 * WebAssembly.
 */
import { ExtractError } from '../../core/errors/errors.js';
import { faultError } from './errors.js';
import { createPool, placeOf } from './instance.js';
import { createTracker } from './path-tracker.js';
import type { Scan, ScanEvent, ScanOptions } from './scan.js';
import { createSlabs } from './slabs.js';
import { createIntake } from './utf8-window.js';

export type { LocatedItems as Found } from './items-locator.js';
export type { Scan, ScanEvent, ScanOptions, Slab } from './scan.js';
export type { CapturedText } from './slots.js';

// The only state of the module: what it holds no scan can see.
const pool = createPool();

/** Larger settings are cut to these, so that all regions of an instance lie below 2 GiB. */
const MOST_BYTES = 512 << 20;
const MOST_BATCH_BYTES = 64 << 20;

const noPaths: ReadonlySet<number> = new Set();

/** Starts the scan of one page. Call `dispose` when done, also after an error. */
export function startScan(options: ScanOptions): Scan {
  const { instance, batchBytes, slabs, intake, tracker } = layOut(options);
  let isDisposed = false;

  function* feed(chunk: Uint8Array): Iterable<ScanEvent> {
    for (let from = 0; from < chunk.length; ) {
      const part = chunk.subarray(from, from + intake.room());
      from += part.length;
      if (isDisposed) throw disposedError();
      intake.take(part);
      yield* slabs.events(batchBytes);
    }
  }

  function* end(): Iterable<ScanEvent> {
    if (isDisposed) throw disposedError();
    intake.end();
    yield* slabs.events(1);
    if (!options.fingerprint) return;
    instance.calls.hashRest();
    tracker.chain.push(BigInt(slabs.count()));
  }

  return {
    feed,
    end,
    get count() {
      return slabs.count();
    },
    get itemBytes() {
      return slabs.bytes();
    },
    get found() {
      return tracker.target.found();
    },
    captured: (index) => tracker.captures.get(index),
    astray: () => tracker.captures.get(options.captures.length),
    chain: tracker.chain,
    get itemsDigest() {
      return tracker.chain.at(-3);
    },
    dispose: () => {
      if (isDisposed) return;
      isDisposed = true;
      slabs.leave();
      pool.give(instance);
    },
  };
}

/** The instance may serve another scan by now. */
const disposedError = () => new ExtractError('ERR_INTERNAL', 'a scan went on after it was disposed of');

/** Lays an instance out for the page. */
function layOut(options: ScanOptions) {
  const { dataField, captures, fingerprint, shallow = noPaths, silent = noPaths } = options;
  const sizes = sizesOf(options);
  const instance = pool.take();
  const { calls } = instance;
  const slabs = createSlabs(instance, fingerprint);
  const intake = createIntake(instance, options.firstOffset ?? 0, explain);
  const { offsetOf } = intake;
  const tracker = createTracker({ dataField, captures, shallow, silent, instance, offsetOf, onRestart: slabs.restart });
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
