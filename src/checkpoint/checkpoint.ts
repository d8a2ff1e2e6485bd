/**
 * Opens a store and reads the position of the earlier run in it. This comes first, as a resume keeps the time window of
 * that run.
 */

import { ExtractError } from '../core/errors/errors.js';
import { usageError } from '../core/util/check-value.js';
import { defined } from '../core/util/defined.js';
import { version } from '../core/util/version.js';
import { hasValues, noMemory, type RunMemory } from '../incremental/run-memory.js';
import { createPosition, isCounted, type Position } from './position.js';
import { type BeginRecord, format, recordIn, type StateRecord, type StoredWalkAgain } from './records.js';
import { checkStore, type OpenStore, type Store } from './store/store.js';

export interface CheckpointOptions {
  /**
   * `true`: continues an interrupted run, and otherwise starts a new one. `only`: the same, but a complete run is not
   * followed by a new one: there is nothing to do then. `failed`: a run of the requests that a complete run has left
   * out, or the rest of such a run. Absent or `false`: a new run replaces the stored state.
   */
  readonly resume?: boolean | 'only' | 'failed';
}

/**
 * An open store and the positions of the run in it. The caller closes it; an extraction that gets it closes it at its
 * end.
 */
export interface Checkpoint {
  readonly store: OpenStore;
  /**
   * Positions to resume from, the best first: the last one written, then, if it differs, the last one that is known to
   * survive a power cut. Empty: the run is new.
   */
  readonly earlier: readonly Position[];
  /** The new run replaces the state of an unfinished run. */
  readonly replaces: boolean;
  /** The names of that run and of those that it replaces itself; empty: there are none, or the format is another. */
  readonly replacedRuns: readonly string[];
  /** A resume is requested, but the store contains no run to continue. */
  readonly isVain?: boolean;
  /** How the run in the store has ended, if it was not interrupted. */
  readonly ended?: RunEnd;
  /** What was remembered before the run: of one that is continued, when it started. */
  readonly remembered: RunMemory;
  /** The walks that the run takes again, and no others; absent: it takes all. */
  readonly again?: readonly StoredWalkAgain[];
  /** So many requests failed that are not sent again. */
  readonly lost?: number;
  /** So many requests of a complete run failed that a new run forgets. */
  readonly forgotten?: number;
  /** Reserves the checkpoint for one extraction. Throws ERR_USAGE if it is closed or reserved already. */
  take(): void;
  close(): Promise<void>;
}

/** `complete`: it has published its items. `rejected`: it had read all of them, and its result was not accepted. */
export type RunEnd = 'complete' | 'rejected';

/**
 * Opens the store. Rejects with ERR_USAGE if `store` is not a store or `resume` not valid, with ERR_STATE if another
 * run uses it or it cannot be read, and with ERR_RESUME if the run to continue is of another version.
 */
export async function openCheckpoint(store: Store, { resume = false }: CheckpointOptions = {}): Promise<Checkpoint> {
  checkStore(store);
  checkResume(resume);
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
    const left = begin?.type === 'begin' ? begin : undefined;
    const ended = endIn(records);
    const memory = memoryIn(records);
    const failed = resume === 'failed' ? leftOutIn(left, records, opened.name) : undefined;
    const isOver = failed?.count === 0;
    const continues = resume === 'only' || isOver || (resume !== false && ended === undefined);
    const earlier = continues && left !== undefined ? positionsIn(left, records, opened.name) : [];
    const isVain = resume !== false && failed === undefined && earlier.length === 0;
    const replaces = left !== undefined && earlier.length === 0 && ended !== 'complete';
    const replacedRuns = replaces ? runsIn(left) : [];
    const remembered = earlier[0]?.begin.remembered ?? memory;
    const again = earlier[0]?.begin.again ?? failed?.again;
    const lost = failed && failed.count - failed.again.length;
    // Without a value a new run requests everything.
    const mayForget = resume !== 'failed' && ended === 'complete' && hasValues(memory);
    const forgotten = mayForget && left !== undefined && isReadable(left) ? leftOutOf(left, records).count : 0;
    const found = { ...defined({ ended, again, lost }), remembered, forgotten };
    return { store: opened, earlier, replaces, replacedRuns, isVain, ...found, take, close };
  } catch (thrown) {
    await close();
    throw thrown;
  }
}

