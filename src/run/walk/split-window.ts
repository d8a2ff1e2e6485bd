/**
 * Walks a window that may have more items than the API gives. Its pages wait until it is known to be complete; a window
 * that is not is asked for again in two halves. docs/decisions/052-windows-that-split.md.
 */
import {
  catchError,
  concat,
  concatMap,
  defer,
  finalize,
  from,
  type Observable,
  of,
  takeWhile,
  tap,
  toArray,
} from 'rxjs';
import { halvesOf, type Window, type WindowRange, writeWindow } from '../../config/partition/window-range.js';
import type { WindowSettings } from '../../config/partition/windows.js';
import { ExtractError } from '../../core/errors/errors.js';
import type { Notice } from '../../core/model/notice.js';
import type { Receipt } from '../../core/model/page.js';
import { partitionAt } from '../../job/partitions.js';
import type { DeclaredTotal } from '../../pagination/truncation/declared-total.js';
import { walkInOrder } from './child-walks.js';
import { createPageBuffer } from './page-buffer.js';
import type { PageEvidence } from './page-context.js';
import { isSplit, partWalks, type WalkOnce } from './part-walks.js';
import type { RunScope, WalkTask } from './walk-context.js';

/** The most items that the API gives for one window, as far as it is known. */
export interface Cap {
  most: number;
  /** A window has shown that a stated total is that of the window. */
  isLearned: boolean;
}

/** `split`: as configured; true: the cap is learned from windows that were not complete. */
export const createCap = (split: boolean | number | undefined): Cap => ({
  most: typeof split === 'number' ? split : Number.POSITIVE_INFINITY,
  isLearned: false,
});

export interface SplitOptions {
  readonly windows: WindowSettings;
  readonly range: WindowRange;
  readonly cap: Cap;
  readonly walkOnce: WalkOnce;
}

/** A window that an earlier run has begun to write is complete. */
export function walkWindow(run: RunScope, task: WalkTask, options: SplitOptions): Observable<Receipt> {
  if (isSplit(task)) return walkHalves(run, task, options, undefined);
  return task.resumed === undefined ? tryWindow(run, task, options) : options.walkOnce(task);
}

/** What is known of a window after its last page that arrived. */
interface Trial {
  readonly receipts: readonly Receipt[];
  /** Why the API gave no more pages. */
  readonly error?: ExtractError;
}

function tryWindow(run: RunScope, task: WalkTask, options: SplitOptions): Observable<Receipt> {
  return defer(() => {
    const { inFlight } = run.context;
    const buffer = createPageBuffer(run.budget, inFlight);
    const seen = createEvidence();
    const canSplit = halvesOf(windowOf(task), options.range) !== undefined;
    // A page joins the buffer when those before it have done so: its target may be asked for earlier.
    const output = { page: () => defer(() => of(buffer.next())) };
    const trial = { ...task, output, judge: seen.add };
    let isEnded = false;
    return options.walkOnce(trial).pipe(
      tap({
        complete: () => {
          isEnded = true;
        },
      }),
      takeWhile(() => !canSplit || !exceeds(seen.declared(), options.cap), true),
      toArray(),
      concatMap((receipts) => of<Trial>({ receipts })),
      catchError((thrown) => of<Trial>({ receipts: [], error: capError(thrown, task) })),
      concatMap((ended) => {
        const capped = cappedBy(ended, seen, options);
        if (capped === undefined || (!canSplit && ended.error === undefined)) {
          reportRest(run, task, options, { seen, capped });
          return concat(buffer.drain(task.output), from(ended.receipts));
        }
        if (!canSplit) throw ended.error;
        if (!isEnded) run.totals.end(task.config.name);
        void inFlight.track(buffer.clear());
        run.context.notify(splitNotice(task, options, capped));
        return walkHalves(run, task, options, seen.declared());
      }),
      finalize(() => void inFlight.track(buffer.clear())),
    );
  });
}

const windowOf = ({ window = { from: 0, to: 0 } }: WalkTask): Window => window;

/** The evidence of the pages of one walk, whose warnings are not given yet. */
function createEvidence() {
  const alarms: Notice[] = [];
  let last: PageEvidence | undefined;
  return {
    add(page: PageEvidence) {
      last = page;
      alarms.push(...page.alarms);
    },
    alarms,
    declared: (): DeclaredTotal | undefined => last?.seen?.declared,
    items: (): number => last?.items ?? 0,
  };
}

type Evidence = ReturnType<typeof createEvidence>;

const exceeds = (declared: DeclaredTotal | undefined, { most, isLearned }: Cap): boolean =>
  declared !== undefined && (isLearned || declared.trust !== 'likely') && declared.latest > most;

