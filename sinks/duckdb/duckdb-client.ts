/** The client library of DuckDB: the part that is used, and an opened database. */
import { open } from 'node:fs/promises';
import { ExtractError } from '../../src/core/errors/errors.js';
import { loadClient } from '../servers/load-client.js';
import { duckdbError } from './duckdb-errors.js';

export interface DuckdbDatabase {
  /** Runs one statement. Rejects with an error of DuckDB. */
  run(sql: string): Promise<void>;
  /** The rows of a statement, by the names of their columns. Integers of 8 bytes are `bigint`. */
  rows(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** Does the work in one transaction, which a failure rolls back. */
  transaction(work: () => Promise<void>): Promise<void>;
  /** Closes it, and so releases the file. A second call does nothing. */
  close(): void;
}

interface DuckdbConnection {
  run(sql: string): Promise<unknown>;
  runAndReadAll(sql: string): Promise<{ getRowObjectsJS(): readonly Readonly<Record<string, unknown>>[] }>;
  closeSync(): void;
}

interface DuckdbInstance {
  connect(): Promise<DuckdbConnection>;
  closeSync(): void;
}

/** `@duckdb/node-api` 1; its own types are those of an optional package. */
interface DuckdbLibrary {
  readonly DuckDBInstance: {
    fromCache(path: string, options: Readonly<Record<string, string>>): Promise<DuckdbInstance>;
  };
}

/** The packages to install. */
export const duckdbPackages: readonly string[] = ['@duckdb/node-api'];

/** One thread keeps memory small and the order of rows. No extension is loaded from the network. */
const settings = {
  threads: '1',
  autoinstall_known_extensions: 'false',
  autoload_known_extensions: 'false',
  custom_user_agent: 'rxtract',
};

/**
 * Opens a database file, and creates it if it is missing. Sinks of one process share it; other processes cannot open it
 * until it is closed. Rejects with ERR_SINK.
 */
export async function openDatabase(file: string): Promise<DuckdbDatabase> {
  const { DuckDBInstance } = await loadClient<DuckdbLibrary>('@duckdb/node-api', 'duckdb:', duckdbPackages);
  await refuseOtherFile(file);
  try {
    const instance = await DuckDBInstance.fromCache(file, settings);
    return databaseOf(instance, await instance.connect());
  } catch (thrown) {
    throw duckdbError({ action: `open the database "${file}"` }, thrown);
  }
}

/**
 * Rejects with ERR_SINK if the file has content that is no database. DuckDB itself opens a CSV, JSON or Parquet file as
 * a database in memory: rows written there are lost. What cannot be read here is left to DuckDB.
 */
async function refuseOtherFile(file: string): Promise<void> {
  const head = await headOf(file).catch(() => Buffer.alloc(0));
  if (head.length === 0 || head.toString('latin1', 8, 12) === 'DUCK') return;
  throw new ExtractError('ERR_SINK', `duckdb: cannot open the database "${file}": the file is no database of DuckDB`, {
    remedy: 'Give the name of a DuckDB database, or of a new file. The file was not changed.',
  });
}

/** The first 12 bytes: a checksum, and what marks a database. */
async function headOf(file: string): Promise<Buffer> {
  const handle = await open(file, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(12), 0, 12, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

function databaseOf(instance: DuckdbInstance, connection: DuckdbConnection): DuckdbDatabase {
  let isOpen = true;
  const run = async (sql: string) => void (await connection.run(sql));
  return {
    run,
    rows: async (sql) => (await connection.runAndReadAll(sql)).getRowObjectsJS(),
    async transaction(work) {
      await run('BEGIN TRANSACTION');
      try {
        await work();
        await run('COMMIT');
      } catch (thrown) {
        await run('ROLLBACK').catch(() => {}); // A failed commit has ended it.
        throw thrown;
      }
    },
    close() {
      if (!isOpen) return;
      isOpen = false;
      connection.closeSync();
      instance.closeSync();
    },
  };
}
