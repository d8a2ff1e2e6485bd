/** The interface to the state that a resume needs: it may be elsewhere than in a folder. */

import { isMethod, usageError } from '../../core/util/check-value.js';
import type { Piece } from '../../page/buffer/temp-file.js';
import type { TaskSize } from '../seeds.js';

export interface Store {
  /** Opens the store for this run alone. Rejects with ERR_STATE if another run uses it or it cannot be read. */
  open(): Promise<OpenStore>;
  /** Whether there is a state, without making one. Absent: there may be. Rejects with ERR_STATE. */
  exists?(): Promise<boolean>;
}

/** Calls may overlap; records are appended in the order of calls. All calls reject with ERR_STATE. */
export interface OpenStore {
  /** Its name in messages. */
  readonly name: string;
  /** A folder that sinks may create, for what they stage; absent: the store has none. */
  readonly folder?: string;
  /** The records when it was opened, in order, up to the first damaged one. */
  readonly records: readonly string[];
  /**
   * Replaces all records at once: a reader finds the old ones or the new ones. Settles when they survive a power cut.
   * Must be the first write. Rejects if another process has opened the store since: a suspended one may wake up.
   */
  replace(records: readonly string[]): Promise<void>;
  /** Settles when the records survive the end of this process. */
  append(records: readonly string[]): Promise<void>;
  /** The same at once, for one record, if possible. False: it wrote nothing; `append` must. Throws ERR_STATE. */
  appendNow?(record: string): boolean;
  /** Appends records when all parts survive a power cut; settles when all records do so too. Rejects as `replace`. */
  sync(records: readonly string[]): Promise<void>;
  /** Creates a part: bytes beside the records. */
  createPart(): Promise<Part>;
  /** Rejects if there is no part of that name. */
  openPart(name: string): Promise<Part>;
  partNames(): Promise<readonly string[]>;
  removePart(name: string): Promise<void>;
  /** How rows of pages become tasks of other processes; absent: they are walked by this one. */
  readonly taskSize?: TaskSize;
  /** Releases the store: another run may open it. */
  close(): Promise<void>;
}

/** Bytes that are appended once and read again in pieces. A closed part stays in the store. */
export interface Part {
  readonly name: string;
  /** Appends; one call at a time. */
  write(bytes: Uint8Array): Promise<Piece>;
  /** Rejects if the part is shorter than that. */
  read(piece: Piece): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** Throws ERR_USAGE for a value that is not a store. */
export function checkStore(store: unknown): void {
  if (typeof store === 'object' && store !== null && isMethod(store, 'open')) return;
  const hint =
    typeof store === 'string'
      ? ': stateFolder(path) makes one of the path of a folder, stateAt(address) of an address'
      : '';
  throw usageError(`store: expected a store, such as stateFolder("st") of rxtract${hint}`);
}
