/** Recovery `cut`: a table that is filled aside. A resume deletes the rows after the last commit that the run knows. */
import { ExtractError } from 'rxtract';
import type { Sink } from 'rxtract/sinks';
import { createClient, Refused, textsOf } from './client.js';

export function stagedTable(url: string): Sink {
  const { call, end } = createClient(url);
  /** How many rows each data type has, and how many of them are committed. */
  const rows = new Map<string, number>();
  const committed = new Map<string, number>();
  let process = { run: '', epoch: 0 };

  return {
    name: 'table',
    recovery: 'cut',
    async resume({ run, epoch, replaces, checkpoints }) {
      process = { run, epoch };
      const ends = Object.fromEntries([...checkpoints].map(([dataType, end]) => [dataType, Number(end)]));
      await call('stage', { ...process, replaces, ends }).catch((error) => {
        throw error instanceof Refused ? new ExtractError('ERR_RESUME', error.message) : error;
      });
      for (const [dataType, end] of Object.entries(ends)) {
        rows.set(dataType, end);
        committed.set(dataType, end);
      }
    },
    async write(batch, signal) {
      const { dataType, count } = batch;
      const at = rows.get(dataType) ?? 0;
      await call('insert', { ...process, dataType, at, items: textsOf(batch) }, signal);
      rows.set(dataType, at + count);
    },
    commit({ dataType }) {
      const at = rows.get(dataType) ?? 0;
      committed.set(dataType, at);
      return String(at);
    },
    async rollback(dataType) {
      const at = committed.get(dataType) ?? 0;
      await call('delete', { ...process, dataType, at });
      rows.set(dataType, at);
    },
    async close() {
      await call('publish', process);
      end();
    },
    abort: end,
  };
}
