/** The scan of one page in another thread, as the main thread sees it: bytes go in, events arrive in order. */
import { ExtractError } from '../../core/errors/errors.js';
import { asBuffer } from '../../core/util/as-buffer.js';
import type { ScanEvent, ScanResult } from '../scanner/scan.js';
import type { CapturedText } from '../scanner/slots.js';
import { type BodyPhase, phases, type RingWriter } from './byte-ring.js';
import {
  type ChainChange,
  fromSentError,
  type ScanEnd,
  type ScanFacts,
  type ScanReport,
  type SentEvent,
  toSentError,
} from './protocol.js';
import type { SlotLender } from './slots.js';

/** Handles the next event. If it returns a promise, the event after it waits. */
export type TakeEvent = (event: ScanEvent) => void | Promise<void>;

/** The connection of a scan to its thread. */
export interface ScanLane {
  readonly ring: RingWriter;
  readonly slots: SlotLender;
  /** Wakes the thread after a change. */
  wake(): void;
  /** Wakes it at the end of this turn of the loop: once for all chunks that arrive together. */
  wakeSoon(): void;
}

interface Pending {
  resolve(): void;
  reject(thrown: unknown): void;
}

/** An event with its slab. `done` ends the loan of its memory; call it for each event. */
interface ArrivedEvent {
  readonly event: ScanEvent;
  readonly chain: ChainChange;
  readonly done: () => void;
}

/** The next thing to handle; `end` is the last. */
type Step = ArrivedEvent | { readonly end: ScanEnd };

/** One scan on a lane. A class, because its members change with each event. */
export class ThreadScan implements ScanResult {
  readonly #lane: ScanLane;
  #take: TakeEvent = () => undefined;
  #leave: () => void = () => undefined;
  #onEarly: (found: Pick<ScanResult, 'captured'>) => void = () => undefined;
  #steps: Step[] = [];
  #isTaking = false;
  /** The last report has arrived: the thread has left the lane. */
  #isOver = false;
  #failure: { readonly thrown: unknown; readonly isAtEnd: boolean } | undefined = undefined;
  readonly #chain: bigint[] = [];
  #facts: ScanFacts | undefined = undefined;
  /** A pending `feed`, and the bytes that had no room. */
  #feeding: Pending | undefined = undefined;
  #rest: Uint8Array = noBytes;
  /** A pending `end` or `cut`. */
  #ending: Pending | undefined = undefined;

  constructor(lane: ScanLane) {
    this.#lane = lane;
  }

  /**
   * Sets the handler of events, before the first byte. After a failure it gets no more events, and `leave` is called
   * if no pending call can reject: the rest of the body is not wanted. `onEarly` gets early captures.
   */
  connect(take: TakeEvent, leave: () => void, onEarly = this.#onEarly): void {
    this.#take = take;
    this.#leave = leave;
    this.#onEarly = onEarly;
  }

