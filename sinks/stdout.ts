/** Newline-delimited JSON of all data types to standard output, at the pace of its reader. */
import type { Writable } from 'node:stream';
import type { Sink } from '../src/types.js';
import { passingOn } from './passing-on.js';
import { orAborted, refused } from './refusal.js';
import { createTally } from './tally.js';

/**
 * Writes each batch whole and waits until the reader has taken it. Throws ERR_SINK; when the reader has gone (`| head`) the
 * error's cause has the code EPIPE, see `isClosedPipe`. It cannot take back. The stream stays open, as it is not ours to close.
 */
export function stdout(stream: Writable = process.stdout): Sink {
  const flush = createFlush(stream);
  return passingOn({
    name: 'stdout',
    output: 'standard output',
    tally: createTally(),
    handOn: ({ bytes }, signal) => orAborted(flush(bytes), signal),
  });
}

/** Gives a function that settles when the stream has passed the bytes on, or can no longer do so. */
function createFlush(stream: Writable): (bytes: Uint8Array) => Promise<void> {
  const waiting = new Set<(thrown: unknown) => void>();
  let failure: unknown;
  const fail = (thrown: unknown) => {
    failure ??= refused('write to standard output', thrown);
    for (const reject of waiting) reject(failure);
  };
  // These stay for good: a reader may leave after the last write, and an error that nobody hears ends the process.
  stream.on('error', fail);
  stream.on('close', () => fail(new Error('it was closed')));

  return async (bytes) => {
    if (failure !== undefined) throw failure;
    let reject = fail;
    try {
      await new Promise<void>((resolve, refuse) => {
        reject = refuse;
        waiting.add(reject);
        stream.write(bytes, (thrown) => (thrown ? fail(thrown) : resolve()));
      });
    } finally {
      waiting.delete(reject);
    }
  };
}
