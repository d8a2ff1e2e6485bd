/** A table while its rows are staged: its slots at the last commit and now. */
import type { Batch } from '../../src/core/model/batch.js';
import type { Notify } from '../../src/core/model/notice.js';
import type { ListRows } from '../../src/core/tables/list-rules.js';
import { type Count, nothing } from '../counts.js';
import type { BytePool } from '../growing-bytes.js';
import { warnOfSurrogates } from '../lone-surrogates.js';
import { createColumnNames } from './column-names.js';
import type { DuckdbSettings } from './duckdb-options.js';
import type { ExistingTable } from './existing-table.js';
import { columnName, createLeafSlots, type LeafSlots, type Note } from './leaf-slots.js';
import { createSlotRows, type LeaveOut } from './row-writer.js';
import { type DuckdbTable, mustHold } from './target-table.js';

export interface StagedTable {
  readonly target: DuckdbTable;
  /** The target before this run; undefined: there is none. */
  readonly found: ExistingTable | undefined;
  readonly slots: LeafSlots;
  readonly settings: DuckdbSettings;
  /** Its rows are those of a list. Absent: of items. */
  readonly list?: ListRows | undefined;
  /** The rows of a batch. Throws ERR_SINK with the place of an item that the table cannot hold, unless left out. */
  encode(batch: Batch, leaveOut?: LeaveOut): Buffer;
  /** So many items, with these bytes, were accepted. */
  taken(count: Count): void;
  /** How many notes there are. */
  count(): number;
  /** Forgets the notes from an index on. */
  cut(count: number): void;
  /** Ends the page, and returns its items. */
  commit(): Count;
  rollback(): void;
  /** `restore` was called. */
  isReady(): boolean;
  /** Continues with the notes of an earlier process. */
  restore(notes: readonly Note[]): void;
}

interface Options extends Pick<StagedTable, 'target' | 'found' | 'settings' | 'list'> {
  readonly notify: Notify;
  /** Has the memory of encoded rows; absent: those of each batch have their own. */
  readonly pool?: BytePool;
}

/** Starts without rows. */
export function createStagedTable({ target, found, settings, list, notify, pool }: Options): StagedTable {
  const { isTyped, findsForms, keys } = settings;
  const nameOf = isTyped ? columnName : () => 'item';
  const names = createColumnNames(found, isTyped ? keys.map(columnName) : []);
  const slots = createLeafSlots({ nameOf, names, findsForms, what: `the table "${target.shown}"` });
  const writer = createSlotRows({
    slots,
    keys,
    pool,
    isWhole: !isTyped,
    onLoneSurrogate: warnOfSurrogates(target.name, notify),
    onSlot(slot) {
      const leaf = slots.slots[slot]?.leaf;
      if (leaf === undefined || !isTyped) return;
      for (const each of slots.sameButCase(leaf)) mustHold(target, found, each, slots, settings);
    },
  });
  let page: Count = nothing;
  let committed = 0;
  let isReady = false;
  const cut = (count: number) => {
    if (count === slots.count()) return;
    slots.cut(count);
    writer.forget();
  };
  return {
    target,
    found,
    slots,
    settings,
    list,
    cut,
    encode: writer.encode.bind(writer),
    count: () => slots.count(),
    taken({ items, bytes }) {
      page = { items: page.items + items, bytes: page.bytes + bytes };
    },
    commit() {
      const ended = page;
      page = nothing;
      committed = slots.count();
      return ended;
    },
    rollback() {
      page = nothing;
      cut(committed);
    },
    isReady: () => isReady,
    restore(notes) {
      for (const note of notes) slots.add(note);
      committed = slots.count();
      isReady = true;
    },
  };
}
