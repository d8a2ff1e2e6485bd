/** The options of a DuckDB sink, and what follows from them. */

import { resolve } from 'node:path';
import type { OptionRows, OptionsOf } from '../../src/core/options/kind.js';
import { flag, nonEmptyText, word } from '../../src/core/options/kinds.js';
import { usageError } from '../../src/core/util/check-value.js';
import { type ListSettings, listRows, listSettingsOf } from '../related-tables/list-options.js';
import { isKeyed, mustBeMirror, type RowsMode, readKeys, tableOptions } from '../tables/keys.js';
import { typeOptions } from '../tables/text-forms.js';
import { nameFault } from './sql.js';

export const duckdbOptions = {
  file: { kind: nonEmptyText, summary: 'the database; it is created if it is missing', required: true },
  ...tableOptions,
  columns: {
    kind: word('typed', 'item'),
    summary:
      '`typed`: a column for each text, number, boolean and list of the items; `item`: one column with the JSON of the item',
    default: 'typed',
  },
  ...typeOptions,
  ...listRows,
  schema: { kind: nonEmptyText, summary: 'the schema of the tables', default: 'main' },
  create: {
    kind: flag,
    summary: 'create the database, schema, tables and columns that are missing',
    default: true,
  },
} as const satisfies OptionRows;

export interface DuckdbSettings {
  /** The absolute path of the database. */
  readonly file: string;
  /** The path as it was given. */
  readonly shown: string;
  readonly schema: string;
  readonly mode: RowsMode;
  /** A column for each leaf, and not one for the item. */
  readonly isTyped: boolean;
  /** Texts of one form have a type. */
  readonly findsForms: boolean;
  readonly keys: readonly (readonly string[])[];
  readonly lists: ListSettings;
  /** With `mirror`: the column for the time when a row was found missing. */
  readonly deleted: string | undefined;
  readonly mayCreate: boolean;
}

/** Throws ERR_USAGE for options that do not go together. */
export function duckdbSettings(options: OptionsOf<typeof duckdbOptions>): DuckdbSettings {
  const { file, schema, mode, key, columns, types, create, deleted } = options;
  mustBeMirror('duckdb', options);
  const lists = listSettingsOf('duckdb', options);
  if (/^:memory:|^(?:md|motherduck|s3|https?|gcs|r2|az):/.test(file)) {
    throw usageError(`duckdb: expected a file, found "${file}". Write the path of a file, as in duckdb:out.db`);
  }
  const fault = nameFault(schema);
  if (fault !== undefined)
    throw usageError(`duckdb: ${JSON.stringify(schema)} cannot be the name of a schema: ${fault}`);
  if (schema === bookkeeping) throw usageError(`duckdb: the schema "${bookkeeping}" is taken: choose another name`);
  return {
    file: resolve(file),
    shown: file,
    schema,
    mode,
    isTyped: columns === 'typed',
    findsForms: types === 'auto',
    keys: isKeyed(mode) || lists.depth === 0 ? readKeys('duckdb', key, mode) : [],
    lists,
    deleted,
    mayCreate: create,
  };
}

/** The schema of the table with published runs. */
export const bookkeeping = 'rxtract';
