/** Recovery `ids`: a queue that drops a message whose id it has had. An item that arrives again has the same id. */
import { messageIds, type Sink } from 'rxtract/sinks';
import { createClient, textsOf } from './client.js';

const oneHour = 3_600_000;

export function queue(url: string): Sink {
  const { call, end } = createClient(url);
  return {
    name: 'queue',
    recovery: 'ids',
    window: oneHour,
    async write(batch, signal) {
      const ids = messageIds(batch);
      const messages = textsOf(batch).map((item, index) => ({ id: ids[index], item }));
      await call('send', { dataType: batch.dataType, messages }, signal);
    },
    close: end,
    abort: end,
  };
}
