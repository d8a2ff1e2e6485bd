/** The client library of DuckDB: the part that is used, and an opened database. */
import { access, constants, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ExtractError } from '../../src/core/errors/errors.js';
import { systemError } from '../../src/core/errors/system-error.js';
import { makeFolder } from '../../src/core/util/make-folder.js';
import { refused } from '../errors.js';
import { loadClient } from '../servers/load-client.js';
import { duckdbError, isOtherVersion } from './duckdb-errors.js';

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
  /** The version of DuckDB, such as `v1.5.5`. */
  version(): string;
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
  const { DuckDBInstance, version } = await loadClient<DuckdbLibrary>('@duckdb/node-api', 'duckdb:', duckdbPackages);
  await makeFolderFor(file);
  await refuseOtherFile(file);
  try {
    const instance = await DuckDBInstance.fromCache(file, settings);
    return databaseOf(instance, await instance.connect());
  } catch (thrown) {
    const versions = isOtherVersion(thrown) ? await versionsOf(file, version()) : '';
    throw duckdbError({ action: `open the database "${file}"${versions}` }, thrown);
  }
}

/** Makes the folder of a database: DuckDB makes its file only. Rejects with ERR_SINK. */
async function makeFolderFor(file: string): Promise<void> {
  await makeFolder(dirname(file)).catch((thrown: unknown) => {
    throw refused(`create the folder "${dirname(file)}"`, thrown);
  });
}

/** Rejects with ERR_SINK if a new database cannot be made there, in a folder that may be missing. Changes nothing. */
export async function mustBeWritable(file: string): Promise<void> {
  try {
    let folder = dirname(file);
    while (await isMissing(folder)) folder = dirname(folder);
    await access(folder, constants.W_OK);
  } catch (thrown) {
    throw refused(`create the database "${file}"`, thrown);
  }
}

/** Rejects with an error of the system if something above it is no folder, or cannot be searched. */
async function isMissing(folder: string): Promise<boolean> {
  const found = await stat(folder).catch((thrown: unknown) => {
    if (systemError(thrown)?.code === 'ENOENT' && dirname(folder) !== folder) return undefined;
    throw thrown;
  });
  return found === undefined;
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

/** The versions of DuckDB that wrote and that reads a database. Files of old ones do not name theirs. */
async function versionsOf(file: string, reader: string): Promise<string> {
  const head = await headOf(file);
  const writer = head.toString('latin1', 52).replace(/\0.*$/s, '');
  const storage = head.readBigUInt64LE(12);
  return ` of ${writer === '' ? 'an old DuckDB' : `DuckDB ${writer}`} (storage version ${storage}) with DuckDB ${reader}`;
}

/** The beginning: a checksum of 8 bytes, `DUCK`, the storage version in 8, flags in 32, the version of DuckDB in 32. */
async function headOf(file: string): Promise<Buffer> {
  const handle = await open(file, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(84), 0, 84, 0);
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
