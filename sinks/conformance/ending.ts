/** Rules on the end of a run: readable items after it, and no later writes. */
import type { Rule } from './bench.js';
import { linesOf, mustBegin, mustEqual } from './items.js';
import { pair } from './samples.js';

export const endingRules: readonly Rule[] = [
  {
    name: 'has published all when close settles',
    async run({ dataType, make, read }) {
      const [first, second] = pair(dataType);
      const sink = await make();
      for (const batch of [first, second]) await sink.write(batch);
      await sink.close();
      mustEqual(await read(dataType), linesOf(first, second));
      return undefined;
    },
  },
  {
    name: 'counts items and bytes in its summary',
    async run({ dataType, make }) {
      const [first, second] = pair(dataType);
      const watched = await make();
      if (watched.sink.summary === undefined) return 'the sink has no summary';
      for (const batch of [first, second]) await watched.write(batch);
      await watched.close();
      const lines = watched.sink.summary().filter((output) => output.dataType === dataType);
      const found = lines.map(({ items, bytes }) => `${items} items, ${bytes} bytes`);
      const bytes = first.bytes.length + second.bytes.length;
      mustEqual(found, [`${first.count + second.count} items, ${bytes} bytes`]);
      return undefined;
    },
  },
  {
    name: 'leaves only whole items when it is aborted',
    async run({ dataType, make, read }) {
      const [first, second] = pair(dataType);
      const sink = await make();
      for (const batch of [first, second]) await sink.write(batch);
      await sink.abort();
      mustBegin(await read(dataType), linesOf(first, second));
      return undefined;
    },
  },
  {
    name: 'refuses a write after close',
    async run({ dataType, make, read, mustRefuse }) {
      const [first, second] = pair(dataType);
      const sink = await make();
      await sink.write(first);
      await sink.close();
      await mustRefuse(sink, second);
      mustEqual(await read(dataType), linesOf(first));
      return undefined;
    },
  },
  {
    name: 'refuses a write after abort',
    async run({ dataType, make, mustRefuse }) {
      const [first] = pair(dataType);
      const sink = await make();
      await sink.open(dataType);
      await sink.abort();
      await mustRefuse(sink, first);
      return undefined;
    },
  },
];
