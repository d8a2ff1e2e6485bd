/** Two jobs merged into batches of 40 rows, four inserts at a time, and no queue: the slow work is inside `pull`. */
import { setTimeout } from 'node:timers/promises';
import { bufferCount, from, lastValueFrom, merge, mergeMap, scan } from 'rxjs';
import { extract, type JobExtraction } from 'rxtract';
import { pull } from 'rxtract/operators';
import { type Event, events } from './sample.js';

async function insert(rows: readonly Event[]): Promise<number> {
  await setTimeout(5); // a database
  return rows.length;
}

/** The next batch is requested after all rows of this one are inserted. */
const inserted = (job: JobExtraction<Event>) =>
  pull(job.batches(), (batch) => from(batch.values()).pipe(bufferCount(40), mergeMap(insert, 4)));

const { jobs } = extract<Event>(events); // one login for both
const total = merge(...jobs.map(inserted)).pipe(scan((sum, rows) => sum + rows, 0));
console.log(`${await lastValueFrom(total)} rows`);
