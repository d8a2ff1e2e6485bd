/** Reads what sinks with transactions hold after a crash, and moves each top-level job to a matching position. */
import type { Sink } from '../../sinks/contract.js';
import { holdsLetters } from '../../sinks/decorators/dead-letters.js';
import { inSink } from '../../sinks/errors.js';
import { ExtractError } from '../core/errors/errors.js';
import type { Notify } from '../core/model/notice.js';
import { isJoined, type Keep, keepIn, markOf } from './lane-marks.js';
import type { Position } from './position.js';
import type { LaneMark, StoredWalk } from './records.js';
import { checkStoredRows, type RowStore } from './stored-rows.js';

export interface SinkPositionsOptions {
  readonly sinks: readonly Sink[];
  readonly notify: Notify;
  readonly jobNames: readonly string[];
  /** The top-level jobs, in the order of their numbers. */
  readonly laneNames: readonly string[];
  /** Sinks get pages again that have changed: docs/06-resume.md#a-page-that-changed-meanwhile. */
  readonly sendsAgain: boolean;
  /** Numbers of sinks that may get items twice although they promise more. */
  readonly weakened: Set<number>;
}

/**
 * Moves each top-level job to the smallest position of its sinks, and marks the sinks that have more. Throws ERR_RESUME
 * if a sink holds no page of a job that has pages in the journal, or if sinks hold versions of a page from which no
 * common request follows; ERR_SINK if `positions` of a sink fails.
 */
export async function moveToSinks(position: Position, options: SinkPositionsOptions, keeper: RowStore): Promise<void> {
  const { sinks, jobNames, laneNames } = options;
  const positions = await Promise.all(sinks.map(positionsIn));
  if (positions.every((each) => each === undefined)) return;
  for (const [lane, name] of laneNames.entries()) {
    const job = jobNames.indexOf(name);
    const keeps = positions.map((each, sink) =>
      keepOf(each?.get(String(lane)), {
        position,
        job,
        sink,
        name,
        isAsked: each !== undefined,
        isOptional: isOptional(sinks[sink]),
      }),
    );
    await moveLane(position, { job, name, keeps }, keeper);
    for (const [sink, keep] of keeps.entries()) setMark(position, { sink, job, name, mark: markIn(keep) }, options);
  }
}

/** What a sink holds of each lane; undefined: it keeps nothing. Throws ERR_SINK if it cannot say. */
export async function positionsIn(sink: Sink): Promise<ReadonlyMap<string, string> | undefined> {
  return sink.recovery === 'transaction' ? inSink(() => sink.positions?.()) : undefined;
}

interface LaneInSink {
  readonly position: Position;
  readonly job: number;
  readonly sink: number;
  readonly name: string;
  /** The sink reports what it holds. */
  readonly isAsked: boolean;
  /** It may hold less than the journal: it was added by a resume. */
  readonly isOptional: boolean;
}

const isOptional = (sink: Sink | undefined): boolean => sink !== undefined && holdsLetters(sink);

/** What a sink has of a job, by its own report or else by the journal. Undefined: nothing. */
function keepOf(
  text: string | undefined,
  { position, job, sink, name, isAsked, isOptional }: LaneInSink,
): Keep | undefined {
  const known: LaneMark | undefined = position.marksOf(job).get(sink) ?? position.lastOf(job);
  if (!isAsked) return known;
  const keep = text === undefined ? undefined : keepIn(text);
  if (isOptional && (keep?.m ?? 0) < (known?.m ?? 0)) return known;
  if (keep !== undefined || known === undefined) return keep;
  const message = `the sink holds no page of job "${name}", but was given ${known.m}: its items may still be there`;
  throw new ExtractError('ERR_RESUME', message, { job: name });
}

interface Lane {
  readonly job: number;
  readonly name: string;
  /** What each sink has. */
  readonly keeps: readonly (Keep | undefined)[];
}

