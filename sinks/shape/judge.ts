/** Judges items by the shape of their data type, before any sink has them: what differs is reported, or left out. */
import { ExtractError } from '../../src/core/errors/errors.js';
import { type Batch, createBatch, joinItems, startOf } from '../../src/core/model/batch.js';
import type { Notify } from '../../src/core/model/notice.js';
import { borrowing, isBorrowing } from '../borrowing.js';
import type { PageEnd, Sink } from '../contract.js';
import { through } from '../decorators/through.js';
import { delegate, symbolsOf } from '../delegate.js';
import { placeOf } from '../item-errors.js';
import { createChecker, type ShapeChecker } from './checker.js';
import { type Change, type Difference, differencesOf } from './differences.js';
import { shapeOfItem } from './observe.js';
import type { Shapes } from './shape-document.js';
import { joined, type ValueShape } from './value-shape.js';

/** What becomes of an item that differs. `evolve`: the shape becomes that of these items too. */
export type DriftRule = 'warn' | 'fail' | 'drop' | 'dead-letter' | 'evolve';

/** A difference, and the first item that has it. */
export interface DriftPlace {
  readonly job: string;
  readonly dataType: string;
  readonly walk: string;
  /** From 0. */
  readonly page: number;
  /** The place in the page, from 0. */
  readonly item: number;
  /** Such as `address.city` or `tags[]`; empty: the item. */
  readonly path: string;
  readonly change: Change;
  readonly message: string;
}

/** The items that differ, of pages that sinks have. */
export interface Drift {
  readonly items: number;
  /** The first 100. */
  readonly places: readonly DriftPlace[];
}

export interface ItemJudge {
  readonly rule: DriftRule;
  /** The sink gets judged items. All sinks of a run are given to it: each batch is judged once. */
  before(sink: Sink, leaveOut?: TakeUnfit): Sink;
  /** How many items of a data type were left out. */
  leftOut(dataType: string): number;
  /** Undefined: no item has differed. */
  drift(): Drift | undefined;
  /** The shapes, and with `evolve` those of all items of pages that sinks have. */
  shapes(): Shapes;
}

/** Takes an item that is left out, with the reason. */
export type TakeUnfit = (batch: Batch, index: number, reason: string) => void;

export interface JudgeOptions {
  readonly shapes: Shapes;
  readonly rule: DriftRule;
  readonly notify: Notify;
  /** Hides secrets in what is said of an item. */
  readonly mask: (text: string) => string;
}

const mostPlaces = 100;
/** Further differences are in the summary. */
const mostNotices = 10;

/** An item that differs. */
interface Unfit {
  readonly index: number;
  readonly differences: readonly Difference[];
  readonly shape: ValueShape;
}

/** The page in progress of a data type. */
interface JudgedPage {
  readonly key: string;
  items: number;
  readonly places: Map<string, DriftPlace>;
  /** The shape of its items that differ. */
  shape: ValueShape | undefined;
  /** The batch that was judged last, and what sinks get of it. */
  last: Batch | undefined;
  kept: Batch | undefined;
}

const keyOf = ({ walk, page }: Pick<PageEnd, 'walk' | 'page'>): string => `${walk} ${page}`;

/** A shape of the run, and what looks for items that do not fit it. */
interface Judged {
  readonly name: string;
  shape: ValueShape;
  checker: ShapeChecker;
}

/** Creates the judge of a run. */
export const createJudge = (options: JudgeOptions): ItemJudge => new Judge(options);

class Judge implements ItemJudge {
  readonly rule: DriftRule;
  readonly #options: JudgeOptions;
  readonly #judged: readonly Judged[];
  readonly #byDataType = new Map<string, Judged | undefined>();
  readonly #pages = new Map<string, JudgedPage>();
  /** By data type: the page that was counted last. It may be written again for a sink that has lost it. */
  readonly #counted = new Map<string, string>();
  readonly #leftOut = new Map<string, number>();
  readonly #places = new Map<string, DriftPlace>();
  readonly #reported = new Set<string>();
  #items = 0;

  constructor(options: JudgeOptions) {
    this.#options = options;
    this.rule = options.rule;
    this.#judged = [...options.shapes].map(([name, shape]) => ({ name, shape, checker: createChecker(shape) }));
  }

  before(sink: Sink, leaveOut?: TakeUnfit): Sink {
    const judge = (batch: Batch) => this.#judge(batch, leaveOut);
    const inner = leavesOut(this.rule) ? through(sink, judge) : passing(sink, judge);
    const { rollback } = inner;
    const changes: Partial<Sink> = {
      commit: (page, signal) => {
        this.#count(page);
        return inner.commit?.(page, signal);
      },
      ...(rollback && {
        rollback: (dataType) => {
          this.#pages.delete(dataType);
          return rollback(dataType);
        },
      }),
    };
    return Object.assign(delegate(inner, changes), symbolsOf(sink));
  }

  leftOut(dataType: string): number {
    return this.#leftOut.get(dataType) ?? 0;
  }

  drift(): Drift | undefined {
    return this.#items === 0 ? undefined : { items: this.#items, places: [...this.#places.values()] };
  }

