/** Gives a sink of tables the rows of lists as data types of their own, which are committed with their items. */
import { ExtractError } from '../../src/core/errors/errors.js';
import type { Exact } from '../../src/core/json/exact.js';
import { type Batch, createBatch, type Items, joinItems, startOf } from '../../src/core/model/batch.js';
import type { Notify } from '../../src/core/model/notice.js';
import type { ListForm } from '../../src/core/tables/list-rules.js';
import { borrowing, isBorrowing } from '../borrowing.js';
import type { Closing, Earlier, Opening, RefusedItem, Sink } from '../contract.js';
import { type Count, nothing } from '../counts.js';
import { delegate } from '../delegate.js';
import { type BytePool, createBytePool } from '../growing-bytes.js';
import { createItemErrors, type ItemErrors, placeOf } from '../item-errors.js';
import { noticeOfAbsent } from './absent-lists.js';
import { type LeftLists, leftLists, listCheckpoint } from './list-checkpoints.js';
import { keyReason, type ListSettings } from './list-options.js';
import { createListSplitter, type ListSplitter } from './list-rows.js';
import type { ListItems, ListTable } from './row-tables.js';

interface ListsOptions extends ListSettings {
  /** The name of the sink in messages, such as `csv`. */
  readonly kind: string;
  readonly notify?: Notify | undefined;
  /** The rows of earlier runs stay. */
  readonly isAppending?: boolean;
  /** The sink replaces the rows of an item: each item begins its rows with one without an element. */
  readonly isMarked?: boolean;
}

/** What a sink needs so that a page of several data types counts as a whole, or not at all. */
export type PagedSink = Sink & Required<Pick<Sink, 'open' | 'resume' | 'commit' | 'rollback'>>;

/** A data type with lists that are tables. */
interface Owner {
  readonly dataType: string;
  /** Those that its jobs name. */
  readonly forms: Map<string, ListForm>;
  readonly splitter: ListSplitter;
  /** What the sink has of the page, by data type. */
  readonly page: Map<string, Count>;
  /** The lists that the sink has opened, and their checkpoints. */
  readonly lists: Map<string, Exact | undefined>;
  /** The batch that is written, and the indexes of the items that the sink gets of it. */
  current: { readonly batch: Batch; readonly kept: readonly number[] | undefined } | undefined;
  hasItems: boolean;
  /** The indexes of the items that the sink has refused. */
  readonly refused: Set<number>;
}

interface Run {
  readonly sink: PagedSink;
  readonly options: ListsOptions;
  readonly errors: ItemErrors;
  /** Has the memory of rows; absent: the sink keeps them. */
  readonly pool: BytePool | undefined;
  readonly owners: Map<string, Owner>;
  /** All data types of the run; those of lists have their owner. */
  readonly names: Map<string, string | undefined>;
  /** The lists of an earlier process, by the data type of their owner. */
  left: ReadonlyMap<string, LeftLists>;
  onItemError: Opening['onItemError'];
}

/** Writes rows of lists into tables of their own, where the options or the jobs say so. `sink` recovers by cutting. */
export function withLists(sink: PagedSink, options: ListsOptions): Sink {
  const run: Run = {
    sink,
    options,
    errors: createItemErrors(options.kind),
    pool: isBorrowing(sink.write) ? createBytePool() : undefined,
    owners: new Map(),
    names: new Map(),
    left: new Map(),
    onItemError: undefined,
  };
  const write: Sink['write'] = (batch, signal) => {
    const owner = run.owners.get(batch.dataType);
    return owner === undefined ? sink.write(batch, signal) : writeRows(run, owner, batch, signal);
  };
  return delegate(sink, {
    resume: (earlier) => resume(run, earlier),
    open: (dataType, job, opening) => open(run, dataType, job, opening),
    write: isBorrowing(sink.write) ? borrowing(write) : write,
    commit(page, signal) {
      const owner = run.owners.get(page.dataType);
      return owner === undefined ? sink.commit(page, signal) : commit(run, owner, page, signal);
    },
    async rollback(dataType) {
      await sink.rollback(dataType);
      const owner = run.owners.get(dataType);
      owner?.page.clear();
      for (const list of owner?.lists.keys() ?? []) await sink.rollback(list);
    },
    async close(closing) {
      await sink.close(withListsOf(run, closing));
      for (const { dataType, forms, splitter, hasItems } of run.owners.values()) {
        if (hasItems) noticeOfAbsent(dataType, { forms, paths: splitter.paths }, options.notify);
      }
    },
  });
}

async function resume(run: Run, earlier: Earlier): Promise<void> {
  const { sink, options } = run;
  run.owners.clear();
  run.names.clear();
  const { left, checkpoints } = leftLists(earlier.checkpoints, options);
  run.left = left;
  await sink.resume({ ...earlier, checkpoints });
}

async function open(run: Run, dataType: string, job: string, opening: Opening = {}): Promise<void> {
  const { sink, options, names, owners, left } = run;
  const owning = names.get(dataType);
  if (owning !== undefined) throw sameName(dataType, owning);
  names.set(dataType, undefined);
  run.onItemError = opening.onItemError ?? run.onItemError;
  run.errors.open(opening);
  await sink.open(dataType, job, {
    ...opening,
    ...(opening.onItemError && { onItemError: (each) => refuse(run, each) }),
  });
  const forms = opening.tables?.lists ?? new Map<string, ListForm>();
  const known = owners.get(dataType);
  for (const [path, form] of forms) known?.forms.set(path, form);
  if (known !== undefined || (options.depth === 0 && ![...forms.values()].includes('table'))) return;
  const owner = ownerOf(run, dataType, new Map(forms));
  owners.set(dataType, owner);
  const found = left.get(dataType) ?? new Map();
  owner.splitter.restore([...found.values()].map(({ place }) => place));
  for (const [list, { at }] of found) {
    await openList(run, owner, owner.splitter.tables.get(list), job);
    owner.lists.set(list, at);
  }
}

