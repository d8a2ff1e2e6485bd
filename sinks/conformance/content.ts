/** Rules on content: items arrive complete, in order and byte for byte. */
import type { Batch } from '../../src/core/model/batch.js';
import type { Rule } from './bench.js';
import { linesOf, mustEqual } from './items.js';
import { awkward, large, numbered, pair } from './samples.js';

export const contentRules: readonly Rule[] = [
  {
    name: 'keeps the order of items',
    run: ({ dataType, roundTrip }) => roundTrip(numbered(dataType, 5, 20)),
  },
  {
    name: 'loses nothing in many small batches',
    run: ({ dataType, roundTrip }) => roundTrip(numbered(dataType, 500, 1)),
  },
  {
    name: 'loses nothing in large batches',
    run: ({ dataType, roundTrip }) => roundTrip(large(dataType)),
  },
  {
    name: 'keeps every character of an item',
    run: ({ dataType, roundTrip }) => roundTrip([awkward(dataType)]),
  },
  {
    name: 'shows no items where none were written',
    run: ({ roundTrip }) => roundTrip([]),
  },
  {
    name: 'keeps data types apart',
    async run({ dataType, make, read }) {
      const [one, two] = [numbered(dataType, 10, 3), numbered(`${dataType}-b`, 10, 2)];
      const sink = await make();
      const writeInOrder = async (batches: readonly Batch[]) => {
        for (const batch of batches) await sink.write(batch);
      };
      await Promise.all([writeInOrder(one), writeInOrder(two)]);
      await sink.close();
      mustEqual(await read(dataType), linesOf(...one));
      mustEqual(await read(`${dataType}-b`), linesOf(...two));
      return undefined;
    },
  },
  {
    name: 'adds what a second job of a data type writes',
    async run({ dataType, make, read }) {
      const [first, second] = pair(dataType);
      const sink = await make();
      await sink.open(dataType, 'one');
      await sink.write(first);
      await sink.open(dataType, 'two');
      await sink.write(second);
      await sink.close();
      mustEqual(await read(dataType), linesOf(first, second));
      return undefined;
    },
  },
  {
    name: 'leaves the bytes of a batch as they are',
    async run({ dataType, make }) {
      const [batch] = pair(dataType);
      const bytes = Buffer.from(batch.bytes);
      const offsets = String(batch.offsets);
      const sink = await make();
      await sink.write(batch);
      await sink.close();
      if (!bytes.equals(batch.bytes)) throw new Error('the bytes were changed, which other sinks may share');
      if (offsets !== String(batch.offsets)) throw new Error('the offsets were changed, which other sinks may share');
      return undefined;
    },
  },
];
