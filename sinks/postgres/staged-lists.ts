/** A form of tables in which lists of items are tables too: their rows are stored in the transaction of their page. */
import { ExtractError } from '../../src/core/errors/errors.js';
import { type Exact, isArray, isObject } from '../../src/core/json/exact.js';
import { parseExact } from '../../src/core/json/exact-parse.js';
import type { Batch } from '../../src/core/model/batch.js';
import type { Notify } from '../../src/core/model/notice.js';
import { type ListForm, type ListForms, type ListRows, rowId } from '../../src/core/tables/list-rules.js';
import type { SinkOutput } from '../contract.js';
import { placeOf } from '../item-errors.js';
import { noticeOfAbsent } from '../related-tables/absent-lists.js';
import { keyReason, type ListSettings } from '../related-tables/list-options.js';
import { createListSplitter, type ListSplitter } from '../related-tables/list-rows.js';
import type { ListItems, ListPlace } from '../related-tables/row-tables.js';
import { isUpdating } from '../tables/keys.js';
import { dropForChange, type ForeignKey, makeForeignKeys } from './foreign-keys.js';
import {
  alignReferences,
  deleteGiven,
  deleteOrphans,
  keepLastRows,
  type OwnedRelation,
  readLists,
  storeList,
} from './list-relations.js';
import type { PostgresConnection } from './postgres-client.js';
import { isItemFault, itemFault, lineOf, refusalOf } from './postgres-errors.js';
import { literal } from './sql.js';
import { doesExist, type TableForm, type TableMode, type TargetTable } from './table.js';
import { columnName } from './typed-columns.js';

interface StagedListsOptions extends ListSettings {
  readonly mode: TableMode;
  /** Rows of items that are gone stay, as the items do. */
  readonly staysDeleted: boolean;
  /** Rows of lists have foreign keys to the table around. */
  readonly hasForeignKeys: boolean;
  readonly notify: Notify;
  /** The form of the rows of lists; that of the items has keys. */
  readonly rows: TableForm;
  readonly tableOf: (dataType: string, job: string) => TargetTable;
}

/** A data type with lists that are tables. */
interface Owner {
  readonly dataType: string;
  readonly forms: Map<string, ListForm>;
  readonly splitter: ListSplitter;
  hasItems: boolean;
  /** The lists with staging tables, by data type. */
  readonly prepared: Map<string, TargetTable>;
}

interface Run {
  readonly items: TableForm;
  readonly options: StagedListsOptions;
  /** Data types; those of lists have their owner. */
  readonly names: Map<string, string | undefined>;
  readonly owners: Map<string, Owner>;
  readonly published: Map<string, Pick<SinkOutput, 'dataType' | 'items'>>;
}

/** Adds the tables of lists to a form of tables. */
export function withListTables(items: TableForm, options: StagedListsOptions): TableForm {
  const run: Run = { items, options, names: new Map(), owners: new Map(), published: new Map() };
  const { rows } = options;
  return {
    choose: (dataType, forms) => choose(run, dataType, forms),
    async prepare(connection, table) {
      await items.prepare(connection, table);
      const owner = run.owners.get(table.name);
      if (owner !== undefined) await restore(run, owner, connection, table);
    },
    copy(connection, table, given) {
      const owner = run.owners.get(table.name);
      return owner === undefined
        ? items.copy(connection, table, given)
        : copyAll(run, owner, connection, table, given.batches ?? []);
    },
    statement: (table, given) => (run.owners.has(table.name) ? undefined : items.statement(table, given)),
    forget(table) {
      items.forget(table);
      run.owners.get(table.name)?.prepared.clear(); // Some of them may have been made in the same transaction.
    },
    async publish(connection, table, isComplete) {
      const owner = run.owners.get(table.name);
      if (owner === undefined) return items.publish(connection, table, isComplete);
      const lists = [...owner.splitter.tables.keys()].map((name) => options.tableOf(name, table.job));
      const earlier = await readLists(connection, table);
      const related = [table, ...lists, ...earlier.filter(({ name }) => !owner.splitter.tables.has(name))];
      const dropped = await dropForChange(connection, related, [table, ...lists]);
      await items.publish(connection, table, isComplete);
      await publishLists(run, owner, connection, table, { earlier, isComplete });
      const wanted = options.hasForeignKeys ? foreignKeysOf(run, owner, table) : [];
      await makeForeignKeys(connection, related, [...wanted, ...dropped]);
    },
    columns: (name) => items.columns(name),
    lists: () => [...run.published.values()].map((each) => ({ ...each, ...rows.columns(each.dataType) })),
  };
}