function ownerOf({ options, names, pool }: Run, dataType: string, forms: Map<string, ListForm>): Owner {
  const { depth, keys, isAppending = false, isMarked = false } = options;
  const splitter = createListSplitter({
    dataType,
    rules: { depth, forms },
    keys,
    isAppending,
    isMarked,
    pool,
    onTable({ dataType: list }) {
      if (names.has(list)) throw sameName(list, dataType);
      names.set(list, dataType);
    },
  });
  return {
    dataType,
    forms,
    splitter,
    page: new Map(),
    lists: new Map(),
    current: undefined,
    hasItems: false,
    refused: new Set(),
  };
}

async function openList({ sink }: Run, owner: Owner, table: ListTable | undefined, job: string): Promise<void> {
  if (table === undefined || owner.lists.has(table.dataType)) return;
  const { dataType, position } = table;
  owner.lists.set(dataType, undefined);
  await sink.open(dataType, job, { list: { owner: owner.dataType, reference: owner.splitter.reference, position } });
}

/** Writes the items of a batch, then the rows of their lists. */
async function writeRows(run: Run, owner: Owner, batch: Batch, signal: AbortSignal): Promise<void> {
  const { items, kept, keyless, lists } = owner.splitter.split(batch);
  if (batch.offset === 0) owner.page.clear();
  for (const index of keyless) await run.errors.refuse({ batch, index, reason: keyReason(run.options) });
  owner.refused.clear();
  owner.hasItems ||= batch.count > 0;
  owner.current = { batch, kept };
  const loans = [items, ...lists.map(({ rows }) => rows)].map(({ bytes }) => run.pool?.lend(bytes));
  try {
    await writeTo(run, owner, { ...batch, ...items }, signal);
    for (const list of lists) {
      await openList(run, owner, list.table, batch.job);
      const rows = owner.refused.size === 0 ? list.rows : rowsWithout(list, owner.refused);
      await writeTo(run, owner, { ...batch, ...rows, dataType: list.table.dataType, columns: undefined }, signal);
    }
  } finally {
    for (const end of loans) end?.();
  }
}

async function writeTo({ sink }: Run, { page }: Owner, batch: Batch, signal: AbortSignal): Promise<void> {
  const { dataType, bytes, count } = batch;
  if (count === 0) return;
  const before = page.get(dataType) ?? nothing;
  await sink.write(createBatch(batch, batch, before.items), signal);
  page.set(dataType, { items: before.items + count, bytes: before.bytes + bytes.length });
}

/** The rows of the items that the sink has accepted. */
function rowsWithout({ rows, itemOf }: ListItems, refused: ReadonlySet<number>): Items {
  const left = itemOf.flatMap((item, index) =>
    refused.has(item) ? [] : [rows.bytes.subarray(startOf(rows, index), startOf(rows, index + 1))],
  );
  return joinItems(left);
}

/** Reports a refused item as it was before its lists were taken out. A row of a list is no item: it ends the run. */
async function refuse({ owners, names, options, onItemError }: Run, given: RefusedItem): Promise<void> {
  const { batch, index, reason, cause } = given;
  const { dataType, job, page } = batch;
  if (names.get(dataType) !== undefined) {
    const message = `${options.kind}: ${placeOf(batch, index)} in the table "${dataType}" ${reason}`;
    throw new ExtractError('ERR_SINK', message, { job, page, cause });
  }
  const { current, refused } = owners.get(dataType) ?? {};
  if (current === undefined) return onItemError?.(given);
  const original = current.kept?.[index] ?? index;
  refused?.add(original);
  return onItemError?.({ ...given, batch: current.batch, index: original });
}

/** Commits the items of a page, then the rows of each list that it has. */
async function commit(run: Run, owner: Owner, ...[end, signal]: Parameters<PagedSink['commit']>) {
  const { sink, options } = run;
  const { page, lists, dataType, splitter } = owner;
  const endOf = (name: string) => {
    const { items, bytes } = page.get(name) ?? nothing;
    return { ...end, dataType: name, count: items, bytes };
  };
  const counted = [...page.keys()].filter((name) => name !== dataType);
  const at = await sink.commit(endOf(dataType), signal);
  for (const name of counted) lists.set(name, (await sink.commit(endOf(name), signal)) ?? undefined);
  page.clear();
  return at === undefined ? undefined : listCheckpoint(at, { lists, tables: splitter.tables }, options);
}

/** Lists are kept and complete as their items are. */
function withListsOf({ owners }: Run, closing: Closing | undefined): Closing | undefined {
  if (closing === undefined) return undefined;
  const { keep, complete } = closing;
  const all = (names: ReadonlySet<string>) =>
    new Set([...names].flatMap((name) => [name, ...(owners.get(name)?.lists.keys() ?? [])]));
  return { keep: all(keep), ...(complete === undefined ? {} : { complete: all(complete) }) };
}

const sameName = (dataType: string, owner: string): ExtractError =>
  new ExtractError('ERR_SINK', `"${dataType}" would be the table of a list of "${owner}", and of another data type`, {
    remedy: 'Set dataType of the job to another name, or use lists=json.',
  });