/** Statuses of an API that refuses a page beyond its cap, or, the last two, a window with too many items. */
const statusesOfCap = new Set([400, 403, 404, 413, 416, 422]);
const statusesOfFirst = new Set([413, 422]);

/** Returns an error that a cap explains. Throws any other. */
function capError(thrown: unknown, { config }: WalkTask): ExtractError {
  if (!(thrown instanceof ExtractError) || thrown.where.job !== config.name) throw thrown;
  const { status = 0, page = 0 } = thrown.where;
  const isOfCap = (page > 0 ? statusesOfCap : statusesOfFirst).has(status);
  if ((thrown.code === 'ERR_STATUS' && isOfCap) || (thrown.code === 'ERR_LOOP' && page > 0)) return thrown;
  throw thrown;
}

/** Why the window is not complete, in words; undefined: nothing says so. Learns the cap. */
function cappedBy({ error }: Trial, seen: Evidence, { windows, cap }: SplitOptions): string | undefined {
  const [items, declared] = [seen.items(), seen.declared()];
  if (exceeds(declared, cap)) return `the API reports ${declared?.latest} items and gives ${cap.most}`;
  if (error !== undefined) return `${error.message.split(';', 1)[0]} after ${items} items`;
  if (typeof windows.split === 'number' && items >= windows.split) return `it has ${items} items`;
  const alarm = seen.alarms.find(({ code }) => codesOfCap.has(code));
  const isMore = declared !== undefined && items > declared.latest;
  if (alarm === undefined || isMore) {
    if (windows.split === true && items > cap.most) Object.assign(cap, createCap(true));
    return undefined;
  }
  if (windows.split === true && declared !== undefined && items > 0)
    Object.assign(cap, { most: items, isLearned: true });
  return alarm.message;
}

/** Warnings with which a walk ends that did not reach the end of its data. */
const codesOfCap: ReadonlySet<string> = new Set(['total-mismatch', 'round-end', 'next-page-ignored']);

/** Gives the warnings of a window that is written as it is. */
function reportRest(
  { context }: RunScope,
  task: WalkTask,
  options: SplitOptions,
  { seen, capped }: { readonly seen: Evidence; readonly capped: string | undefined },
): void {
  const { name } = task.config;
  for (const alarm of seen.alarms) context.notify({ job: name, ...alarm });
  if (capped === undefined) return;
  const message = `the window ${shown(task, options)} cannot be smaller, and is not complete: ${capped}`;
  context.notify({ level: 'warning', code: 'window-capped', message, job: name });
}

const splitNotice = (task: WalkTask, options: SplitOptions, why: string): Notice => ({
  level: 'info',
  code: 'window-split',
  message: `the window ${shown(task, options)} is split in halves: ${why}`,
  job: task.config.name,
});

function shown(task: WalkTask, { range }: SplitOptions): string {
  const { from: start, to } = writeWindow(windowOf(task), range);
  return `from ${String(start)} to ${String(to)}`;
}

/** `declared`: of the whole window; undefined: an earlier run has asked for it. */
function walkHalves(
  run: RunScope,
  task: WalkTask,
  options: SplitOptions,
  declared: DeclaredTotal | undefined,
): Observable<Receipt> {
  const { windows, range } = options;
  const { instance, config } = task;
  return defer(() => {
    const halves = halvesOf(windowOf(task), range) ?? [];
    const parts = halves.map((half) => partitionAt(half, { windows, range, instance }));
    let items = 0;
    return walkInOrder(
      run,
      { ...task, judge: undefined },
      (ordered) => partWalks(run, task, parts, ordered),
      (each) => walkWindow(run, each, options),
    ).pipe(
      tap({
        next: ({ job, count }) => {
          if (job === config.name) items += count;
        },
        complete: () => {
          const sums = declared === undefined || sumUp(declared, items, windows);
          if (!sums) run.context.notify(sumNotice(task, options, declared.latest, items));
        },
      }),
    );
  });
}

/** With an overlap, items come in both halves. */
const sumUp = ({ latest, trust, isLeast }: DeclaredTotal, items: number, { overlap }: WindowSettings): boolean =>
  trust === 'likely' || items === latest || ((isLeast === true || overlap !== undefined) && items > latest);

const sumNotice = (task: WalkTask, options: SplitOptions, total: number, items: number): Notice => ({
  level: 'warning',
  code: 'window-sum',
  message: `the window ${shown(task, options)} has ${total} items, and its parts have ${items}: is its end inclusive? See \`overlap\``,
  job: task.config.name,
});
