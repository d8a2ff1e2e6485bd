/** What the tests of the sink for object stores share. */
import { sinkFrom } from '../../../sinks/addresses/address-secrets.js';
import { readAddress } from '../../../sinks/addresses/options.js';
import { batchOf } from '../../../sinks/batch.js';
import type { Earlier, Sink } from '../../../sinks/contract.js';
import { createS3, s3Entry } from '../../../sinks/s3/s3.js';
import type { S3Context } from '../../../sinks/s3/s3-run.js';
import type { Exact } from '../../../src/core/json/exact.js';
import { stringifyExact } from '../../../src/core/json/exact.js';
import { parseExact } from '../../../src/core/json/exact-parse.js';
import { type FakeS3, startFakeS3 } from '../../support/fake-s3.js';
import { calm, earlierOf, inFolder, pageEnd } from '../lib.js';

export const keys = { AWS_ACCESS_KEY_ID: 'KEY', AWS_SECRET_ACCESS_KEY: 'SECRET-VALUE' };

/** Creates the sink of an address. Waits between attempts take no time. */
export function sinkAt(uri: string, context: S3Context = {}): Sink {
  const { options, destination } = readAddress(uri, s3Entry, { env: keys, ...context });
  return sinkFrom(destination, () => createS3(options, destination, { wait: async () => {}, ...context }));
}

/** A store in memory, a folder for staging, and sinks over both whose parts have 100 bytes. */
export interface Place {
  readonly store: FakeS3;
  readonly dir: string;
  sink(options?: string, context?: S3Context): Sink;
}

export const withStore = (work: (place: Place) => Promise<void>): (() => Promise<void>) =>
  inFolder(async (dir) => {
    const store = await startFakeS3();
    const sink: Place['sink'] = (options = '', context = {}) =>
      sinkAt(`s3://lake/raw?endpoint=${store.origin}&staging=${dir}${options}`, { partBytes: 100, ...context });
    try {
      await work({ store, dir, sink });
    } finally {
      await store.close();
    }
  });

/** Begins a run with the data type `users`; `part` replaces members of what it resumes. */
export async function begun(sink: Sink, part: Partial<Earlier> = {}): Promise<Sink> {
  await sink.resume?.(earlierOf(part));
  await sink.open?.('users', 'job');
  return sink;
}

/** Writes and commits a page. Resolves to the checkpoint as the journal returns it. */
export async function addPage(sink: Sink, items: readonly unknown[], dataType = 'users'): Promise<Exact> {
  const batch = batchOf(dataType, items);
  await sink.write(batch, calm);
  const end = pageEnd(dataType, { count: batch.count, bytes: batch.bytes.length });
  const checkpoint = await sink.commit?.(end, calm);
  return parseExact(stringifyExact(checkpoint ?? null));
}

/** Items whose lines have 50 bytes. */
export const itemsOf = (from: number, count: number): readonly unknown[] =>
  Array.from({ length: count }, (_, index) => ({ n: String(from + index).padStart(41, '0') }));

/** The lines of these items. */
export const linesOf = (items: readonly unknown[]): string => items.map((item) => `${JSON.stringify(item)}\n`).join('');