/** Throws ERR_SINK for a data type that has the name of a list. */
function choose({ options, names, owners }: Run, dataType: string, forms: ListForms): void {
  const owning = names.get(dataType);
  if (owning !== undefined) throw sameName(dataType, owning);
  names.set(dataType, undefined);
  const known = owners.get(dataType);
  for (const [path, form] of forms) known?.forms.set(path, form);
  if (known !== undefined || (options.depth === 0 && ![...forms.values()].includes('table'))) return;
  const own = new Map(forms);
  const splitter = splitterOf(options, names, dataType, own);
  owners.set(dataType, { dataType, forms: own, splitter, hasItems: false, prepared: new Map() });
}

function splitterOf(
  { depth, keys, mode }: StagedListsOptions,
  names: Run['names'],
  dataType: string,
  forms: ListForms,
): ListSplitter {
  return createListSplitter({
    dataType,
    rules: { depth, forms },
    keys,
    isAppending: mode === 'append',
    isMarked: isUpdating(mode),
    nameOf: (joined) => columnName([joined]),
    onTable({ dataType: list }) {
      if (names.has(list)) throw sameName(list, dataType);
      names.set(list, dataType);
    },
  });
}

/** Continues the lists that an earlier process of the run has staged: comments of their staging tables name them. */
async function restore(run: Run, owner: Owner, connection: PostgresConnection, table: TargetTable): Promise<void> {
  const { schema, name, staging, job } = table;
  const prefix = staging.slice(staging.lastIndexOf('.') + 2, staging.lastIndexOf('_') + 1);
  const { rows } = await connection.query(
    `SELECT obj_description(c.oid, 'pg_class') AS comment FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = relnamespace
     WHERE nspname = $1 AND starts_with(relname, $2) ORDER BY c.oid`,
    [schema, prefix],
  );
  const places = rows.flatMap(({ comment }) => placeIn(comment, name) ?? []);
  owner.splitter.restore(places);
  for (const list of owner.splitter.tables.values()) await prepareList(run, owner, connection, list.dataType, job);
}

/** The place of a list of a data type in the comment of a staging table. */
function placeIn(comment: unknown, owner: string): readonly [ListPlace] | undefined {
  const value: Exact = typeof comment === 'string' ? parseExact(comment) : null;
  if (!isObject(value) || value.get('owner') !== owner) return undefined;
  const place = value.get('place');
  const paths = isArray(place) ? place : [];
  return [paths.map((path) => (isArray(path) ? path.map(String) : []))];
}

async function prepareList(
  { options }: Run,
  { dataType: owner, prepared, splitter }: Owner,
  connection: PostgresConnection,
  list: string,
  job: string,
): Promise<TargetTable> {
  const known = prepared.get(list);
  if (known !== undefined) return known;
  const { addRules, ...table } = options.tableOf(list, job);
  // Of rows that replace earlier ones some are not published.
  const target = addRules === undefined || isUpdating(options.mode) ? table : { ...table, addRules };
  await options.rows.prepare(connection, target);
  const place = splitter.tables.get(list)?.place ?? [];
  await connection.query(`COMMENT ON TABLE ${target.staging} IS ${literal(JSON.stringify({ owner, place }))}`);
  prepared.set(list, target);
  return target;
}

/** Stores the items of a page, then the rows of their lists. Throws the fault of an item. */
async function copyAll(
  run: Run,
  owner: Owner,
  connection: PostgresConnection,
  table: TargetTable,
  batches: readonly Batch[],
): Promise<void> {
  const { items, options } = run;
  const [first] = batches;
  const chunks: Uint8Array[] = [];
  const lists: (readonly [ListItems, Batch])[] = [];
  for (const batch of batches) {
    const split = owner.splitter.split(batch);
    const [keyless] = split.keyless;
    if (keyless !== undefined) throw itemFault(`${placeOf(batch, keyless)} ${keyReason(options)}`);
    chunks.push(split.items.bytes);
    lists.push(...split.lists.map((each) => [each, batch] as const));
  }
  owner.hasItems = true;
  await items.copy(connection, table, { chunks, batches, offset: first?.offset ?? 0 });
  for (const [list, batch] of lists) {
    const target = await prepareList(run, owner, connection, list.table.dataType, table.job);
    await copyRows(options.rows, connection, target, list, batch);
  }
}

