/** The client library of DuckDB: the part that is used, and an opened database. */
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
  try {
    const instance = await DuckDBInstance.fromCache(file, settings);
    return databaseOf(instance, await instance.connect());
  } catch (thrown) {
    throw duckdbError({ action: `open the database "${file}"` }, thrown);
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
