/** Finds the items of a batch that an existing table refuses, before they are staged. docs/decisions/029, 036. */
import { rm, writeFile } from 'node:fs/promises';
import type { Batch } from '../../src/core/model/batch.js';
import type { DuckdbDatabase } from './duckdb-client.js';
import type { LeafSlots } from './leaf-slots.js';
import type { LeaveOut } from './row-writer.js';
import { quoted } from './sql.js';
import type { StagedTable } from './staged-table.js';
import { keyColumns, type RowReason, reasonText, repeatedKey, ruledRows, type TableRules } from './table-rules.js';

/** Checks the items of one table. */
export interface ItemCheck {
  /** Why rows are refused, by their places among those of items, from 0. */
  refusedIn(rows: Uint8Array, slots: LeafSlots): Promise<ReadonlyMap<number, string>>;
  /** The rows of the page count. */
  commit(): void;
  /** Forgets the unique values since the last commit. */
  rollback(): Promise<void>;
}

interface Options {
  readonly database: DuckdbDatabase;
  readonly rules: TableRules;
  /** A file that is written and removed with each batch. */
  readonly draft: string;
}

/**
 * Begins to check. Unique values are kept in a temporary table: those of rows that stay, and of rows that an earlier
 * process has staged in `paths`.
 */
export async function createItemCheck(
  options: Options,
  staged: { readonly paths: readonly string[]; readonly slots: LeafSlots },
): Promise<ItemCheck> {
  const { database, rules } = options;
  let mark = 0;
  let committed = 0;
  for (const [index] of rules.unique.entries()) await createSeen(options, index);
  if (staged.paths.length > 0 && rules.unique.length > 0) await judge(options, staged, mark);
  return {
    async refusedIn(rows, slots) {
      mark += 1;
      await writeFile(options.draft, rows);
      try {
        return await judge(options, { paths: [options.draft], slots }, mark);
      } finally {
        await rm(options.draft, { force: true });
      }
    },
    commit() {
      committed = mark;
    },
    async rollback() {
      if (committed === mark) return;
      for (const [index] of rules.unique.entries()) {
        await database.run(`DELETE FROM ${seenOf(rules, index)} WHERE mark > ${committed}`);
      }
    },
  };
}

/** Why an item has no row. */
interface Refusal {
  readonly reason: string;
  readonly cause?: unknown;
}

/** The rows of the items that a table accepts, and why it refuses the others, by index. */
export async function leaveRefusedOut(
  table: Pick<StagedTable, 'encode' | 'count' | 'cut'>,
  batch: Batch,
  check: (rows: Uint8Array) => Promise<ReadonlyMap<number, string>>,
): Promise<{ readonly bytes: Uint8Array; readonly refused: ReadonlyMap<number, Refusal> }> {
  const refused = new Map<number, Refusal>();
  const leaveOut: LeaveOut = {
    has: (index) => refused.has(index),
    add: (index, cause) =>
      void refused.set(index, { reason: cause.message.replace(/^duckdb: (?:the item )?/, ''), cause }),
  };
  const before = table.count();
  const bytes = table.encode(batch, leaveOut);
  const rest = Array.from({ length: batch.count }, (_, index) => index).filter((index) => !refused.has(index));
  const found = rest.length === 0 ? new Map<number, string>() : await check(bytes);
  if (found.size === 0) return { bytes, refused };
  for (const [place, reason] of found) refused.set(rest[place] ?? 0, { reason });
  table.cut(before); // Columns of refused items are none.
  return { bytes: table.encode(batch, leaveOut), refused };
}

/** The temporary table with the values of a unique rule. */
const seenOf = ({ table }: TableRules, index: number): string => quoted(`rxtract seen ${index} ${table.name}`, 'table');

const isComplete = (keys: readonly { readonly name: string }[]): string =>
  keys.map(({ name }) => `${name} IS NOT NULL`).join(' AND ');

async function createSeen({ database, rules }: Options, index: number): Promise<void> {
  const keys = keyColumns(rules, rules.unique[index] ?? []);
  const seen = seenOf(rules, index);
  const columns = keys.map(({ type }, place) => `k${place} ${type}`).join(', ');
  const unique = keys.map((_, place) => `k${place}`).join(', ');
  await database.run(`CREATE OR REPLACE TEMP TABLE ${seen} (mark BIGINT, n BIGINT, ${columns}, UNIQUE (${unique}))`);
  if (rules.settings.mode !== 'append') return;
  const names = keys.map(({ name }) => name).join(', ');
  await database.run(
    `INSERT OR IGNORE INTO ${seen} SELECT 0, 0, ${names} FROM ${rules.table.target} WHERE ${isComplete(keys)}`,
  );
}

/** Judges the rows of files, and keeps the unique values of those that are accepted. */
async function judge(
  { database, rules }: Options,
  rows: { readonly paths: readonly string[]; readonly slots: LeafSlots },
  mark: number,
): Promise<ReadonlyMap<number, string>> {
  const { select, row, fault, reasons } = ruledRows(rules, rows);
  const refused = new Map<number, string>();
  const given = quoted(`rxtract given ${rules.table.name}`, 'table');
  const hasUnique = rules.unique.length > 0;
  if (hasUnique) await database.run(`CREATE OR REPLACE TEMP TABLE ${given} AS ${select}`);
  const source = hasUnique ? given : `(${select})`;
  for (const found of await database.rows(`SELECT ${row} AS n, ${fault} AS fault FROM ${source} WHERE ${fault} >= 0`)) {
    refused.set(Number(found.n) - 1, textOf(reasons[Number(found.fault)]));
  }
  for (const [index, columns] of rules.unique.entries()) {
    const keys = keyColumns(rules, columns);
    const accepted = `FROM ${given} WHERE ${fault} < 0 AND ${isComplete(keys)}`;
    const tried = await database.rows(`SELECT ${row} AS n ${accepted} ORDER BY ${row}`);
    const names = keys.map(({ name }) => name).join(', ');
    const kept = await database.rows(
      `INSERT OR IGNORE INTO ${seenOf(rules, index)} SELECT ${mark}, ${row}, ${names} ${accepted} ORDER BY ${row} RETURNING n`,
    );
    const isKept = new Set(kept.map(({ n }) => Number(n)));
    const repeated = tried.map(({ n }) => Number(n)).filter((n) => !isKept.has(n));
    if (repeated.length === 0) continue;
    for (const n of repeated) refused.set(n - 1, textOf(repeatedKey(rules.table, columns)));
    await forget({ database, rules }, { index, mark, given, row, fault, repeated });
  }
  if (hasUnique) await database.run(`DROP TABLE ${given}`);
  return refused;
}

const textOf = (reason: RowReason | undefined): string => (reason === undefined ? 'is refused' : reasonText(reason));

interface Repeated {
  readonly index: number;
  readonly mark: number;
  readonly given: string;
  readonly row: string;
  readonly fault: string;
  readonly repeated: readonly number[];
}

/** Rows that a unique rule refuses count for no other one. */
async function forget(
  { database, rules }: Pick<Options, 'database' | 'rules'>,
  { index, mark, given, row, fault, repeated }: Repeated,
): Promise<void> {
  const list = `(${repeated.join(', ')})`;
  await database.run(`UPDATE ${given} SET ${fault} = 0 WHERE ${row} IN ${list}`);
  for (let before = 0; before < index; before++) {
    await database.run(`DELETE FROM ${seenOf(rules, before)} WHERE mark = ${mark} AND n IN ${list}`);
  }
}
