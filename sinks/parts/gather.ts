/** Gathering: the items of all parts go to another sink, page by page, as one process would have written them. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Batch } from '../../src/core/model/batch.js';
import { createBatch } from '../../src/core/model/batch.js';
import { defined } from '../../src/core/util/defined.js';
import type { Closing, Earlier, Opening, Sink } from '../contract.js';
import type { ManifestEntry } from './manifest.js';
import { mergedPages } from './merge-pages.js';
import type { OutputPart } from './part.js';
import type { PartPage, PartStore } from './part-store.js';

/** A call of `open`. */
export interface OpenedType {
  readonly dataType: string;
  readonly job: string;
  readonly opening: Opening;
}

/** The parts of a data type, by member. */
export interface GatheredType extends Pick<ManifestEntry, 'dataType'> {
  readonly members: readonly (readonly OutputPart[])[];
}

export interface Gatherer {
  /** Begins, once. A gather that was interrupted begins anew. */
  begin(): Promise<Sink>;
  /** Writes all items. */
  write(types: readonly GatheredType[]): Promise<void>;
  close(closing: Closing): Promise<void>;
  abort(reason: unknown): Promise<void>;
}

/** `earlier` is that of the process which gathers; `opened` are the data types in order. */
export function createGatherer(
  sink: Sink,
  store: Pick<PartStore, 'pages'>,
  earlier: Earlier,
  opened: readonly OpenedType[],
): Gatherer {
  const { members: _, member: __, ...process } = earlier;
  let beginning: Promise<Sink> | undefined;
  let staging: string | undefined;
  const begin = async () => {
    // A state at a server has no folder. What is staged is needed by this process alone.
    if (process.folder === undefined) staging = await mkdtemp(join(tmpdir(), 'rxtract-gather-'));
    await sink.resume?.({
      ...process,
      ...defined({ folder: process.folder ?? staging }),
      isStored: true,
      checkpoints: new Map(),
    });
    for (const { dataType, job, opening } of opened) await sink.open?.(dataType, job, opening);
    return sink;
  };
  return {
    begin() {
      beginning ??= begin();
      return beginning;
    },
    async write(types) {
      for (const { dataType, members } of types) {
        for await (const page of mergedPages(store, members)) await writePage(sink, page, dataType, earlier.run);
      }
    },
    async close(closing) {
      await sink.close(closing);
      await removeFolder(staging);
    },
    async abort(reason) {
      if (beginning === undefined) return;
      await sink.abort(reason);
      await removeFolder(staging);
    },
  };
}

const removeFolder = async (path: string | undefined): Promise<void> => {
  if (path !== undefined) await rm(path, { recursive: true, force: true });
};

/** Nothing interrupts it: a run that ends while it publishes repeats that. */
const { signal } = new AbortController();

async function writePage(sink: Sink, page: PartPage, dataType: string, run: string): Promise<void> {
  const { job, walk, page: number, columns } = page;
  const origin = { job, dataType, run, walk, page: number, columns };
  let [count, bytes] = [0, 0];
  for await (const piece of page.pieces()) {
    const batch = batchOf(origin, piece, count);
    await sink.write(batch, signal);
    count += batch.count;
    bytes += batch.bytes.length;
  }
  const lane = walk.replace(/\/.*/, '');
  await sink.commit?.({ run, walk, page: number, job, dataType, count, bytes, lane }, signal);
}

const NEWLINE = 0x0a;

/** A batch of whole lines. */
function batchOf(origin: Parameters<typeof createBatch>[0], bytes: Uint8Array, offset: number): Batch {
  const ends: number[] = [0];
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) ends.push(at + 1);
  return createBatch(origin, { bytes, offsets: Uint32Array.from(ends), count: ends.length - 1 }, offset);
}
