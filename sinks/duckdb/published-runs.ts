/**
 * Which runs have published, or were replaced: the table `rxtract.published` of the database. Such a run is published
 * by no resume, and by no process that was suspended before it began.
 */
import type { Earlier } from '../contract.js';
import { hasEndedBefore } from '../servers/acknowledged.js';
import { fenceSeconds } from '../servers/fences.js';
import type { DuckdbDatabase } from './duckdb-client.js';
import { bookkeeping } from './duckdb-options.js';
import { literal } from './sql.js';

const marks = `"${bookkeeping}".published`;

/** The package that has the time is loaded with the first request. */
const clock = async (): Promise<number> => (await import('../servers/clock.js')).now();

/** Adds the runs. */
export async function markPublished(database: DuckdbDatabase, runs: readonly string[]): Promise<void> {
  if (runs.length === 0) return;
  const now = await clock();
  await database.run(`CREATE SCHEMA IF NOT EXISTS "${bookkeeping}"`);
  await database.run(`CREATE TABLE IF NOT EXISTS ${marks} (run VARCHAR, ended BIGINT)`);
  await database.run(`ALTER TABLE ${marks} ADD COLUMN IF NOT EXISTS ended BIGINT`);
  const rows = runs.map((run) => `(${literal(run)}, ${now})`);
  await database.run(`INSERT INTO ${marks} (run, ended) VALUES ${rows.join(', ')}`);
}

/**
 * Whether an earlier process of the run has published it. Throws ERR_RESUME if it has and this process would write.
 * Removes the marks of runs that ended some days ago, and have no folder: nothing can publish them again.
 */
export async function isPublishedBefore(
  database: DuckdbDatabase,
  { run, phase, isStored, replaces = [] }: Earlier,
  others: ReadonlySet<string>,
): Promise<boolean> {
  if (!isStored) return false;
  const rows = await database.rows(`SELECT * FROM ${marks}`).catch(() => []); // There is no such table.
  const oldest = (await clock()) - fenceSeconds * 1000;
  for (const { run: name, ended } of rows) {
    const isOld = name !== run && !others.has(String(name)) && Number(ended ?? 0) < oldest;
    if (isOld) await database.run(`DELETE FROM ${marks} WHERE run = ${literal(String(name))}`);
  }
  const isMarked = rows.some(({ run: name }) => name === run);
  if (isMarked && phase === 'writing') throw hasEndedBefore('duckdb', run);
  await markPublished(database, replaces);
  return isMarked;
}