  shapes(): Shapes {
    return new Map(this.#judged.map(({ name, shape }) => [name, shape]));
  }

  /** Returns what sinks get of a batch. Throws ERR_SHAPE, and what `notify` throws. */
  #judge(batch: Batch, leaveOut: TakeUnfit | undefined): Batch {
    const judged = this.#judgedOf(batch.dataType);
    if (judged === undefined) return batch;
    const page = this.#pageOf(batch);
    const { last, kept } = page;
    if (kept !== undefined && last?.bytes === batch.bytes && last.offset === batch.offset) return kept;
    const unfit = unfitIn(batch, judged);
    for (const each of unfit) this.#take(batch, each, page, leaveOut);
    page.last = batch;
    page.kept = unfit.length > 0 && leavesOut(this.rule) ? without(batch, unfit) : batch;
    return page.kept;
  }

  /** In a data folder the names of data types have a bucket before them. */
  #judgedOf(dataType: string): Judged | undefined {
    if (this.#byDataType.has(dataType)) return this.#byDataType.get(dataType);
    const isOf = ({ name }: Judged) => dataType === name || dataType.endsWith(`.${name}`);
    const [found] = this.#judged.filter(isOf).sort((one, other) => other.name.length - one.name.length);
    this.#byDataType.set(dataType, found);
    return found;
  }

  #pageOf(batch: Batch): JudgedPage {
    const key = keyOf(batch);
    const found = this.#pages.get(batch.dataType);
    if (found?.key === key) return found;
    const page = { key, items: 0, places: new Map(), shape: undefined, last: undefined, kept: undefined };
    this.#pages.set(batch.dataType, page);
    return page;
  }

  #take(batch: Batch, { index, differences, shape }: Unfit, page: JudgedPage, leaveOut: TakeUnfit | undefined): void {
    const reason = this.#options.mask(differences.map(({ message }) => message).join('; '));
    const { job } = batch;
    if (this.rule === 'fail') throw unfitItem(batch, index, reason);
    page.items += 1;
    page.shape = this.rule !== 'evolve' ? undefined : page.shape === undefined ? shape : joined(page.shape, shape);
    for (const difference of differences) this.#place(batch, index, difference, page);
    leaveOut?.(batch, index, `does not fit the shape of ${JSON.stringify(job)}: ${reason}`);
  }

  #place(batch: Batch, index: number, { path, change, message }: Difference, page: JudgedPage): void {
    const { job, dataType, walk, page: number, offset } = batch;
    const key = JSON.stringify([dataType, path, change, change === 'value' ? '' : message]);
    const [shownPath, shownMessage] = [path, message].map(this.#options.mask);
    const place = { job, dataType, walk, page: number, item: offset + index, path: shownPath ?? '', change };
    if (!page.places.has(key)) page.places.set(key, { ...place, message: shownMessage ?? '' });
    if (this.#reported.has(key) || this.#reported.size >= mostNotices) return;
    this.#reported.add(key);
    const rest = this.#reported.size === mostNotices ? '; further differences are in the summary' : '';
    this.#options.notify({
      level: this.rule === 'warn' ? 'warning' : 'info',
      code: 'drift',
      message: `${placeOf(batch, index)} differs from its shape: ${message}${rest}`,
      job,
      page: number,
      subject: key,
    });
  }

  /** Sinks have the page: what was judged of it counts, once. */
  #count({ dataType, walk, page: number }: PageEnd): void {
    const key = keyOf({ walk, page: number });
    const page = this.#pages.get(dataType);
    if (page?.key !== key || this.#counted.get(dataType) === key) return;
    this.#counted.set(dataType, key);
    if (page.items === 0) return;
    this.#items += page.items;
    if (leavesOut(this.rule)) this.#leftOut.set(dataType, this.leftOut(dataType) + page.items);
    for (const [own, place] of page.places) {
      if (this.#places.size < mostPlaces && !this.#places.has(own)) this.#places.set(own, place);
    }
    const judged = this.#judgedOf(dataType);
    if (page.shape === undefined || judged === undefined) return;
    judged.shape = joined(judged.shape, page.shape);
    judged.checker = createChecker(judged.shape);
  }
}

export const leavesOut = (rule: DriftRule): boolean => rule === 'drop' || rule === 'dead-letter';

/** A sink that gets each batch when it was judged. */
function passing(sink: Sink, judge: (batch: Batch) => Batch): Sink {
  const write: Sink['write'] = (batch, signal) => sink.write(judge(batch), signal);
  return delegate(sink, { write: isBorrowing(sink.write) ? borrowing(write) : write });
}

/** The items that differ. One that the checker does not recognize, as it is written in another way, may fit. */
function unfitIn(batch: Batch, { shape, checker }: Judged): readonly Unfit[] {
  const unfit: Unfit[] = [];
  for (let index = checker.firstUnfit(batch, 0); index < batch.count; index = checker.firstUnfit(batch, index + 1)) {
    const own = shapeOfItem(batch, index);
    const differences = differencesOf(shape, own);
    if (differences.length > 0) unfit.push({ index, differences, shape: own });
  }
  return unfit;
}

function without(batch: Batch, unfit: readonly Unfit[]): Batch {
  const out = new Set(unfit.map(({ index }) => index));
  const lines = Array.from({ length: batch.count }, (_, index) => index)
    .filter((index) => !out.has(index))
    .map((index) => batch.bytes.subarray(startOf(batch, index), startOf(batch, index + 1)));
  return createBatch(batch, joinItems(lines), batch.offset);
}

const unfitItem = (batch: Batch, index: number, reason: string): ExtractError =>
  new ExtractError('ERR_SHAPE', `${placeOf(batch, index)} differs from its shape: ${reason}`, {
    job: batch.job,
    page: batch.page,
  });
