/** Restores the position where a run begins: its start, or a stored position whose output and rows are verified. */

import { asyncScheduler } from 'rxjs';
import type { Sink } from '../../sinks/contract.js';
import { holdsLetters } from '../../sinks/decorators/dead-letters.js';
import { settleAll } from '../../sinks/settle.js';
import { ExtractError } from '../core/errors/errors.js';
import { parseExact } from '../core/json/exact-parse.js';
import type { Notify } from '../core/model/notice.js';
import { defined } from '../core/util/defined.js';
import { version } from '../core/util/version.js';
import type { Checkpoint, RunEnd } from './checkpoint.js';
import { createPosition, type Position, partsOf } from './position.js';
import { type BeginRecord, format, isMember, isPublisher, type OutputPosition, textOf } from './records.js';
import { moveToSinks, warnOfWindows } from './sink-positions.js';
import type { OpenStore } from './store/store.js';
import { checkStoredRows, type RowStore } from './stored-rows.js';

export interface RestoreOptions {
  readonly checkpoint: Pick<Checkpoint, 'store' | 'earlier' | 'replaces' | 'replacedRuns' | 'isVain' | 'ended'>;
  readonly begin: Pick<BeginRecord, 'run' | 'startedAt' | 'marks' | 'values' | 'remembered' | 'again'>;
  readonly sinks: readonly Sink[];
  readonly notify: Notify;
  /** Sinks get pages again that have changed. */
  readonly sendsAgain: boolean;
  /** Numbers of sinks that may get items twice although they promise more. */
  readonly weakened: Set<number>;
  readonly outputNames: readonly string[];
  /** All jobs, children too. */
  readonly jobNames: readonly string[];
  /** The top-level jobs, in the order of their numbers. */
  readonly laneNames: readonly string[];
}

/**
 * Brings sinks and store to that position. Name and epoch of the run are on the disk before a sink is called. Throws
 * ERR_RESUME if no position of the earlier run is valid, with the fault of the last one; the output is unchanged then.
 */
export async function restorePosition(options: RestoreOptions, keeper: RowStore): Promise<Position> {
  const { store, earlier } = options.checkpoint;
  const position = earlier.length === 0 ? await beginAfresh(options) : await continueRun(options, keeper);
  const needed = partsOf(position);
  for (const name of await store.partNames()) if (!needed.has(name)) await store.removePart(name);
  return position;
}

async function beginAfresh({ begin, checkpoint, sinks, notify }: RestoreOptions): Promise<Position> {
  const { store, replacedRuns } = checkpoint;
  noticeOfStart(checkpoint, notify);
  const replaced = replacedRuns.length === 0 ? {} : { replaces: replacedRuns };
  const known = { ...begin, epoch: 1, sinks: recoveriesOf(sinks), ...replaced };
  const position = createPosition({ type: 'begin', format, version, ...known });
  await store.replace([textOf(position.begin)]);
  await resumeAll({ sinks, store }, position, []);
  // Also if nothing has changed: a process that was suspended may have lost its store, and ends here.
  position.forgetReplaced();
  await store.replace([textOf(position.begin)]);
  return position;
}

/** Reports why nothing is continued. */
function noticeOfStart({ store, replaces, isVain, ended }: RestoreOptions['checkpoint'], notify: Notify): void {
  if (isVain === true) {
    const message = `${reasonOfNone(ended, store.name)}: starting a new run`;
    notify({ level: 'info', code: 'nothing-to-resume', message });
    return;
  }
  const option = ended === 'rejected' ? '--resume-only' : '--resume';
  const message = `discarding the state of an interrupted run (use ${option} to continue it)`;
  if (replaces) notify({ level: 'info', code: 'state-replaced', message });
}

function reasonOfNone(ended: RunEnd | undefined, name: string): string {
  if (ended === undefined) return `nothing to resume in "${name}"`;
  return `the run in "${name}" ${ended === 'complete' ? 'is complete' : 'has read all items, and its result was rejected'}`;
}

async function continueRun(options: RestoreOptions, keeper: RowStore): Promise<Position> {
  const position = await firstThatHolds(options, keeper);
  await settleAll(options.sinks.map(async (sink) => sink.durable?.()));
  position.forgetReplaced();
  for (const sink of options.weakened) position.apply({ type: 'weakened', sink });
  await options.checkpoint.store.replace(recordsOf(position));
  return position;
}