  /**
   * Passes the next bytes on. Returns a promise only if they have no room; it settles when they were copied. Throws
   * the failure of the scan or of its handler at any earlier bytes.
   */
  feed(chunk: Uint8Array): void | Promise<void> {
    if (this.#failure !== undefined) throw this.#failure.thrown;
    this.#rest = chunk;
    if (this.#hasCopied()) return undefined;
    return new Promise((resolve, reject) => {
      this.#feeding = { resolve, reject };
    });
  }

  /** Ends the body. Settles when all events were handled; rejects with the first failure. */
  end(): Promise<void> {
    return this.#endBody(phases.complete);
  }

  /** Ends a body that failed: settles when the events of its bytes so far were handled. Rejects as `end` does. */
  cut(): Promise<void> {
    return this.#endBody(phases.cut);
  }

  /** Whether the failure is that of an incomplete document. */
  get isIncomplete(): boolean {
    return this.#failure?.isAtEnd === true;
  }

  get chain(): readonly bigint[] {
    return this.#chain;
  }

  get count(): number {
    return this.#complete().count;
  }

  get itemBytes(): number {
    return this.#complete().itemBytes;
  }

  get found(): ScanFacts['found'] {
    return this.#complete().found;
  }

  get itemsDigest(): bigint | undefined {
    return this.#complete().itemsDigest;
  }

  captured(index: number): CapturedText {
    return this.#complete().captured[index] ?? nothing;
  }

  pathMiss(): CapturedText {
    return this.#complete().captured.at(-1) ?? nothing;
  }

  /** Stops the scan, unless it has ended. */
  dispose(): void {
    for (const step of this.#steps.splice(0)) if ('done' in step) step.done();
    if (!this.#isOver) this.#setPhase(phases.dropped);
  }

  /** Handles what the thread reports. */
  report({ events, end, hasRoom, early }: ScanReport): void {
    this.#isOver ||= end !== undefined;
    const arrived = events.map((event) => this.#arrived(event));
    if (this.#failure !== undefined) {
      for (const { done } of arrived) done();
      return;
    }
    if (early !== undefined) this.#onEarly({ captured: (index) => early[index] ?? nothing });
    if (hasRoom && this.#feeding !== undefined && this.#hasCopied()) this.#settleFeed();
    this.#steps.push(...arrived);
    if (end !== undefined) this.#steps.push({ end });
    if (!this.#isTaking) this.#takeAll();
  }

  /** Handles the death of the thread. Events that have arrived are handled first. */
  lose(error: ExtractError): void {
    if (this.#isOver) return;
    const end: ScanEnd = { kind: 'failed', error: toSentError(error), isAtEnd: false };
    this.report({ lane: 0, events: [], early: undefined, end, hasRoom: false });
  }

  /** Copies the rest as far as there is room. Returns whether all is copied; if not, a report of room follows. */
  #hasCopied(): boolean {
    const { ring, wake, wakeSoon } = this.#lane;
    for (;;) {
      this.#rest = ring.write(this.#rest);
      if (this.#rest.length === 0) {
        wakeSoon();
        return true;
      }
      wake();
      if (ring.wantRoom()) return false;
    }
  }

  #settleFeed(): void {
    const feeding = this.#feeding;
    this.#feeding = undefined;
    feeding?.resolve();
  }

  #setPhase(phase: BodyPhase): void {
    this.#lane.ring.end(phase);
    this.#lane.wake();
  }

  #endBody(phase: BodyPhase): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure.thrown);
    if (!this.#isOver) this.#setPhase(phase);
    return new Promise((resolve, reject) => {
      this.#ending = { resolve, reject };
    });
  }

  /** Handles the steps in order, up to one that waits. */
  #takeAll(): void {
    for (let step = this.#steps.shift(); step !== undefined; step = this.#steps.shift()) {
      if ('end' in step) this.#finish(step.end);
      else if (this.#mustWait(step)) return;
    }
  }

  /** Passes an event on. Returns whether the next one must wait for it, or comes no more. */
  #mustWait({ event, chain, done }: ArrivedEvent): boolean {
    this.#change(chain);
    try {
      const waiting = this.#take(event);
      if (waiting !== undefined) {
        this.#waitFor(waiting, done);
        return true;
      }
    } catch (thrown) {
      done();
      this.#fail(thrown, false);
      return true;
    }
    done();
    return false;
  }

  #waitFor(waiting: Promise<void>, done: () => void): void {
    this.#isTaking = true;
    const settled = () => {
      this.#isTaking = false;
      done();
    };
    waiting.then(
      () => {
        settled();
        this.#takeAll();
      },
      (thrown: unknown) => {
        settled();
        this.#fail(thrown, false);
      },
    );
  }

  /** Opens the slab of an event. The thread learns when it was handled. */
  #arrived(event: SentEvent): ArrivedEvent {
    const { chain } = event;
    if ('restart' in event) return { event: { restart: true }, chain, done: () => undefined };
    const { bytes, offsets, count } = event.slab;
    const { bytes: own, done } = 'slot' in bytes ? this.#lane.slots.lend(bytes.slot, bytes.length) : received(bytes);
    return {
      event: { slab: { bytes: own, offsets, count } },
      chain,
      done: () => {
        done();
        this.#accept();
      },
    };
  }

  #accept(): void {
    if (this.#isOver) return;
    if (this.#lane.ring.accept()) this.#lane.wake();
  }

  #change({ from, digests }: ChainChange): void {
    this.#chain.length = from;
    this.#chain.push(...digests);
  }

  #finish(end: ScanEnd): void {
    if (end.kind === 'failed') {
      this.#fail(fromSentError(end.error), end.isAtEnd);
      return;
    }
    if (end.kind === 'complete') {
      this.#facts = end.facts;
      this.#change(end.facts.chain);
    }
    this.#ending?.resolve();
  }

  /** Drops what follows, and rejects the pending call. Without one, the body is still being read. */
  #fail(thrown: unknown, isAtEnd: boolean): void {
    this.#failure = { thrown, isAtEnd };
    this.dispose();
    const pending = this.#feeding ?? this.#ending;
    if (pending === undefined) this.#leave();
    else pending.reject(thrown);
  }

  #complete(): ScanFacts {
    if (this.#facts === undefined) throw new ExtractError('ERR_INTERNAL', 'a scan was asked before its end');
    return this.#facts;
  }
}

const noBytes = new Uint8Array(0);
const nothing: CapturedText = { json: undefined, beside: [], depth: -1 };

/** A message turns a Buffer into a plain Uint8Array; slabs of the main thread are Buffers. */
const received = (bytes: Uint8Array) => ({ bytes: asBuffer(bytes), done: () => undefined });
