/** Reads a body on demand, for a decoder that is written as a sequence of steps: so many bytes, then so many more. */
import { asBuffer } from '../../core/util/as-buffer.js';
import type { ByteSource } from '../../core/util/byte-source.js';
import { type Deferred, deferred } from '../../core/util/deferred.js';

type NextChunk = () => Promise<Uint8Array | undefined>;

export class BodyReader {
  /** How many bytes were skipped so far. */
  offset = 0;
  readonly #next: NextChunk;
  /** Received, and not skipped. */
  #held: Buffer = Buffer.alloc(0);

  constructor(next: NextChunk) {
    this.#next = next;
  }

  /** The next bytes, which stay: so many, or fewer at the end of the body. */
  async peek(count: number): Promise<Buffer> {
    while (this.#held.length < count) {
      const chunk = await this.#next();
      if (chunk === undefined) break;
      this.#held = this.#held.length === 0 ? asBuffer(chunk) : Buffer.concat([this.#held, chunk]);
    }
    return this.#held.subarray(0, count);
  }

  /** All bytes that have arrived, which stay; none at the end of the body only. */
  async some(): Promise<Buffer> {
    await this.peek(1);
    return this.#held;
  }

  /** Skips bytes that `peek` or `some` has returned. */
  skip(count: number): void {
    this.#held = this.#held.subarray(count);
    this.offset += count;
  }
}

/**
 * Reads a body as `work` asks for it: the next chunk is awaited only when the one before it is used. Resolves when
 * `work` has, which must read to the end of the body. Rejects with the error of `work`, or of the body.
 */
export async function readOnDemand(body: ByteSource, work: (reader: BodyReader) => Promise<void>): Promise<void> {
  let demand = quietly();
  let ended: Promise<undefined> | undefined;
  let give = (_: Uint8Array | undefined) => {};
  let refuse = (_: unknown) => {};
  const next: NextChunk = () =>
    ended ??
    new Promise((resolve, reject) => {
      [give, refuse] = [resolve, reject];
      demand.resolve();
    });
  const working = work(new BodyReader(next));
  working.catch((thrown) => demand.reject(thrown));
  try {
    await body.read(async (chunk) => {
      await demand.promise;
      demand = quietly();
      give(chunk);
      await demand.promise;
    });
    ended = Promise.resolve(undefined);
    give(undefined);
  } catch (thrown) {
    ended = Promise.reject(thrown);
    ended.catch(() => undefined); // `work` may have ended already.
    refuse(thrown);
  }
  await working;
}

/** Its rejection is that of `work`, which is awaited in the end. */
function quietly(): Deferred {
  const made = deferred();
  made.promise.catch(() => undefined);
  return made;
}
