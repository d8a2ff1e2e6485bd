/** Creates, collects and partly reads response bodies. */
import { asyncScheduler } from 'rxjs';
import { sourceOf, type TakeChunk } from '../core/util/byte-source.js';
import { deferred } from '../core/util/deferred.js';
import type { HttpBody } from './types.js';

/** Creates a body from chunks that the reader pulls. */
export const bodyOf = (chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): HttpBody => ({
  ...sourceOf(chunks),
  cancel() {},
});

/** Collects a body. Throws the errors of the body, and those of `check`, which receives the length so far. */
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

/** Limit in bytes for reading a body that is then discarded. A shorter body keeps its connection open. */
const prefixBytes = 64 * 1024;

/** Time limit in ms for reading a body that is then discarded, of a redirect or an error. */
const unreadTimeout = 2_000;

/** Reads the start of a body that is then discarded, until a fault, the size limit or `ms`. */
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
    // The bytes before the fault are the result.
  }
  late.unsubscribe();
  return Buffer.concat(chunks).subarray(0, prefixBytes);
}

/** The first chunks of a body, and the whole body. */
export interface PeekedBody {
  readonly chunks: readonly Uint8Array[];
  /** The body ended within these chunks. */
  readonly isWhole: boolean;
  /** The body, again from its first byte. */
  readonly body: HttpBody;
}

/** Reads more than `most` bytes or the whole body, then pauses the connection. Throws the errors of the body. */
export async function peek(source: HttpBody, most: number): Promise<PeekedBody> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  let forward: TakeChunk | undefined;
  let proceed = () => {};
  const full = deferred();
  let isWhole = false;
  const reading = source.read((chunk) => {
    if (forward !== undefined) return forward(chunk);
    chunks.push(chunk);
    length += chunk.length;
    if (length <= most) return undefined;
    full.resolve();
    return new Promise<void>((resolve) => {
      proceed = resolve;
    });
  });
  const whole = reading.then(() => {
    isWhole = true;
  });
  await Promise.race([whole, full.promise]);
  whole.catch(() => undefined); // The reader of the body receives this error.

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
