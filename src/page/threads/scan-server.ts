/** Runs scans in a thread of its own: a part of each body in turn, in lanes that do not wait for one another. */
import { asExtractError } from '../../core/errors/errors.js';
import { type Scan, type ScanEvent, startScan } from '../scanner/scanner.js';
import type { CapturedText } from '../scanner/slots.js';
import { createRingReader, phases, type RingReader } from './byte-ring.js';
import {
  type ChainChange,
  type ScanEnd,
  type ScanFacts,
  type ScanReport,
  type SentEvent,
  type SentSlab,
  type StartScan,
  type ThreadCommand,
  type ThreadMessage,
  type ThreadStart,
  toSentError,
} from './protocol.js';
import { createSlotFiller, type SlotFiller } from './slots.js';

/** A lane scans no further while so many of its slabs are not accepted. */
const mostSlabs = 2;

/** The connection of the thread to the main thread. */
export interface ServerPort {
  /** The next command; undefined: there is none now. */
  receive(): ThreadCommand | undefined;
  /** Sends a message; the memory of `transfer` moves with it. */
  send(message: ThreadMessage, transfer: readonly ArrayBuffer[]): void;
}

/** Serves scans until the command `close`. Sleeps on the bell while there is nothing to do. */
export function serveScans(port: ServerPort, { bell, slots }: ThreadStart): void {
  const word = new Int32Array(bell);
  const server = createScanServer(port, createSlotFiller(slots));
  for (;;) {
    const seen = Atomics.load(word, 0);
    const state = server.step();
    if (state === 'closed') return;
    if (state === 'idle') Atomics.wait(word, 0, seen);
  }
}

export interface ScanServer {
  /** Reads all commands, then scans at most one part for each lane. `idle`: there was nothing to do. */
  step(): 'busy' | 'idle' | 'closed';
}

/** Creates the server without its loop. */
export function createScanServer(port: ServerPort, slots: SlotFiller): ScanServer {
  const rings = new Map<number, RingReader>();
  const active = new Map<number, ServedScan>();

  function hasClosed(): boolean {
    for (let command = port.receive(); command !== undefined; command = port.receive()) {
      if (command === 'close') return true;
      const { lane, memory } = command;
      if (memory !== undefined) rings.set(lane, createRingReader(memory));
      const ring = rings.get(lane);
      if (ring !== undefined) active.set(lane, new ServedScan(command, ring, slots));
    }
    return false;
  }

  return {
    step() {
      if (hasClosed()) return 'closed';
      let isBusy = false;
      for (const [lane, scan] of active) {
        const report = scan.step();
        if (report === undefined) continue;
        isBusy = true;
        if (report.end !== undefined) active.delete(lane);
        if (isWorthSending(report)) port.send(report, memoryOf(report));
      }
      return isBusy ? 'busy' : 'idle';
    },
  };
}

const isWorthSending = ({ end, events, hasRoom, early }: ScanReport): boolean =>
  end !== undefined || events.length > 0 || hasRoom || early !== undefined;

/** The memory that moves with a report. */
const memoryOf = ({ events }: ScanReport): readonly ArrayBuffer[] =>
  events.flatMap((event) => ('slab' in event ? movedBy(event.slab) : []));

const movedBy = ({ bytes, offsets }: SentSlab): readonly ArrayBuffer[] =>
  'slot' in bytes ? [ownMemory(offsets)] : [ownMemory(bytes), ownMemory(offsets)];

/** Memory outside of slots is allocated for one slab, and is not shared. */
const ownMemory = ({ buffer }: Uint8Array | Uint32Array): ArrayBuffer => buffer as ArrayBuffer;

/** One scan. A class, as its members change with each step. */
class ServedScan {
  readonly #lane: number;
  readonly #ring: RingReader;
  readonly #slots: SlotFiller;
  readonly #scan: Scan;
  readonly #paths: number;
  /** The number of early captures that were not reported yet. */
  #early: number | undefined;
  /** Digests of the chain that were sent. */
  #sentDigests = 0;
  #sentSlabs = 0;
  /** Slabs since the last restart. */
  #freshSlabs = 0;

