/**
 * Where a run keeps what it needs to go on after it was broken off: an interface, so that it may lie elsewhere than in
 * a folder.
 */

import { isMethod, usageError } from '../../core/util/check-value.js';
import type { Piece } from '../../page/buffer/temp-file.js';

export interface Store {
  /** Takes it for this run alone. Throws ERR_STATE where another run has it, or it cannot be read. */
  open(): Promise<OpenStore>;
}

/** Calls may come side by side; what they append is in the order of the calls. All of them throw ERR_STATE. */
export interface OpenStore {
  /** How messages name it. */
  readonly name: string;
  /** The records that were kept when it was opened, in order, up to the first that is damaged. */
  readonly records: readonly string[];
  /**
   * Puts these in the place of all records, at once: whoever looks finds the old ones or the new. Settles when they
   * outlive the machine. The first call.
   */
  replace(records: readonly string[]): Promise<void>;
  /** Settles when they outlive this process. */
  append(records: readonly string[]): Promise<void>;
  /** Appends these once all parts outlive the machine; settles when they, and all records before, do so too. */
  sync(records: readonly string[]): Promise<void>;
  /** Begins a part: bytes that lie beside the records. */
  createPart(): Promise<Part>;
  /** Throws where there is none of that name. */
  openPart(name: string): Promise<Part>;
  partNames(): Promise<readonly string[]>;
  removePart(name: string): Promise<void>;
  /** Lets go: another run may have it. */
  close(): Promise<void>;
}

/** Bytes that are written once, at the end, and read again by pieces. A part stays when it is closed. */
export interface Part {
  readonly name: string;
  /** Appends; one call at a time. */
  write(bytes: Uint8Array): Promise<Piece>;
  /** Throws where the part is shorter than that. */
  read(piece: Piece): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** Refuses what cannot be opened as a store is. Throws ERR_USAGE. */
export function checkStore(store: unknown): void {
  if (typeof store === 'object' && store !== null && isMethod(store, 'open')) return;
  const hint = typeof store === 'string' ? ': stateFolder(path) makes one of the path of a folder' : '';
  throw usageError(`store: expected a store, such as stateFolder("st") of rxtract${hint}`);
}
