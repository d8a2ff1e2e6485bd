/** What a process has written of a data type: up to its last commit, and since. */
import { createHash, type Hash } from 'node:crypto';
import type { Batch } from '../../src/core/model/batch.js';
import type { PageEnd } from '../contract.js';
import type { OutputPart, PartOrigin } from './part.js';

/** A page that a commit adds to a part. */
export interface AddedPage {
  /** The index of its origin. */
  readonly origin: number;
  readonly walk: string;
  readonly page: number;
  readonly items: number;
  readonly bytes: number;
}

export interface PartProgress {
  /** The index of the origin of the batch. */
  originOf(batch: Batch): number;
  add(batch: Batch): void;
  /** What has been added since the last commit; undefined: nothing. */
  page(page: Pick<PageEnd, 'walk' | 'page'>): AddedPage | undefined;
  /** The page belongs to the part. `isStored`: its digest is needed now, as later ones are. */
  commit(page: AddedPage, isStored: boolean): void;
  rollback(): void;
  /** The bytes up to the last commit. */
  bytes(): number;
  /** Undefined: no page belongs to it. */
  part(path: string): OutputPart | undefined;
}

interface Place {
  readonly hash: Hash;
  readonly items: number;
  readonly bytes: number;
}

export function createPartProgress(): PartProgress {
  const origins: PartOrigin[] = [];
  let committed: Place = { hash: createHash('sha256'), items: 0, bytes: 0 };
  let now = committed;
  let origin = 0;
  let first: OutputPart['first'] | undefined;
  let sha256: string | undefined;

  return {
    originOf({ job, columns }) {
      const known = origins.findIndex((each) => each.job === job && String(each.columns) === String(columns));
      origin = known < 0 ? origins.push({ job, columns }) - 1 : known;
      return origin;
    },
    add({ bytes, count }) {
      const hash = now === committed ? committed.hash.copy() : now.hash;
      now = { hash: hash.update(bytes), items: now.items + count, bytes: now.bytes + bytes.length };
    },
    page({ walk, page }) {
      if (now === committed) return undefined;
      return { origin, walk, page, items: now.items - committed.items, bytes: now.bytes - committed.bytes };
    },
    commit({ walk, page }, isStored) {
      first ??= { walk, page };
      committed = now;
      sha256 = isStored ? committed.hash.copy().digest('hex') : undefined;
    },
    rollback() {
      now = committed;
    },
    bytes: () => committed.bytes,
    part(path) {
      if (first === undefined) return undefined;
      const { items, bytes, hash } = committed;
      sha256 ??= hash.copy().digest('hex');
      return { path, first, origins: [...origins], items, bytes, sha256 };
    },
  };
}
