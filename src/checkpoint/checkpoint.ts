/**
 * The store of a run, opened: what an earlier run has left in it is read before anything else happens, as the window of
 * a run that goes on is its.
 */

import { ExtractError } from '../core/errors/errors.js';
import { version } from '../core/util/version.js';
import { createPosition, isCounted, type Position } from './position.js';
import { type BeginRecord, format, recordIn, type StateRecord } from './records.js';
import { checkStore, type OpenStore, type Store } from './store.js';

export interface CheckpointOptions {
  /**
   * Goes on where the earlier run was broken off; afresh where there was none. Without it whatever there was is
   * replaced.
   */
  readonly resume?: boolean;
}

/**
 * An open store, and where the run in it stands. Whoever has it closes it; an extraction that it is given to does so at
 * its end.
 */
export interface Checkpoint {
  readonly store: OpenStore;
  /**
   * Where the earlier run stands, that is to be gone on with: as it was last written down, then, where that is another
   * one, as it was when all of it was known to outlive the machine. None: a run afresh.
   */
  readonly earlier: readonly Position[];
  /** What an unfinished run left is to be replaced. */
  readonly replaces: boolean;
  /** A run was to be gone on with, and there is none. */
  readonly isVain?: boolean;
  /** The extraction that it is for begins. Throws ERR_USAGE where it is closed, or another has begun with it. */
  take(): void;
  close(): Promise<void>;
}

/**
 * Opens the store. Throws ERR_STATE where another run has it or it cannot be read, ERR_RESUME where another version has
 * written it.
 */
export async function openCheckpoint(store: Store, { resume = false }: CheckpointOptions = {}): Promise<Checkpoint> {
  checkStore(store);
  const opened = await store.open();
  let isClosed = false;
  let isTaken = false;
  const close = async () => {
    if (isClosed) return;
    isClosed = true;
    await opened.close();
  };
  const take = () => {
    if (isClosed || isTaken) throw new ExtractError('ERR_USAGE', `checkpoint: ${usedUp}`);
    isTaken = true;
  };
  try {
    const records = opened.records.map(recordIn);
    const [begin] = records;
    const isLeft = begin?.is === 'begin';
    const isDone = records.some(({ is }) => is === 'done');
    const earlier = resume && isLeft ? positionsIn(begin, records, opened.name) : [];
    const isVain = resume && !isLeft;
    return { store: opened, earlier, replaces: !resume && isLeft && !isDone, isVain, take, close };
  } catch (thrown) {
    await close();
    throw thrown;
  }
}

const usedUp = 'it is closed, or another extraction has it: openCheckpoint(store, { resume }) gives each its own';

function positionsIn(begin: BeginRecord, records: readonly StateRecord[], name: string): readonly Position[] {
  if (begin.format !== format || begin.version !== version) {
    const other =
      begin.version === version
        ? `another build of rxtract ${version}`
        : `rxtract ${begin.version}, and this is ${version}`;
    throw new ExtractError('ERR_RESUME', `"${name}" was written by ${other}`);
  }
  const last = positionAfter(begin, records);
  const saved = savedIn(records);
  return saved === undefined || saved >= last.count ? [last] : [last, positionAfter(begin, records, saved)];
}

/** `most`: of the records of pages and ends. */
function positionAfter(begin: BeginRecord, records: readonly StateRecord[], most = Number.POSITIVE_INFINITY): Position {
  const position = createPosition(begin);
  for (const record of records) {
    if (isCounted(record) && position.count >= most) break;
    position.apply(record);
  }
  return position;
}

/** How many records are known to outlive the machine; undefined: of none it is known. */
function savedIn(records: readonly StateRecord[]): number | undefined {
  const last = records.findLast((record) => record.is === 'saved' || record.is === 'snapshot');
  return last?.is === 'saved' || last?.is === 'snapshot' ? last.count : undefined;
}
