/** All stages that the items of a page pass between the scanner and the sink: one list, composed once per walk. */

import type { Selector } from '../../sinks/select/selector.js';
import type { ExactObject } from '../core/json/exact.js';
import type { Paginator } from '../pagination/types.js';
import type { FollowOptions } from './followed-walk.js';
import type { PageResultDraft } from './page-result.js';
import type { PageAttempt, PageStage, Write } from './page-stage.js';
import type { PageWriter, SinkWriter } from './page-writer.js';
import type { RowsOptions } from './row-buffer.js';
import { foldItems, measureBody } from './stages/accumulator.js';
import { addColumns } from './stages/add-columns.js';
import { childRows } from './stages/child-rows.js';
import { closeGap } from './stages/close-gap.js';
import { digestItems } from './stages/digest-items.js';
import { followValue } from './stages/follow-value.js';
import { itemLimit } from './stages/item-limit.js';
import { parseTexts } from './stages/parse-texts.js';
import { reportProgress } from './stages/report-progress.js';
import { selectMembers } from './stages/select.js';
import { skipRepeated } from './stages/skip.js';
import { watchShifts } from './stages/watch-shifts.js';

/** The options that select the stages of a walk. */
export interface StageOptions {
  /** Paths of texts that are JSON. */
  readonly parse?: readonly (string | readonly string[])[];
  readonly paginator: Pick<Paginator, 'repeated' | 'fold' | 'volume' | 'repairs'>;
  /** The first items of a page are compared with the last ones of the page before it. */
  readonly watchesShifts?: boolean;
  /** The value that is followed from run to run; undefined: none. */
  readonly follow?: FollowOptions | undefined;
  /** The run limits the number of items. */
  readonly isLimited: boolean;
  /** The fields that children read; undefined: no children. */
  readonly rows: RowsOptions | undefined;
  /** Columns to add to each item; undefined: none. */
  readonly columns: ExactObject | undefined;
  /** The members that sinks get; undefined: all. */
  readonly selector?: Selector | undefined;
  /** The run gets a certificate. */
  readonly isCertified?: boolean;
  /** The progress of the run has a listener. */
  readonly isObserved: boolean;
}

/** The stages of a walk: the first receives the scanner's slabs, the last passes them to the sink. */
export const pageStages = ({
  parse = [],
  paginator,
  follow,
  watchesShifts,
  isLimited,
  rows,
  columns,
  selector,
  isCertified,
  isObserved,
}: StageOptions): readonly PageStage[] =>
  [
    parseTexts(parse), // replaces texts that are JSON
    watchesShifts ? watchShifts() : undefined, // compares the ends of pages
    closeGap(paginator), // drops items of an overlap
    skipRepeated(paginator), // drops items of the previous page
    foldItems(paginator), // folds the items for pagination
    measureBody(paginator), // measures the body for pagination
    follow === undefined ? undefined : followValue(follow), // drops items of the run before
    isLimited ? itemLimit() : undefined, // drops items beyond the limit
    rows === undefined ? undefined : childRows(rows), // stores the fields that children read
    addColumns(columns), // adds the columns of the job
    selectMembers(selector), // keeps, renames and drops members
    isCertified ? digestItems() : undefined, // digests the items that the sink gets
    isObserved ? reportProgress() : undefined, // counts the items that the sink accepted
  ].filter((stage) => stage !== undefined);

/** The composed stages, with the sink at the end. */
export interface PagePipeline extends PageWriter {
  /** Call it before each attempt. */
  begin(attempt: PageAttempt): void;
  /** Passes the next bytes of the body to the stages that look at them, before their items are written. */
  see(chunk: Uint8Array): void;
  /** Fills in the result from the stages. */
  report(result: PageResultDraft): void;
  /** Releases data that stages kept for the result. */
  discard(): void | Promise<void>;
}

/**
 * Chains the stages over the sink writer, the first one outermost. A rollback runs from the sink to the first stage.
 */
export function composeStages(stages: readonly PageStage[], writer: SinkWriter): PagePipeline {
  const write = stages.reduceRight<Write>((next, { write }) => {
    return write === undefined ? next : (slab) => write(slab, next);
  }, writer.write);
  const begins = stages.map(({ begin }) => begin).filter((begin) => begin !== undefined);
  const sees = stages.map(({ see }) => see).filter((see) => see !== undefined);
  const reports = stages.map(({ report }) => report).filter((report) => report !== undefined);
  const discards = stages.map(({ discard }) => discard).filter((discard) => discard !== undefined);
  const rollbacks = [...stages, writer].map(({ rollback }) => rollback).filter((rollback) => rollback !== undefined);
  rollbacks.reverse();
  return {
    write,
    complete: writer.complete,
    end: writer.end,
    leave: writer.leave,
    see(chunk) {
      for (const see of sees) see(chunk);
    },
    begin(attempt) {
      writer.begin(attempt);
      for (const begin of begins) begin(attempt);
    },
    rollback: () => inOrder(rollbacks),
    report(result) {
      for (const report of reports) report(result);
    },
    discard: () => inOrder(discards),
  };
}

/** Runs actions one after the other; returns a promise only from the first that waits. */
function inOrder(actions: readonly (() => void | Promise<void>)[], from = 0): void | Promise<void> {
  for (let at = from; at < actions.length; at++) {
    const waiting = actions[at]?.();
    if (waiting !== undefined) return waiting.then(() => inOrder(actions, at + 1));
  }
}
