/**
 * A copy of the rows that child walks need. It outlives the run, so that a resume need not request their page again.
 */
import { crc32 } from 'node:zlib';
import { ExtractError } from '../core/errors/errors.js';
import type { Exact } from '../core/json/exact.js';
import { parseLines, stringifyLines } from '../core/json/exact-parse.js';
import type { RowsCopy, StoredRows } from '../page/row-buffer.js';
import type { SecretReferences } from './secret-refs.js';
import type { OpenStore, Part } from './store/store.js';

/** Where copies are stored. */
export interface RowStore {
  readonly store: Pick<OpenStore, 'createPart' | 'openPart' | 'removePart'>;
  readonly references: SecretReferences;
}

/** Starts empty. */
export function createRowsWriter({ store, references }: RowStore): RowsCopy {
  let part: Part | undefined;
  let lengths: number[] = [];
  let count = 0;
  let crc = 0;
  let isKept = false;
  let isOpen = false;

  return {
    async add(rows) {
      const sealed = rows.map(references.seal).filter((row) => row !== undefined);
      isOpen ||= sealed.length < rows.length;
      if (isOpen) return;
      const lines = Buffer.from(stringifyLines(sealed));
      part ??= await store.createPart();
      await part.write(lines);
      lengths.push(lines.length);
      count += rows.length;
      crc = crc32(lines, crc);
    },
    kept() {
      if (part === undefined || isOpen) return undefined;
      isKept = true;
      return { part: part.name, count, lengths, crc };
    },
    async clear() {
      const opened = part;
      part = undefined;
      lengths = [];
      [count, crc, isOpen] = [0, 0, false];
      await opened?.close();
      if (opened !== undefined && !isKept) await store.removePart(opened.name);
    },
  };
}

/** Reads a copy. Throws ERR_RESUME if its part is missing; `checkStoredRows` verifies the content. */
export async function* readStoredRows({ store, references }: RowStore, kept: StoredRows): AsyncGenerator<Exact> {
  const part = await openPart(store, kept);
  try {
    let position = 0;
    for (const length of kept.lengths) {
      for (const row of parseLines(await part.read({ position, length }))) yield references.unseal(row);
      position += length;
    }
  } finally {
    await part.close();
  }
}

/** Throws ERR_RESUME if the part is missing or was modified. */
export async function checkStoredRows({ store }: Pick<RowStore, 'store'>, kept: StoredRows): Promise<void> {
  const part = await openPart(store, kept);
  try {
    let [position, crc] = [0, 0];
    for (const length of kept.lengths) {
      crc = crc32(await part.read({ position, length }), crc);
      position += length;
    }
    if (crc !== kept.crc) throw notWhatItWas(kept);
  } catch (thrown) {
    throw thrown instanceof ExtractError ? thrown : notWhatItWas(kept, thrown);
  } finally {
    await part.close();
  }
}

async function openPart(store: RowStore['store'], kept: StoredRows): Promise<Part> {
  try {
    return await store.openPart(kept.part);
  } catch (thrown) {
    throw notWhatItWas(kept, thrown);
  }
}

const notWhatItWas = ({ part }: StoredRows, cause?: unknown) =>
  new ExtractError('ERR_RESUME', `"${part}" of the state is missing or was modified`, { cause });
