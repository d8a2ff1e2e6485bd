/** Writes newline-delimited JSON of all data types to standard output, at the pace of its reader. */
import type { Writable } from 'node:stream';
import type { Opening, Sink } from './contract.js';
import { createTally } from './counts.js';
import type { SinkEntry } from './entry.js';
import { orAborted, refused } from './errors.js';
import { passThrough } from './pass-through.js';

/**
 * Writes each batch whole and waits until the reader has taken it. Throws ERR_SINK; when the reader has closed
 * (`| head`) the error's cause has the code EPIPE, see `isClosedPipe`. Reports a stream that breaks between writes to
 * `onFailure`. Cannot roll back. Leaves the stream open: it belongs to the process.
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
 * Returns a function that settles when the stream has flushed the bytes, and rejects when it no longer can. Calls
 * `onFailure` for an error while no call waits.
 */
function createFlush(stream: Writable, onFailure: (thrown: unknown) => void): (bytes: Uint8Array) => Promise<void> {
  const waiting = new Set<(thrown: unknown) => void>();
  let failure: unknown;
  const fail = (thrown: unknown) => {
    failure ??= refused('write to standard output', thrown);
    if (waiting.size === 0) onFailure(failure);
    for (const reject of waiting) reject(failure);
  };
  // These listeners stay: the reader may close after the last write, and an unhandled error ends the process.
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

const noOptions = {};

export const stdoutEntry: SinkEntry<typeof noOptions> = {
  summary: 'newline-delimited JSON of all data types on standard output, at the pace of the reader',
  address: { form: 'stdout:', target: 'nothing' },
  options: noOptions,
  code: 'stdout(stream)',
  recovery: 'none',
  rules: ['A retried page continues after the items already written, or fails with `ERR_PAGE_CHANGED` if it changed.'],
  example: 'stdout:',
  create: (_, { stdout: stream }) => stdout(stream),
};