async function copyRows(
  form: TableForm,
  connection: PostgresConnection,
  target: TargetTable,
  { rows, itemOf }: ListItems,
  batch: Batch,
): Promise<void> {
  try {
    await form.copy(connection, target, { chunks: [rows.bytes], offset: 0 });
  } catch (thrown) {
    if (!isItemFault(thrown)) throw thrown;
    form.forget(target);
    const index = itemOf[(lineOf(thrown) ?? 0) - 1];
    const place = index === undefined ? 'an item' : placeOf(batch, index);
    throw itemFault(`${place} has a list with a row that ${refusalOf(target.shown, thrown)}`);
  }
}

/** Publishes the tables of the lists of items that are published. */
async function publishLists(
  run: Run,
  owner: Owner,
  connection: PostgresConnection,
  table: TargetTable,
  { earlier, isComplete }: { readonly earlier: readonly OwnedRelation[]; readonly isComplete: boolean },
): Promise<void> {
  const { options, published } = run;
  const { mode, rows, notify } = options;
  const { splitter, forms, hasItems } = owner;
  const items = { table, keys: keysOf(options) };
  for (const each of earlier) {
    if (isUpdating(mode)) await deleteGiven(connection, items, each);
    else if (mode === 'replace') await connection.query(`DELETE FROM ${each.target}`);
  }
  for (const { dataType, position } of splitter.tables.values()) {
    const target = options.tableOf(dataType, table.job);
    if (!(await doesExist(connection, target.staging))) continue;
    const list: ListRows = { owner: table.name, reference: splitter.reference, position };
    if (isUpdating(mode)) {
      const isOther = !earlier.some(({ name }) => name === dataType) && (await doesExist(connection, target.target));
      if (isOther) await deleteGiven(connection, items, { ...target, reference: list.reference });
      await keepLastRows(connection, target, list);
    }
    await alignReferences(connection, items, target, list);
    const { rows: counted } = await connection.query(`SELECT count(*)::text AS rows FROM ${target.staging}`);
    await rows.publish(connection, target, false);
    await storeList(connection, target, list);
    published.set(dataType, { dataType, items: Number(counted[0]?.rows) });
  }
  if (mode === 'mirror' && isComplete && !options.staysDeleted) {
    for (const each of await readLists(connection, table)) await deleteOrphans(connection, items, each);
  }
  if (hasItems) noticeOfAbsent(table.name, { forms, paths: splitter.paths }, notify);
}

const keysOf = ({ keys }: ListSettings) => (keys.length === 0 ? [[rowId]] : keys);

/** Rows of a list in a list refer to those of the list around, others to the items. */
function foreignKeysOf({ options }: Run, { splitter }: Owner, table: TargetTable): readonly ForeignKey[] {
  const { tables } = splitter;
  const reference = splitter.reference.map((name) => columnName([name]));
  return [...tables.values()].map(({ dataType, place, positions }) => {
    const child = options.tableOf(dataType, table.job);
    const around = [...tables.values()].find(
      ({ place: { length }, positions: outer }) =>
        length === place.length - 1 && outer.every((name, index) => name === positions[index]),
    );
    if (around === undefined)
      return { child, parent: table, columns: reference, keys: keysOf(options).map(columnName) };
    const columns = [...reference, ...around.positions.map((name) => columnName([name]))];
    return { child, parent: options.tableOf(around.dataType, table.job), columns, keys: columns };
  });
}

const sameName = (dataType: string, owner: string): ExtractError =>
  new ExtractError('ERR_SINK', `"${dataType}" would be the table of a list of "${owner}", and of another data type`, {
    remedy: 'Set dataType of the job to another name, or use lists=json.',
  });
