/**
 * What a server keeps of a state: who has it, its records and its parts. `server-store.ts` makes a store of it. What a
 * process writes after another one has taken the state is refused.
 */
import { ExtractError } from '../../core/errors/errors.js';
import type { Piece } from '../../page/buffer/temp-file.js';

/** Who has a state. */
export interface Tenure {
  /** What the process wrote that has it. Absent: no process has it. */
  readonly holder?: string | undefined;
  /** How many processes have had it. 0: there is no such state. */
  readonly epoch: number;
  /** Differs after each write of the holder. */
  readonly beat: string;
}

/** One process at a server. Calls that write come one after the other, but for those of parts. */
export interface StateServer {
  /** Its address, without secrets. */
  readonly name: string;
  /** Those of the address; it grows. */
  readonly secrets: readonly string[];
  read(): Promise<Tenure>;
  /**
   * Takes the state, if nothing has changed since `found`; false: it has. From then on older processes write nothing.
   * Rejects with ERR_STATE if the server cannot promise that.
   */
  take(holder: string, found: Tenure): Promise<boolean>;
  /** Shows that the holder is alive. This and all writes reject with `lostState` after another process has taken it. */
  touch(): Promise<void>;
  /** The records, in order. */
  load(): Promise<readonly string[]>;
  /** Replaces all records at once. Settles when the server has them. */
  replace(records: readonly string[]): Promise<void>;
  append(records: readonly string[]): Promise<void>;
  partNames(): Promise<readonly string[]>;
  /** Pieces of a part follow one another. */
  writePart(part: string, position: number, bytes: Uint8Array): Promise<void>;
  /** Reads a piece as it was written. Undefined: there is none at the position. */
  readPart(part: string, piece: Piece): Promise<Uint8Array | undefined>;
  removePart(part: string): Promise<void>;
  /** Leaves the state to the next process. */
  release(): Promise<void>;
  /** Closes the connections. */
  end(): void;
}

/** The error of a process whose state another one has taken. */
export const lostState = (name: string): ExtractError =>
  new ExtractError(
    'ERR_STATE',
    `another run took over "${name}" while this process was suspended or had no connection`,
  );

/** The error of a state that is not what this version wrote. */
export const damagedState = (name: string, what: string): ExtractError =>
  new ExtractError('ERR_STATE', `"${name}" ${what}: it is damaged or not a state. Remove it, or use another address`);
