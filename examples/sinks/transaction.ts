/** Recovery `transaction`: a log that stores the items of a page and its `keep` together, or neither. */
import { ExtractError } from 'rxtract';
import type { Sink } from 'rxtract/sinks';
import { createClient, Refused, textsOf } from './client.js';

export function log(url: string): Sink {
  const { call, mustBeOpen, end } = createClient(url);
  /** The items of the page of each data type that is not committed yet. */
  const open = new Map<string, readonly string[]>();
  let process = { run: '', epoch: 0 };

  return {
    name: 'log',
    recovery: 'transaction',
    async resume({ run, epoch, replaces }) {
      process = { run, epoch };
      await call('begin', { ...process, replaces }).catch((error) => {
        throw error instanceof Refused ? new ExtractError('ERR_RESUME', error.message) : error;
      });
    },
    positions: async () => new Map(Object.entries(await call('held', process))),
    async write(batch, signal) {
      mustBeOpen(signal);
      open.set(batch.dataType, [...(open.get(batch.dataType) ?? []), ...textsOf(batch)]);
    },
    async commit({ dataType, lane, keep }, signal) {
      const items = open.get(dataType) ?? [];
      open.delete(dataType); // The page ends here, also if no answer comes.
      await call('transaction', { ...process, dataType, items, lane, keep }, signal);
    },
    rollback: (dataType) => void open.delete(dataType),
    close: end,
    abort: end,
  };
}