/** The requests that a run has left out: how many, and those that can be sent again. */
interface LeftOutRequests {
  readonly count: number;
  readonly again: readonly StoredWalkAgain[];
}

/**
 * The requests that the complete run has left out. Undefined: such a run was interrupted before it took all of them
 * again. Throws ERR_RESUME if there is no complete run.
 */
function leftOutIn(
  begin: BeginRecord | undefined,
  records: readonly StateRecord[],
  name: string,
): LeftOutRequests | undefined {
  if (begin === undefined) throw new ExtractError('ERR_RESUME', `there is no run in "${name}": nothing has failed`);
  if (endIn(records) === 'complete') {
    mustBeReadable(begin, name);
    return leftOutOf(begin, records);
  }
  if (begin.again !== undefined) return undefined;
  throw new ExtractError('ERR_RESUME', `the run in "${name}" has not ended: end it first, with --resume`);
}

function leftOutOf(begin: BeginRecord, records: readonly StateRecord[]): LeftOutRequests {
  const position = positionAfter(begin, records);
  const shares = [...position.shares.values()];
  return {
    count: shares.reduce((sum, { skipped = 0 }) => sum + skipped, 0),
    again: position.failures().flatMap(([, , { again }]) => again ?? []),
  };
}

/** Throws ERR_USAGE for a value other than `true`, `false`, `only` and `failed`. */
function checkResume(resume: unknown): void {
  if (typeof resume === 'boolean' || resume === 'only' || resume === 'failed') return;
  throw usageError('resume: expected true, false, "only" or "failed"');
}

function endIn(records: readonly StateRecord[]): RunEnd | undefined {
  if (records.some(({ type }) => type === 'done')) return 'complete';
  return records.some(({ type }) => type === 'rejected') ? 'rejected' : undefined;
}

/** What is remembered after these records: a run that has not published changes nothing. */
export function memoryIn(records: readonly StateRecord[]): RunMemory {
  const isDone = endIn(records) === 'complete';
  const found = records.findLast(
    (record) =>
      record.type === 'memory' ||
      record.type === 'begin' ||
      (isDone && record.type === 'publishing' && record.remembered !== undefined),
  );
  return found !== undefined && 'remembered' in found ? (found.remembered ?? noMemory) : noMemory;
}

/** A run that ended before its sinks were resumed has not passed on the names of those before it. */
const runsIn = ({ format: written, run, replaces = [] }: BeginRecord): readonly string[] =>
  written === format ? [...replaces, run] : [];

const usedUp = 'it is closed, or another extraction uses it: call openCheckpoint(store, { resume }) for each';

function positionsIn(begin: BeginRecord, records: readonly StateRecord[], name: string): readonly Position[] {
  mustBeReadable(begin, name);
  const next = { ...begin, epoch: begin.epoch + 1 };
  const last = positionAfter(next, records);
  const saved = savedIn(records);
  return saved === undefined || saved >= last.count ? [last] : [last, positionAfter(next, records, saved)];
}

const isReadable = (begin: BeginRecord): boolean => begin.format === format && begin.version === version;

/** Only the version that wrote a state can read its records. Throws ERR_RESUME. */
function mustBeReadable(begin: BeginRecord, name: string): void {
  if (isReadable(begin)) return;
  const isOther = begin.version !== version;
  const who = isOther ? `rxtract ${begin.version}, and this is ${version}` : `another build of rxtract ${version}`;
  const what = begin.format === format ? '' : `; its state has format ${begin.format}, and this build reads ${format}`;
  const advice = 'resume with the version that wrote it, or run without --resume to start a new run';
  throw new ExtractError('ERR_RESUME', `"${name}" was written by ${who}${what}: ${advice}`);
}

/** Applies the records, up to `most` records of pages and completed jobs. */
function positionAfter(begin: BeginRecord, records: readonly StateRecord[], most = Number.POSITIVE_INFINITY): Position {
  const position = createPosition(begin);
  for (const record of records) {
    if (isCounted(record) && position.count >= most) break;
    position.apply(record);
  }
  return position;
}

/** How many records of pages and completed jobs survive a power cut; undefined: unknown. */
function savedIn(records: readonly StateRecord[]): number | undefined {
  const last = records.findLast((record) => record.type === 'sync' || record.type === 'snapshot');
  return last?.type === 'sync' || last?.type === 'snapshot' ? last.count : undefined;
}