async function firstThatHolds(options: RestoreOptions, keeper: RowStore): Promise<Position> {
  const { store, earlier } = options.checkpoint;
  const records = store.records;
  let first: ExtractError | undefined;
  let isRaised = false;
  for (const position of earlier) {
    try {
      mustBeSame(position.begin, options.sinks);
      position.addSinks(recoveriesOf(options.sinks));
      for (const rows of position.rows()) await checkStoredRows(keeper, rows);
      // Only the epoch changes here.
      if (!isRaised) await store.replace([textOf(position.begin), ...records.slice(1)]);
      isRaised = true;
      await resumeAll({ sinks: options.sinks, store }, position, options.outputNames);
      if (position.phase === 'writing') {
        await moveToSinks(position, options, keeper);
        warnOfWindows(position, options, asyncScheduler.now());
      }
      options.notify({ level: 'info', code: 'resumed', message: resumedAfter(position) });
      return position;
    } catch (thrown) {
      if (!(thrown instanceof ExtractError) || thrown.code !== 'ERR_RESUME') throw thrown;
      first ??= thrown;
    }
  }
  if (isRaised) await store.replace(records);
  throw first ?? new ExtractError('ERR_INTERNAL', 'there is no position to begin at');
}

/** As the first record of a run has them. */
export const recoveriesOf = (sinks: readonly Sink[]) => sinks.map(({ recovery = 'none' }) => recovery);

/** A new sink would lack the earlier items, but for one of dead letters. Throws ERR_RESUME. */
function mustBeSame({ sinks: before }: BeginRecord, sinks: readonly Sink[]): void {
  if (String(before) === String(recoveriesOf(sinks))) return;
  if (String(before) === String(recoveriesOf(sinks.filter((sink) => !holdsLetters(sink))))) return;
  const isOne = before.length === 1 && sinks.length === 1;
  const message = isOne
    ? 'the run wrote to another sink; resume needs the same sink'
    : 'the run wrote to other sinks; resume needs the same sinks in the same order';
  throw new ExtractError('ERR_RESUME', message);
}

function resumedAfter({ begin, shares, phase }: Position): string {
  const start = new Date(begin.startedAt).toISOString();
  if (phase !== 'writing') return `resuming the run of ${start}: all items are written, publishing`;
  const pages = [...shares.values()].reduce((sum, share) => sum + share.pages, 0);
  return `resuming the run of ${start}, after ${pages} page${pages === 1 ? '' : 's'}`;
}

/** Resumes the sinks one after the other, each at its own checkpoints. */
async function resumeAll(
  { sinks, store: { folder } }: { readonly sinks: readonly Sink[]; readonly store: Pick<OpenStore, 'folder'> },
  position: Position,
  names: readonly string[],
): Promise<void> {
  const { run, epoch, replaces, startedAt, task } = position.begin;
  const phase = position.phase === 'writing' ? 'writing' : 'publishing';
  const known = {
    run,
    epoch,
    startedAt,
    ...defined({ replaces, folder, member: task !== undefined && isMember(position.begin) ? task.name : undefined }),
    isStored: true,
    phase,
  } as const;
  for (const [index, sink] of sinks.entries()) {
    const checkpointsOf = (outputs: Iterable<OutputPosition>) =>
      new Map(
        [...outputs].flatMap(([number, output, text]) =>
          number === index ? [[names[output] ?? '', parseExact(text)] as const] : [],
        ),
      );
    const members = new Map(position.members.map(([member, outputs]) => [member, checkpointsOf(outputs)]));
    const ofMembers = isPublisher(position.begin) ? { members } : {};
    await sink.resume?.({ ...known, checkpoints: checkpointsOf(position.outputs), ...ofMembers });
  }
}

const recordsOf = (position: Position): readonly string[] => {
  const { begin, phase, kept: keep, remembered } = position;
  const snapshot = position.snapshot();
  if (phase === 'publishing')
    return [begin, snapshot, { type: phase, keep, ...defined({ remembered }) } as const].map(textOf);
  // A sink may have pages that the journal lacks: then `jobs` has walks, although `count` is 0.
  const isNew = snapshot.count === 0 && snapshot.jobs.length === 0 && snapshot.weakened.length === 0;
  return (isNew ? [begin] : [begin, snapshot]).map(textOf);
};
