/** Counts and drops items: measures the speed of an API and its amount of data. */
import { ExtractError } from '../src/core/errors/errors.js';
import { type Exact, ExactNumber, isArray } from '../src/core/json/exact.js';
import { borrowing } from './borrowing.js';
import type { Sink } from './contract.js';
import { type Count, createTally, nothing } from './counts.js';
import { digestedFile } from './digested-file.js';
import type { SinkEntry } from './entry.js';
import { passThrough } from './pass-through.js';

/** Creates a sink that keeps only the counts for its summary. */
export function nullSink(): Sink {
  const tally = createTally();
  const committed = new Map<string, Count>();
  let isStored = false;
  const passing = passThrough({ name: 'null', output: 'dropped', tally, handOn() {} });
  return {
    ...passing,
    write: borrowing(passing.write),
    name: 'null:',
    recovery: 'cut',
    resume({ isStored: isKept, checkpoints, members = new Map() }) {
      isStored = isKept;
      for (const ofMember of members.values()) {
        for (const [dataType, checkpoint] of ofMember) tally.increase(dataType, countFrom(checkpoint));
      }
      const counts = [...checkpoints].map(([dataType, checkpoint]) => [dataType, countFrom(checkpoint)] as const);
      for (const [dataType, count] of counts) {
        tally.reset(dataType, count);
        committed.set(dataType, count);
      }
    },
    commit({ dataType }) {
      const count = tally.at(dataType);
      committed.set(dataType, count);
      return isStored ? checkpointOf(count) : undefined;
    },
    rollback: (dataType) => tally.reset(dataType, committed.get(dataType) ?? nothing),
    durable: async () => {},
    file: digestedFile,
    leave: () => passing.close(),
  };
}

const checkpointOf = ({ items, bytes }: Count): Exact => [
  'dropped',
  ...[items, bytes].map((count) => new ExactNumber(String(count))),
];

/**
 * Reads a checkpoint. Throws ERR_RESUME for a checkpoint of another sink, because this sink would drop the remaining
 * items.
 */
function countFrom(value: Exact): Count {
  const [is, items, bytes] = isArray(value) ? value : [];
  if (is === 'dropped') return { items: Number(String(items)), bytes: Number(String(bytes)) };
  throw new ExtractError(
    'ERR_RESUME',
    'the state was kept with another sink than `null:`: give the --to of the first run',
  );
}

const noOptions = {};

export const nullEntry: SinkEntry<typeof noOptions> = {
  summary: 'counts items and drops them',
  address: { form: 'null:', target: 'nothing' },
  options: noOptions,
  code: 'nullSink()',
  recovery: 'cut',
  example: 'null:',
  create: () => nullSink(),
};
