/** The page scanner: body chunks in; slabs of items, captured values and a fingerprint out. Every byte is looked at in WebAssembly. */
import { isUtf8 } from 'node:buffer';
import { ExtractError } from '../../errors.js';
import { faultError, unfinishedError, utf8Error } from './faults.js';
import { createPool } from './instance.js';
import type { Scan, ScanEvent, ScanOptions, Slab } from './scan.js';
import { createTracker } from './tracker.js';
import { findInvalid, wholeLength } from './utf8.js';

export type { CapturedText } from './captures.js';
export type { Scan, ScanEvent, ScanOptions, Slab } from './scan.js';
export type { Found } from './target.js';

// The only state of the module: what it holds no scan can see.
const pool = createPool();

/** As in assembly/memory.ts. */
const WINDOW_BYTES = 65536;
/** Larger settings are cut to these, so that all regions of an instance lie below 2 GiB. */
const MOST_BYTES = 512 << 20;
const MOST_BATCH_BYTES = 64 << 20;

const noPaths: ReadonlySet<number> = new Set();

const atMost = (bytes: number, most: number) => Math.max(1, Math.min(Math.trunc(bytes), most));

/** Starts the scan of one page. Call `dispose` when done, also after an error. */
export function startScan(options: ScanOptions): Scan {
  const instance = pool.take();
  const { calls } = instance;
  const windowAt = calls.windowAt();
  const batchBytes = atMost(options.batchBytes, MOST_BATCH_BYTES);
  const maxItemBytes = atMost(options.maxItemBytes, MOST_BYTES);
  const maxCaptureBytes = atMost(options.maxCaptureBytes, MOST_BYTES);
  /** The last bytes of a chunk when they are no whole character. */
  let carry: Uint8Array = new Uint8Array(0);
  /** Bytes of the body before the window. */
  let scanned = options.firstOffset ?? 0;
  /** Emitted since the last restart. */
  let emitted = { slabs: 0, count: 0, bytes: 0 };
  let mustRestart = false;
  let isDisposed = false;

  const tracker = createTracker({
    dataField: options.dataField,
    captures: options.captures,
    shallow: options.shallow ?? noPaths,
    silent: options.silent ?? noPaths,
    instance,
    offsetOf: (at) => scanned + at - windowAt,
    onRestart: () => {
      mustRestart ||= emitted.slabs > 0;
      emitted = { slabs: 0, count: 0, bytes: 0 };
    },
  });
  instance.serve(tracker.host);
  calls.begin(batchBytes, maxItemBytes, maxCaptureBytes, options.fingerprint, tracker.root);

  function* feed(chunk: Uint8Array): Iterable<ScanEvent> {
    for (let from = 0; from < chunk.length; ) {
      const part = chunk.subarray(from, from + WINDOW_BYTES - carry.length);
      from += part.length;
      scanPart(part);
      yield* events(batchBytes);
    }
  }

  function* end(): Iterable<ScanEvent> {
    refuseAfterDispose();
    if (carry.length > 0) throw utf8Error(scanned);
    finish();
    yield* events(1);
    if (!options.fingerprint) return;
    calls.hashRest();
    tracker.chain.push(BigInt(emitted.count));
  }

  /** The instance may serve another scan by now. */
  function refuseAfterDispose(): void {
    if (isDisposed) throw new ExtractError('ERR_INTERNAL', 'a scan went on after it was disposed of');
  }

  /** Scans what was carried over and the part: as much of it as is whole characters. */
  function scanPart(part: Uint8Array): void {
    refuseAfterDispose();
    const length = carry.length + part.length;
    const window = instance.memory().subarray(windowAt, windowAt + length);
    window.set(carry);
    window.set(part, carry.length);
    const wholeEnd = wholeLength(window);
    const whole = window.subarray(0, wholeEnd);
    carry = new Uint8Array(window.subarray(wholeEnd));
    const valid = isUtf8(whole) ? wholeEnd : findInvalid(whole);
    const isMarked = scanned === 0 && valid >= 3 && whole[0] === 0xef && whole[1] === 0xbb && whole[2] === 0xbf;
    scanWindow(isMarked ? 3 : 0, valid);
    // Not by the length of a view: a memory that grows meanwhile leaves it without bytes.
    if (valid < wholeEnd) throw utf8Error(scanned);
  }

  function scanWindow(from: number, to: number): void {
    const fault = calls.scan(from, to);
    if (fault !== 0) throw faultAt(fault);
    scanned += to;
  }

  /** A number at the top level ends where the document does: a space after it tells the scanner. */
  function finish(): void {
    const offset = scanned;
    if (calls.endsInNumber() !== 0) {
      instance.memory()[windowAt] = 0x20;
      scanWindow(0, 1);
    }
    const isComplete = calls.cutPlace() === 0 && calls.level() === 0 && calls.expected() === AFTER_VALUE;
    if (isComplete) return;
    throw unfinishedError({ ...place(), cut: calls.cutPlace(), offset });
  }

  const place = () => ({ level: calls.level(), isInObject: calls.isInObject() !== 0 });

  function faultAt(fault: number) {
    const at = calls.faultAt();
    const capture = options.captures[tracker.captures.outermost() ?? -1]?.join('.') ?? '';
    const byte = instance.memory()[at] ?? 0;
    const offset = scanned + at - windowAt;
    return faultError({
      ...place(),
      fault,
      byte,
      offset,
      expected: calls.expected(),
      maxItemBytes,
      maxCaptureBytes,
      capture,
    });
  }

  /** Tells of a restart, and emits a slab when that many bytes of whole items are ready. */
  function* events(atLeast: number): Iterable<ScanEvent> {
    if (mustRestart) {
      mustRestart = false;
      yield { restart: true };
    }
    if (calls.slabLength() >= atLeast) yield { slab: takeSlab() };
  }

  function takeSlab(): Slab {
    if (options.fingerprint) calls.hashItems();
    const memory = instance.memory();
    const count = calls.itemCount();
    const from = calls.slabAt();
    const length = calls.slabLength();
    const bytes = Buffer.allocUnsafeSlow(length);
    memory.copy(bytes, 0, from, from + length);
    const offsets = new Uint32Array(count + 1);
    offsets.set(new Uint32Array(memory.buffer, calls.offsetsAt(), count), 1);
    calls.dropSlab();
    emitted = { slabs: emitted.slabs + 1, count: emitted.count + count, bytes: emitted.bytes + length };
    return { bytes, offsets, count };
  }

  function dispose(): void {
    if (isDisposed) return;
    emitted = { ...emitted, count: countItems(), bytes: countBytes() };
    isDisposed = true;
    pool.give(instance);
  }

  const countItems = () => emitted.count + (isDisposed ? 0 : calls.itemCount());
  const countBytes = () => emitted.bytes + (isDisposed ? 0 : calls.slabLength());

  return {
    feed,
    end,
    get count() {
      return countItems();
    },
    get itemBytes() {
      return countBytes();
    },
    get found() {
      return tracker.target.found();
    },
    captured: (index) => tracker.captures.get(index),
    astray: () => tracker.captures.get(options.captures.length),
    chain: tracker.chain,
    dispose,
  };
}

/** As in assembly/scanner.ts. */
const AFTER_VALUE = 3;
