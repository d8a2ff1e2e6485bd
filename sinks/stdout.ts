/** Newline-delimited JSON of all data types to standard output, at the pace of its reader. */
import type { Writable } from 'node:stream';
import type { Opening, Sink } from './contract.js';
import { createTally } from './counts.js';
import { orAborted, refused } from './errors.js';
import { passThrough } from './pass-through.js';

/**
 * Writes each batch whole and waits until the reader has taken it. Throws ERR_SINK; when the reader has gone (`| head`)
 * the error's cause has the code EPIPE, see `isClosedPipe`. A stream that breaks while no write waits is reported to
 * `onFailure`. It cannot take back. The stream stays open, as it is not ours to close.
 */
export function stdout(stream: Writable = process.stdout): Sink {
  let report: Opening['onFailure'];
  const flush = createFlush(stream, (failure) => report?.(failure));
  const tally = createTally();
  return {
    ...passThrough({
      name: 'stdout',
      output: 'standard output',
      tally,
      handOn: ({ bytes }, signal) => orAborted(flush(bytes), signal),
    }),
    name: 'stdout:',
    open(dataType, _, { onFailure } = {}) {
      report = onFailure ?? report;
      tally.open(dataType);
    },
  };
}

/**
 * Gives a function that settles when the stream has passed the bytes on, or can no longer do so. `onFailure`: nothing
 * waits that could reject.
 */
function createFlush(stream: Writable, onFailure: (thrown: unknown) => void): (bytes: Uint8Array) => Promise<void> {
  const waiting = new Set<(thrown: unknown) => void>();
  let failure: unknown;
  const fail = (thrown: unknown) => {
    failure ??= refused('write to standard output', thrown);
    if (waiting.size === 0) onFailure(failure);
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
