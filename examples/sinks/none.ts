/** Recovery `none`: a list that can only be appended to. After a crash the items of a page may arrive again. */
import type { Sink } from 'rxtract/sinks';
import { createClient, textsOf } from './client.js';

export function appendedList(url: string): Sink {
  const { call, end } = createClient(url);
  return {
    name: 'list',
    async write(batch, signal) {
      await call('append', { dataType: batch.dataType, items: textsOf(batch) }, signal);
    },
    close: end,
    abort: end,
  };
}
