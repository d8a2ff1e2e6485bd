/** Counts and drops: how fast is the API, and how much is there? */
import { ExtractError } from '../src/core/errors/errors.js';
import { type Exact, ExactNumber, isArray } from '../src/core/json/exact.js';
import type { Sink } from './contract.js';
import { type Count, countAt, createTally } from './counts.js';
import { passThrough } from './pass-through.js';

/** Makes a sink that keeps nothing but the counts of its summary. */
export function nullSink(): Sink {
  const tally = createTally();
  return {
    ...passThrough({ name: 'null', output: 'dropped', tally, handOn() {} }),
    mark: (dataType) => ({ dataType, position: tally.at(dataType) }),
    rollback: (mark) => tally.reset(mark.dataType, countAt(mark)),
    durable: async () => {},
    guarantee: 'exactly once',
    resume({ checkpoints }) {
      const counts = [...checkpoints].map(([dataType, checkpoint]) => [dataType, countFrom(checkpoint)] as const);
      for (const [dataType, count] of counts) tally.reset(dataType, count);
    },
    async checkpoint(dataType) {
      const { items, bytes } = tally.at(dataType);
      return ['dropped', ...[items, bytes].map((count) => new ExactNumber(String(count)))];
    },
  };
}

/**
 * Reads what `checkpoint` said. Throws ERR_RESUME for that of another sink, whose items are not to be dropped half-way.
 */
function countFrom(value: Exact): Count {
  const [is, items, bytes] = isArray(value) ? value : [];
  if (is === 'dropped') return { items: Number(String(items)), bytes: Number(String(bytes)) };
  throw new ExtractError('ERR_RESUME', 'the checkpoint is not that of the sink `null`');
}
