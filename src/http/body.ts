/** Bodies: made of chunks, read in part, put together again. */
import { asyncScheduler } from 'rxjs';
import { sourceOf, type TakeChunk } from '../core/util/byte-source.js';
import type { HttpBody } from './types.js';

/** A body of chunks that are pulled. */
export const bodyOf = (chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): HttpBody => ({
  ...sourceOf(chunks),
  cancel() {},
});

/** The chunks of a body, pulled. Leaving the loop early ends the connection. */
export async function* chunksOf(body: HttpBody): AsyncGenerator<Uint8Array> {
  let given: Uint8Array | undefined;
  let isOver = false;
  let wake = () => {};
  let accept = () => {};
  const reading = body
    .read((chunk) => {
      given = chunk;
      wake();
      return new Promise<void>((resolve) => {
        accept = resolve;
      });
    })
    .finally(() => {
      isOver = true;
      wake();
    });
  reading.catch(() => undefined); // It is awaited at the end.
  let isRead = false;
  try {
    for (;;) {
      if (given === undefined && !isOver) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      if (given === undefined) break;
      const chunk = given;
      given = undefined;
      yield chunk;
      accept();
    }
    isRead = true;
    await reading;
  } finally {
    if (!isRead) body.cancel();
    accept();
  }
}

/** Collects a body. Throws what it throws, and what `check` throws of its length so far. */
export async function readWhole(body: HttpBody, check: (length: number) => void): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  await body.read((chunk) => {
    chunks.push(chunk);
    length += chunk.length;
    check(length);
  });
  return Buffer.concat(chunks);
}

/** How far a body is read whose rest is not wanted, in bytes: a shorter one keeps its connection. */
const prefixBytes = 64 * 1024;

/** Milliseconds for a body whose rest is not wanted, of a redirect or an error. */
const unreadTimeout = 2_000;

/** The beginning of a body whose rest is not wanted, as far as it comes before a fault and within `ms`. */
export async function readPrefix(body: HttpBody, ms = unreadTimeout): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const late = asyncScheduler.schedule(() => body.cancel(), ms);
  try {
    await body.read((chunk) => {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= prefixBytes) body.cancel();
    });
  } catch {
    // What came before the fault is what there is.
  }
  late.unsubscribe();
  return Buffer.concat(chunks).subarray(0, prefixBytes);
}

/** The first chunks of a body, and the whole of it. */
export interface PeekedBody {
  readonly chunks: readonly Uint8Array[];
  /** The body ended within them. */
  readonly isWhole: boolean;
  /** The body from its first byte. */
  readonly body: HttpBody;
}

/** Reads until it has more than `most` bytes, or all; the connection is paused then. Throws what the body throws. */
export async function peek(source: HttpBody, most: number): Promise<PeekedBody> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  let forward: TakeChunk | undefined;
  let proceed = () => {};
  let onFull = () => {};
  const full = new Promise<void>((resolve) => {
    onFull = resolve;
  });
  let isWhole = false;
  const reading = source.read((chunk) => {
    if (forward !== undefined) return forward(chunk);
    chunks.push(chunk);
    length += chunk.length;
    if (length <= most) return undefined;
    onFull();
    return new Promise<void>((resolve) => {
      proceed = resolve;
    });
  });
  const whole = reading.then(() => {
    isWhole = true;
  });
  await Promise.race([whole, full]);
  whole.catch(() => undefined); // The reader of the body meets it.

  return {
    chunks,
    isWhole,
    body: {
      async read(take) {
        for (const chunk of chunks) {
          const waiting = take(chunk);
          if (waiting !== undefined) await waiting;
        }
        forward = take;
        proceed();
        await reading;
      },
      cancel() {
        source.cancel();
        proceed();
      },
    },
  };
}