/**
 * Moves the job to the smallest position, so that no sink lacks a page. Without a usable `progress` it can only move
 * back to its beginning. Throws ERR_RESUME if versions of one page lead to different requests, and it is too late to
 * request that page again.
 */
async function moveLane(position: Position, { job, name, keeps }: Lane, keeper: RowStore): Promise<void> {
  const least = Math.min(...keeps.map((keep) => keep?.m ?? 0));
  const pages = position.pagesOf(job);
  if (!isOnePath([...keeps.map(markIn), position.lastOf(job)], least)) {
    if (pages < least) return; // the page comes again, and is compared with that of each sink
    const message = `sinks hold different versions of a page of job "${name}" from which different requests follow`;
    throw new ExtractError('ERR_RESUME', message, { job: name });
  }
  if (least === pages) return;
  const keep = keeps.find((each) => each?.m === least && each.progress !== undefined);
  const progress = keep?.progress;
  if (keep !== undefined && progress !== undefined && (await hasRows(progress.walk, keeper))) {
    position.moveLane(job, markOf(keep), progress);
  } else if (least < pages) position.resetLane(job);
}

/** Whether all marks at the page `m` allow the same next request. */
function isOnePath(marks: readonly (LaneMark | undefined)[], m: number): boolean {
  const [first, ...others] = marks.flatMap((mark) => (mark?.m === m ? [mark] : []));
  return first === undefined || others.every((mark) => isJoined(first, mark));
}

interface SinkLane {
  readonly sink: number;
  readonly job: number;
  readonly name: string;
  readonly mark: LaneMark | undefined;
}

/**
 * Sets what the sink does not get again. Only the last of its pages can be compared. If changed pages are sent again,
 * a sink that is more than one page ahead gets all of them.
 */
function setMark(position: Position, { sink, job, name, mark }: SinkLane, options: SinkPositionsOptions): void {
  const more = (mark?.m ?? 0) - position.pagesOf(job);
  const isSetBack = options.sendsAgain && more > 1;
  position.mark(sink, job, isSetBack ? undefined : mark);
  if (!isSetBack) return;
  options.weakened.add(sink);
  const message = `the sink has ${more} pages that are requested again, and gets them again: --on-changed-page again`;
  options.notify({ level: 'info', code: 'page-changed', message, job: name });
}

/** The mark of what a sink has; a `keep` from the journal is a mark already. */
function markIn(keep: (Keep & Partial<LaneMark>) | undefined): LaneMark | undefined {
  return keep?.progress === undefined ? keep : markOf(keep);
}

/** The rows for child walks are stored beside the journal. Without them the walk cannot continue there. */
async function hasRows({ rows, child }: StoredWalk, keeper: RowStore): Promise<boolean> {
  try {
    if (rows !== undefined) await checkStoredRows(keeper, rows);
    return child === undefined || (await hasRows(child.walk, keeper));
  } catch {
    return false;
  }
}

/** Warns of a destination that may have forgotten the ids of the interrupted run: it accepts those items again. */
export function warnOfWindows(position: Position, { sinks, notify, weakened }: WindowOptions, now: number): void {
  const { time: read, begin } = position;
  // Without a page record, items of the first page may have been delivered since the start.
  const time = read === 0 ? begin.startedAt : read;
  for (const [index, { recovery, window, name = `sink ${index + 1}` }] of sinks.entries()) {
    if (recovery !== 'ids' || window === undefined || now - time <= window) continue;
    weakened.add(index);
    const ago = Math.round((now - time) / 1000);
    const message = `"${name}" remembers ids for ${window / 1000} s, and the interrupted run got its last page, or began, ${ago} s ago: items of the pages in progress may arrive twice`;
    notify({ level: 'warning', code: 'window-passed', message, subject: name });
  }
}

type WindowOptions = Pick<SinkPositionsOptions, 'sinks' | 'notify' | 'weakened'>;
