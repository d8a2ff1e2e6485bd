/** Bytes of responses that wait for their page: one budget for all walks of a run. Beyond it connections pause. */

/** A connection that can be paused. */
interface Pausable {
  /** There is room again. */
  proceed(): void;
}

/** Bytes of bodies that wait, over all walks of a run. */
const mostHeldBytes = 32 * 1024 * 1024;

/** The budget of a run. */
export class HeldBytes {
  /** Bytes of all bodies that wait. */
  kept = 0;
  readonly most: number;
  /** Longest waiting first; few. */
  readonly #paused: HeldBody[] = [];

  /** `most` in bytes. Each connection may exceed it by one chunk. */
  constructor(most: number = mostHeldBytes) {
    this.most = most;
  }

  hasRoom(): boolean {
    return this.kept <= this.most;
  }

  pause(body: HeldBody): void {
    this.#paused.push(body);
  }

  /** Gives bytes back, and lets paused connections proceed while there is room. */
  release(body: HeldBody): void {
    this.kept -= body.bytes;
    const at = this.#paused.indexOf(body);
    if (at >= 0) this.#paused.splice(at, 1);
    while (this.hasRoom()) {
      const next = this.#paused.shift();
      if (next === undefined) return;
      next.proceed();
    }
  }
}

/** The body of a response that waits for its page. */
export class HeldBody {
  bytes = 0;
  /** The request was written to its connection. */
  hasBegun = false;
  /** The response failed while it waited. */
  isBroken = false;
  /** Its connection is paused. */
  isPaused = false;
  /** Resolves when the page has the response. Steps that read a body wait for it, because they are not counted. */
  readonly taken: Promise<void>;
  readonly #all: HeldBytes;
  readonly #onPause: () => void;
  #resolve = (): void => {};
  #reader: Pausable | undefined = undefined;
  #isTaken = false;
  #isOver = false;

  constructor(all: HeldBytes, onPause = (): void => {}) {
    this.#all = all;
    this.#onPause = onPause;
    this.taken = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  /** Counts a chunk. False: the connection must pause; `reader` proceeds when there is room. */
  keep(length: number, reader: Pausable): boolean {
    if (this.#isOver) return true;
    this.bytes += length;
    this.#all.kept += length;
    if (this.#all.hasRoom()) return true;
    this.#reader = reader;
    this.#all.pause(this);
    this.isPaused = true;
    this.#onPause();
    return false;
  }

  proceed(): void {
    this.isPaused = false;
    this.#reader?.proceed();
  }

  /** The page has the response now. */
  take(): void {
    this.#isTaken = true;
    this.#resolve();
  }

  /** A body is read: its bytes count no longer. Before the page has the response, it is that of a redirect. */
  read(): void {
    if (this.#isTaken) this.end();
    else this.#release();
  }

  /** The body is dropped, or is being read: nothing of it counts any more. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#release();
  }

  #release(): void {
    this.#all.release(this);
    this.bytes = 0;
  }
}
