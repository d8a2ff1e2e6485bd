/**
 * The store of a run, opened: what an earlier run has left in it is read before anything else happens, as the window of
 * a run that goes on is its.
 */

import { ExtractError } from '../core/errors/errors.js';
import { version } from '../core/util/version.js';
import { createPosition, isCounted, type Position } from './position.js';
import { type BeginRecord, format, recordIn, type StateRecord } from './records.js';
import { checkStore, type OpenStore, type Store } from './store/store.js';

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
  /** The name of that run; absent: there is none, or its state is of another format. */
  readonly replacedRun?: string | undefined;
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
    const isLeft = begin?.type === 'begin';
    const isDone = records.some(({ type }) => type === 'done');
    const earlier = resume && isLeft ? positionsIn(begin, records, opened.name) : [];
    const isVain = resume && !isLeft;
    const replaces = !resume && isLeft && !isDone;
    const replacedRun = replaces ? begin.run : undefined;
    return { store: opened, earlier, replaces, replacedRun, isVain, take, close };
  } catch (thrown) {
    await close();
    throw thrown;
  }
}

const usedUp = 'it is closed, or another extraction uses it: call openCheckpoint(store, { resume }) for each';

function positionsIn(begin: BeginRecord, records: readonly StateRecord[], name: string): readonly Position[] {
  mustBeReadable(begin, name);
  const next = { ...begin, epoch: begin.epoch + 1 };
  const last = positionAfter(next, records);
  const saved = savedIn(records);
  return saved === undefined || saved >= last.count ? [last] : [last, positionAfter(next, records, saved)];
}

/** Only the build that has written a state knows what its records mean. Throws ERR_RESUME. */
function mustBeReadable(begin: BeginRecord, name: string): void {
  if (begin.format === format && begin.version === version) return;
  const isOther = begin.version !== version;
  const who = isOther ? `rxtract ${begin.version}, and this is ${version}` : `another build of rxtract ${version}`;
  const what = begin.format === format ? '' : `; its state has format ${begin.format}, and this build reads ${format}`;
  const advice = 'resume with the version that wrote it, or run without --resume to start a new run';
  throw new ExtractError('ERR_RESUME', `"${name}" was written by ${who}${what}: ${advice}`);
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
  const last = records.findLast((record) => record.type === 'sync' || record.type === 'snapshot');
  return last?.type === 'sync' || last?.type === 'snapshot' ? last.count : undefined;
}
