/**
 * Items that are not what a table expects, for each kind of table: an error with the job and the page, after which
 * nothing is published, or the columns of the tables.
 */
import * as assert from 'uvu/assert';
import { ExtractError } from '../../../src/core/errors/errors.js';
import { run } from '../../../src/run/extract.js';
import { rawJson, startApi } from '../../loopback/api.js';
import { configOf } from '../../support/mock-network.js';

/** The columns of each table; of more than 20 their number. */
export type Published = Readonly<Record<string, readonly string[] | number>>;

type Outcome = Published | RegExp;

export const badItemSinks = ['csv', 'parquet', 'duckdb', 'postgres', 'tables'] as const;

type Outcomes = Readonly<Record<(typeof badItemSinks)[number], Outcome>>;

export interface BadItems {
  readonly what: string;
  /** The items of the second page, as JSON. The first page has `{"id":1,"l":[{"a":1}]}`. */
  readonly items: string;
  readonly outcomes: Outcomes;
}

const rows = (...columns: readonly string[]) => ['id', ...columns];
const lines = (...columns: readonly string[]) => ['rows__id', 'l__position', 'a', ...columns];
/** As in `tables:`, where columns that were added come last. */
const owned = (...columns: readonly string[]) => ['a', ...columns, 'JSON_parentId'];

/** One outcome of all kinds but `tables:`. */
const alike = (outcome: Outcome, tables: Outcome, others: Partial<Outcomes> = {}): Outcomes => ({
  ...{ csv: outcome, parquet: outcome, duckdb: outcome, postgres: outcome },
  ...others,
  tables,
});

const usual = { rows: rows(), rows__l: lines() };
const keyless = /ERR_SINK .* item 0 of the page \(from 0\) has a list, and no value at "id"/;
const [long, wide] = ['n'.repeat(200), Array.from({ length: 10_000 }, (_, index) => `c${index}`)];

export const badItems: readonly BadItems[] = [
  {
    what: 'two lists that would be one table',
    items: '[{"id":2,"m__n":[1],"m":{"n":[3]}}]',
    outcomes: alike(/ERR_SINK .*the lists "m__n" and "m\.n" would be one table, "rows__m__n" \(item 0 of the page/, {
      rows: rows('l', 'm_n', 'm_n_u0'),
      rows_l: owned(),
      rows_m_n: ['data', 'JSON_parentId'],
    }),
  },
  {
    what: 'a member with the name of a column that refers to its item',
    items: '[{"id":2,"l":[{"rows__id":5,"JSON_parentId":6}]}]',
    outcomes: alike(/ERR_SINK .*the member "rows__id" has the name of a column .*\(item 0 of the page/, {
      rows: rows('l'),
      rows_l: ['a', 'rows_id', 'JSON_parentId', 'JSON_parentId_u0'],
    }),
  },
  {
    what: 'a list in an item without the key',
    items: '[{"l":[{"a":2}]}]',
    outcomes: alike(keyless, { rows: rows('l'), rows_l: owned() }),
  },
  {
    what: 'an item that is a list',
    items: '[[1,2]]',
    outcomes: alike(keyless, /ERR_TABLE an item of "rows" is a single value, and was an object/),
  },
  {
    what: 'a list in lists of lists',
    items: '[{"id":2,"m":[[[1,2],[3]],[]]}]',
    outcomes: alike(
      {
        ...usual,
        rows__m: ['rows__id', 'm__position'],
        rows__m__value: ['rows__id', 'm__position', 'm__value__position'],
        rows__m__value__value: ['rows__id', 'm__position', 'm__value__position', 'm__value__value__position', 'value'],
      },
      { rows: rows('l', 'm'), rows_l: owned(), rows_m: ['data', 'JSON_parentId'] },
    ),
  },
  {
    what: '10,000 columns',
    items: JSON.stringify([{ id: 2, ...Object.fromEntries(wide.map((name) => [name, 1])) }]),
    outcomes: alike(
      { rows: 10_001, rows__l: lines() },
      { rows: 10_002, rows_l: owned() },
      { postgres: /ERR_SINK .*item 0 of the page .*a table can have 1,600 columns at the most/ },
    ),
  },
  {
    what: 'a list that is a single value in the next item',
    items: '[{"id":2,"l":5}]',
    outcomes: alike(
      { rows: rows('l'), rows__l: lines() },
      /ERR_TABLE "l" of "rows" is a single value, and was an object in an earlier item/,
    ),
  },
  {
    what: 'names that are SQL, with quotes',
    items: '[{"id":2,"a\\"; DROP TABLE rows; --":1,"l":[{"select":1,"it\'s":2}]}]',
    outcomes: alike(
      { rows: rows('a"; DROP TABLE rows; --'), rows__l: lines('select', "it's") },
      { rows: rows('l', 'a_DROP_TABLE_rows_--'), rows_l: owned('select', 'it_s') },
    ),
  },
  {
    what: 'a name of 200 characters',
    items: `[{"id":2,"${long}":1,"l":[{"${long}":1}]}]`,
    outcomes: alike(
      { rows: rows(long), rows__l: lines(long) },
      { rows: rows('l', 'd58bebdc51a3a10cfe69156b0e3f0c5a'), rows_l: owned('d58bebdc51a3a10cfe69156b0e3f0c5a') },
      {
        postgres: {
          rows: rows(`${'n'.repeat(54)}_1be63cc0`),
          rows__l: lines(`${'n'.repeat(54)}_1be63cc0`),
        },
      },
    ),
  },
  {
    what: 'an empty name',
    items: '[{"id":2,"":1,"l":[{"":2}]}]',
    outcomes: alike(
      { rows: rows('_'), rows__l: lines('_') },
      { rows: rows('l', '948a13f1eb402f8ff16472e217608fb6'), rows_l: owned('948a13f1eb402f8ff16472e217608fb6') },
      { csv: { rows: rows(''), rows__l: lines('') }, parquet: { rows: rows('C1'), rows__l: lines('C3') } }, // DuckDB names them by their places.
    ),
  },
  {
    what: 'the names __proto__ and constructor',
    items: '[{"id":2,"__proto__":1,"l":[{"constructor":1}]}]',
    outcomes: alike(
      { rows: rows('__proto__'), rows__l: lines('constructor') },
      { rows: rows('l', 'proto'), rows_l: owned('constructor') },
    ),
  },
];

/** Pulls both pages into a destination, and compares what came of it with one of the outcomes. */
export async function mustEnd(items: string, expected: Outcome, to: string, read: () => Promise<Published>) {
  const pages = ['[{"id":1,"l":[{"a":1}]}]', items];
  const server = await startApi((_, index) => rawJson(pages[index] ?? '[]'));
  try {
    const api = { baseUrl: `${server.origin}/`, pagination: { method: 'pagenum' } };
    const running = run(configOf([{ endpoint: 'rows', dataType: 'rows' }], api), { to });
    const thrown: unknown = await running.then(
      () => undefined,
      (error: unknown) => error,
    );
    if (!(expected instanceof RegExp)) {
      if (thrown !== undefined) throw thrown;
      return assert.equal(await read(), expected);
    }
    if (!(thrown instanceof ExtractError)) throw thrown ?? new Error(`published: ${JSON.stringify(await read())}`);
    assert.match(`${thrown.code} ${thrown.message}`, expected);
    assert.equal([thrown.where.job, thrown.where.page], ['rows', 1], thrown.message);
    assert.equal(await read(), {});
  } finally {
    await server.close();
  }
}

export const shortened = (columns: readonly string[]): readonly string[] | number =>
  columns.length > 20 ? columns.length : columns;
