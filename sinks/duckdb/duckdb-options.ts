/** The options of the address of a DuckDB sink. */

import { resolve } from 'node:path';
import { usageError } from '../../src/core/util/check-value.js';
import type { AddressOptions, SinkAddress } from '../addresses/address.js';
import { flagOption, textOption, wordOption } from '../addresses/server-address.js';
import { readKeys, tableOptions } from '../tables/keys.js';
import { nameFault } from './sql.js';

/** The options of its address. */
export const duckdbOptions = {
  ...tableOptions,
  columns: {
    summary:
      '`typed`: a column for each text, number, boolean and list of the items; `item`: one column with the JSON of the item',
    type: '`typed` or `item`',
    default: 'typed',
  },
  schema: { summary: 'the schema of the tables', type: 'a name', default: 'main' },
  create: {
    summary: 'create the database, schema, tables and columns that are missing',
    type: '`true` or `false`',
    default: 'true',
  },
} as const satisfies AddressOptions;

export interface DuckdbSettings {
  /** The absolute path of the database. */
  readonly file: string;
  /** The path as it was given. */
  readonly shown: string;
  readonly schema: string;
  readonly mode: 'replace' | 'append' | 'merge';
  /** A column for each leaf, and not one for the item. */
  readonly isTyped: boolean;
  readonly keys: readonly (readonly string[])[];
  readonly mayCreate: boolean;
}

/** Reads the options. Throws ERR_USAGE. */
export function duckdbSettings(file: string, address: SinkAddress): DuckdbSettings {
  if (/^:memory:|^(?:md|motherduck|s3|https?|gcs|r2|az):/.test(file)) {
    throw usageError(`duckdb: expected a file, found "${file}". Write the path of a file, as in duckdb:out.db`);
  }
  const schema = textOption(address, 'schema') ?? 'main';
  const fault = nameFault(schema);
  if (fault !== undefined)
    throw usageError(`duckdb: ${JSON.stringify(schema)} cannot be the name of a schema: ${fault}`);
  if (schema === bookkeeping) throw usageError(`duckdb: the schema "${bookkeeping}" is taken: choose another name`);
  const mode = wordOption(address, 'mode', ['replace', 'append', 'merge']) ?? 'replace';
  return {
    file: resolve(file),
    shown: file,
    schema,
    mode,
    isTyped: wordOption(address, 'columns', ['typed', 'item']) !== 'item',
    keys: readKeys('duckdb', address, mode === 'merge'),
    mayCreate: flagOption(address, 'create', true),
  };
}

/** The schema of the table with published runs. */
export const bookkeeping = 'rxtract';