  constructor({ lane, options, early }: StartScan, ring: RingReader, slots: SlotFiller) {
    this.#lane = lane;
    this.#ring = ring;
    this.#slots = slots;
    this.#scan = startScan({ ...options, allocate: slots.allocate });
    this.#paths = options.captures.length;
    this.#early = early === 0 ? undefined : early;
  }

  /** Scans the next part, or ends the scan. Returns undefined if it can do nothing now. */
  step(): ScanReport | undefined {
    const phase = this.#ring.phase();
    if (phase === phases.dropped) return this.#endWith([], { kind: 'stopped' });
    if (this.#isHeld()) return undefined;
    const part = this.#ring.next();
    if (part.length > 0) return this.#read(part);
    if (phase === phases.open) return undefined;
    return phase === phases.cut ? this.#endWith([], { kind: 'stopped' }) : this.#end();
  }

  /** Whether slabs must be accepted first. Looks again after the request to be woken. */
  #isHeld(): boolean {
    if (this.#sentSlabs - this.#ring.accepted() < mostSlabs) return false;
    this.#ring.hold();
    return this.#sentSlabs - this.#ring.accepted() >= mostSlabs;
  }

  #read(part: Uint8Array): ScanReport {
    const events: SentEvent[] = [];
    try {
      for (const event of this.#scan.feed(part)) events.push(this.#sent(event));
    } catch (thrown) {
      return this.#endWith(events, failed(thrown, false));
    }
    const hasRoom = this.#ring.free(part.length);
    return { lane: this.#lane, events, early: this.#earlyCaptures(), end: undefined, hasRoom };
  }

  #end(): ScanReport {
    const events: SentEvent[] = [];
    try {
      for (const event of this.#scan.end()) events.push(this.#sent(event));
    } catch (thrown) {
      return this.#endWith(events, failed(thrown, true));
    }
    return this.#endWith(events, { kind: 'complete', facts: this.#facts() });
  }

  #endWith(events: readonly SentEvent[], end: ScanEnd): ScanReport {
    this.#scan.dispose();
    return { lane: this.#lane, events, early: undefined, end, hasRoom: false };
  }

  #sent(event: ScanEvent): SentEvent {
    if ('restart' in event) this.#freshSlabs = 0;
    const chain = this.#chain();
    if ('restart' in event) return { restart: true, chain };
    this.#freshSlabs += 1;
    this.#sentSlabs += 1;
    const { bytes, offsets, count } = event.slab;
    const slot = this.#slots.slotOf(bytes);
    return { slab: { bytes: slot === undefined ? bytes : { slot, length: bytes.length }, offsets, count }, chain };
  }

  /** A restart removes digests, and has an event only after a slab. Before the first slab, all digests are sent. */
  #chain(): ChainChange {
    const { chain } = this.#scan;
    const from = this.#freshSlabs === 0 ? 0 : this.#sentDigests;
    this.#sentDigests = chain.length;
    return { from, digests: chain.slice(from) };
  }

  /** The early captures, once they all have a value. */
  #earlyCaptures(): readonly CapturedText[] | undefined {
    if (this.#early === undefined) return undefined;
    const captured = Array.from({ length: this.#early }, (_, index) => this.#scan.captured(index));
    if (captured.some(({ json }) => json === undefined)) return undefined;
    this.#early = undefined;
    return captured;
  }

  #facts(): ScanFacts {
    const scan = this.#scan;
    const captured = Array.from({ length: this.#paths }, (_, index) => scan.captured(index));
    return {
      count: scan.count,
      itemBytes: scan.itemBytes,
      found: scan.found,
      captured: [...captured, { json: undefined, ...scan.pathMiss() }],
      chain: this.#chain(),
      itemsDigest: scan.itemsDigest,
    };
  }
}

const failed = (thrown: unknown, isAtEnd: boolean): ScanEnd => ({
  kind: 'failed',
  error: toSentError(asExtractError(thrown)),
  isAtEnd,
});
