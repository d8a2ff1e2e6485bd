/** Turns the rows of a page into the walks of its child jobs, in the order in which they begin. */

import { identity, type Observable } from 'rxjs';
import { pull } from '../../../operators/pull.js';
import type { RowPlace, RowRange } from '../../checkpoint/records.js';
import type { WalkPosition } from '../../checkpoint/walk-positions.js';
import type { Row } from '../../config/children/row.js';
import { type ChildConfig, type JobConfig, withChildren } from '../../config/config.js';
import { asExtractError, ExtractError } from '../../core/errors/errors.js';
import type { Receipt } from '../../core/model/page.js';
import { elementAt } from '../../core/util/element-at.js';
import { fillEndpoint, instancesOf, type PlaceholderBindings } from '../../job/instances.js';
import type { Rows } from '../../page/row-buffer.js';
import { createOrderedOutput, type OrderedOutput } from './ordered-output.js';
import { isBounded, type RunScope, type WalkTask } from './walk-context.js';

/** One child job for one row. */
export interface ChildWalk {
  readonly task: WalkTask;
  /** Passes the receipts of the walk when it is its turn. */
  readonly around: (receipts: Observable<Receipt>) => Observable<Receipt>;
}

/** A page whose children are walked. */
export interface RowsOfPage {
  readonly rows: Rows;
  /** Undefined: the walks run one after the other. */
  readonly ordered: OrderedOutput | undefined;
  /** The child walk where an earlier run stopped; those before it are complete. */
  readonly resumed: WalkPosition['child'];
  /** What is walked of them; undefined: all. */
  readonly range: WalkPosition['range'];
  /** The index of the page. */
  readonly page: number;
}

/** Runs the walks below another one: one after the other, or side by side with their output in order. */
export function walkInOrder(
  run: RunScope,
  parent: WalkTask,
  walks: (ordered: OrderedOutput | undefined) => AsyncIterable<ChildWalk>,
  walkOne: (task: WalkTask) => Observable<Receipt>,
): Observable<Receipt> {
  // The records of reports are in the order of their walks.
  const isOrdered =
    run.bounds.isCounting || withChildren<JobConfig>([parent.config]).some(({ report }) => report !== undefined);
  const atOnce = isOrdered ? 1 : run.atOnce;
  const ordered = atOnce === 1 ? undefined : createOrderedOutput(parent.output, run.budget, run.context.inFlight);
  return pull(walks(ordered), ({ task, around }) => around(walkOne(task)), atOnce);
}

/**
 * Yields the walks below a page on demand: for each child, each row and each instance, in order.
 * docs/04-child-jobs.md#placeholders.
 */
export async function* childWalks(run: RunScope, parent: WalkTask, page: RowsOfPage): AsyncGenerator<ChildWalk> {
  for (const [child, config] of parent.config.children.entries()) {
    const { first, end } = rangeOf(child, page);
    let index = 0;
    if (first < end) {
      for await (const row of page.rows.all()) {
        if (index >= end) break;
        const walks = index < first ? [] : walksOfRow(run, parent, page, { child, config, row, index });
        for (const walk of walks) yield walk;
        index += 1;
      }
    }
  }
}

/** The rows of the page that are walked for a child job. */
function rangeOf(child: number, { range, rows, resumed }: RowsOfPage): Pick<RowRange, 'first' | 'end'> {
  if (range === undefined) return { first: 0, end: rows.count };
  const { child: own, first, end } = rangeIn(range, resumed);
  return own === child ? { first, end } : { first: 0, end: 0 };
}

/** The range of a walk; of one that is above that of a task, its only child walk. */
export function rangeIn(range: NonNullable<RowsOfPage['range']>, resumed: RowsOfPage['resumed']): RowRange {
  if (range !== 'child') return range;
  const [, child, row] = resumed?.at ?? [0, 0, 0];
  return { child, first: row, end: row + 1 };
}

function* walksOfRow(
  run: RunScope,
  parent: WalkTask,
  { ordered, resumed, range, page }: RowsOfPage,
  { child, config, row, index }: RowOfChild,
): Iterable<ChildWalk> {
  let number = 0;
  for (const instance of instancesFor(run, parent, config, { row, index, page })) {
    const at = [page, child, index, number] as const;
    number += 1;
    if (hasNoFile(config, instance)) continue;
    const order = resumed === undefined ? 1 : compare(at, resumed.at);
    if (order < 0 || (order > 0 && (range === 'child' || isBounded(run, config)))) continue;
    const slot = ordered?.join();
    const { top, ancestors, output, staysHere, watch } = parent;
    yield {
      task: {
        config,
        instance,
        ancestors: [row, ...ancestors],
        output: slot ?? output,
        top,
        at: [...parent.at, at],
        name: `${parent.name}/${at.join('.')}`,
        staysHere,
        watch,
        resumed: order === 0 ? resumed?.walk : undefined,
      },
      around: slot?.around ?? identity,
    };
  }
}

/** The address of its file is empty in the row: it would be the base URL, and its response the file. */
const hasNoFile = ({ download, endpoint }: ChildConfig, instance: PlaceholderBindings): boolean =>
  download !== undefined && fillEndpoint(endpoint, instance).trim() === '';

/** A row for one of the child jobs; both numbers from 0. */
interface RowOfChild {
  readonly child: number;
  readonly config: ChildConfig;
  readonly row: Row;
  readonly index: number;
}

/** Negative: `a` comes before `b`. */
export function compare(a: RowPlace, b: RowPlace): number {
  const [difference = 0] = a.map((number, index) => number - elementAt(b, index)).filter((each) => each !== 0);
  return difference;
}

interface PlacedRow {
  readonly row: Row;
  /** Both from 0. */
  readonly index: number;
  readonly page: number;
}

function instancesFor(
  run: RunScope,
  parent: WalkTask,
  config: ChildConfig,
  placed: PlacedRow,
): Iterable<PlaceholderBindings> {
  const { row } = placed;
  try {
    if (config.recursionFilter?.matches(row) === false) {
      run.totals.leaveOut(config.name, config.recursionFilter.absent(row));
      return [];
    }
    return instancesOf(config.placeholders, [row, ...parent.ancestors], parent.instance, run.context);
  } catch (thrown) {
    const { code, message, cause } = asExtractError(thrown);
    throw new ExtractError(code, `${message} (${nameOf(placed, parent)})`, { job: config.name, cause });
  }
}

/** Rows and pages in messages count from 1. */
const nameOf = ({ index, page }: PlacedRow, { config }: WalkTask): string =>
  `row ${index + 1} of page ${page + 1} of job "${config.name}"`;
