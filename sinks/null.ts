/** Counts and drops: how fast is the API, and how much is there? */
import type { Sink } from '../src/types.js';
import { nowhere, standingAsExact, standingFrom } from './continued-file.js';
import { passingOn } from './passing-on.js';
import { countAt, createTally } from './tally.js';

/** Makes a sink that keeps nothing but the counts of its summary. */
export function nullSink(): Sink {
  const tally = createTally();
  return {
    ...passingOn({ name: 'null', output: 'dropped', tally, handOn() {} }),
    mark: (dataType) => ({ dataType, position: tally.at(dataType) }),
    rollback: (mark) => tally.reset(mark.dataType, countAt(mark)),
    durable: async () => {},
    guarantee: 'exactly once',
    resume({ checkpoints }) {
      for (const [dataType, checkpoint] of checkpoints) {
        const { items, bytes } = standingFrom(checkpoint);
        tally.reset(dataType, { items, bytes });
      }
    },
    checkpoint: async (dataType) => standingAsExact({ ...nowhere, ...tally.at(dataType) }),
  };
}
