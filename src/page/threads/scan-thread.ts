/** One worker that scans pages: its start, its lanes and its end. */
import { Worker } from 'node:worker_threads';
import { ExtractError } from '../../core/errors/errors.js';
import { compileScanner } from '../scanner/instance.js';
import type { ScanOptions } from '../scanner/scan.js';
import { createRingMemory, createRingWriter, type RingWriter } from './byte-ring.js';
import type { StartScan, ThreadCommand, ThreadMessage, ThreadStart } from './protocol.js';
import { createSlotLender, createSlotMemory, type SlotLender } from './slots.js';
import { ThreadScan } from './thread-scan.js';

/** Limits the memory of a thread. Further pages are scanned in the main thread. */
const mostLanes = 8;

export interface ScanThread {
  /** Settles when the thread runs, or has ended. Never rejects. */
  readonly started: Promise<void>;
  /** Whether it takes a scan now: it runs, and has a free lane. */
  hasRoom(): boolean;
  /** The number of scans. */
  active(): number;
  /** Starts a scan that reports its first `early` captures early. Call it only if there is room. */
  start(options: ScanOptions, early?: number): ThreadScan;
  /** Ends the thread; settles when it has ended. */
  close(): Promise<void>;
}

/** A lane: a ring, and the scan that uses it. */
interface Lane {
  readonly index: number;
  readonly ring: RingWriter;
  /** Sent with the first scan. */
  memory: SharedArrayBuffer | undefined;
  scan: ThreadScan | undefined;
}

/** The build of the command finds the entry by this form. */
const entry = new URL('./scan-worker.js', import.meta.url);

/** Garbage of a scan is little: a small young generation keeps the memory of the thread small. */
const resourceLimits = { maxYoungGenerationSizeMb: 4 };

/**
 * Starts a thread. Calls `onEnd` when it ends without `close`: its pages fail. It keeps the process alive only until it
 * has started, and while it scans.
 */
export function startScanThread(onEnd: (reason: string) => void, file = entry): ScanThread {
  const workerData: ThreadStart = {
    scanner: compileScanner(),
    bell: new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT),
    slots: createSlotMemory(),
  };
  const worker = new Worker(file, { workerData, resourceLimits, name: 'rxtract scan' });
  return new RunningThread(worker, workerData, onEnd);
}

class RunningThread implements ScanThread {
  readonly started: Promise<void>;
  readonly #worker: Worker;
  readonly #bell: Int32Array;
  readonly #slots: SlotLender;
  readonly #lanes: Lane[] = [];
  #active = 0;
  #isWaking = false;
  #state: 'starting' | 'running' | 'closing' | 'ended' = 'starting';
  #reason = 'it has ended';
  readonly #ended: Promise<void>;
  #onStarted: () => void = () => undefined;

  constructor(worker: Worker, { bell, slots }: ThreadStart, onEnd: (reason: string) => void) {
    this.#worker = worker;
    this.#bell = new Int32Array(bell);
    this.#slots = createSlotLender(slots);
    this.started = new Promise((resolve) => {
      this.#onStarted = resolve;
    });
    worker.on('message', (message: ThreadMessage) => this.#receive(message));
    worker.on('error', (thrown: Error) => {
      this.#reason = thrown.message;
    });
    this.#ended = new Promise((resolve) => {
      worker.on('exit', () => {
        if (this.#state !== 'closing') onEnd(this.#reason);
        this.#state = 'ended';
        this.#lose();
        this.#onStarted();
        resolve();
      });
    });
  }

  hasRoom(): boolean {
    return this.#state === 'running' && this.#active < mostLanes;
  }

  active(): number {
    return this.#active;
  }

  start(options: ScanOptions, early?: number): ThreadScan {
    const lane = this.#lanes.find(({ scan }) => scan === undefined) ?? this.#addLane();
    const scan = new ThreadScan({ ring: lane.ring, slots: this.#slots, wake: this.#wake, wakeSoon: this.#wakeSoon });
    const { index, memory } = lane;
    const command: StartScan = { lane: index, memory, options, early };
    lane.ring.reset();
    lane.memory = undefined;
    lane.scan = scan;
    this.#worker.postMessage(command); // read when the first bytes wake the thread
    this.#active += 1;
    if (this.#active === 1) this.#worker.ref();
    return scan;
  }

  async close(): Promise<void> {
    if (this.#state === 'ended') return;
    const isRunning = this.#state === 'running';
    this.#state = 'closing';
    this.#worker.ref();
    if (isRunning) this.#close();
    else void this.#worker.terminate();
    await this.#ended;
  }

  #addLane(): Lane {
    const memory = createRingMemory();
    const lane: Lane = { index: this.#lanes.length, ring: createRingWriter(memory), memory, scan: undefined };
    this.#lanes.push(lane);
    return lane;
  }

  #close(): void {
    const command: ThreadCommand = 'close';
    this.#worker.postMessage(command);
    this.#wake();
  }

  readonly #wake = (): void => {
    Atomics.add(this.#bell, 0, 1);
    Atomics.notify(this.#bell, 0);
  };

  /** Each waking is a system call, and lets the system run the thread in place of this one. */
  readonly #wakeSoon = (): void => {
    if (this.#isWaking) return;
    this.#isWaking = true;
    setImmediate(() => {
      this.#isWaking = false;
      this.#wake();
    });
  };

  #receive(message: ThreadMessage): void {
    if (message === 'ready') {
      if (this.#state === 'starting') {
        this.#state = 'running';
        this.#worker.unref();
      }
      this.#onStarted();
      return;
    }
    const lane = this.#lanes[message.lane];
    const scan = lane?.scan;
    if (lane !== undefined && message.end !== undefined) this.#leave(lane);
    scan?.report(message);
  }

  /** The thread has left the lane. */
  #leave(lane: Lane): void {
    lane.scan = undefined;
    this.#active -= 1;
    if (this.#active === 0 && this.#state === 'running') this.#worker.unref();
  }

  #lose(): void {
    const message = `the thread that scans pages ended: ${this.#reason}. Run with one thread (--threads 1, in code threads)`;
    for (const { scan } of this.#lanes) scan?.lose(new ExtractError('ERR_INTERNAL', message));
  }
}
