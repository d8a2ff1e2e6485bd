/** Counts and drops: how fast is the API, and how much is there? */
import type { Sink } from '../src/types.js';
import { hasEnded, throwIfAborted } from './refusal.js';
import { countAt, createTally } from './tally.js';

/** Makes a sink that keeps nothing but the counts of its summary. */
export function nullSink(): Sink {
  const tally = createTally();
  let ended = false;
  const end = () => {
    ended = true;
  };

  return {
    open: (dataType) => tally.open(dataType),
    async write(batch, signal) {
      if (ended) throw hasEnded('null');
      throwIfAborted(signal);
      tally.add(batch);
    },
    mark: (dataType) => ({ dataType, position: tally.at(dataType) }),
    rollback: (mark) => tally.reset(mark.dataType, countAt(mark)),
    durable: async () => {},
    close: end,
    abort: end,
    summary: () => tally.summary(() => 'dropped'),
  };
}
