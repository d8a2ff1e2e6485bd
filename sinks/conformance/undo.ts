/** Rules on rolling back a page: it leaves committed items alone. */
import { batchOf } from '../batch.js';
import type { Rule } from './bench.js';
import { linesOf, mustEqual } from './items.js';
import { pair } from './samples.js';

const noUndo = 'the sink cannot take back: it has no rollback';

export const undoRules: readonly Rule[] = [
  {
    name: 'takes back to the last commit, and nothing else',
    async run({ dataType, make, read, undoOf }) {
      const [kept, refused] = pair(dataType);
      const after = batchOf(dataType, [{ after: true }]);
      const other = batchOf(`${dataType}-b`, [{ other: true }]);
      const sink = await make();
      const undo = undoOf(sink);
      if (undo === undefined) return noUndo;
      await sink.write(kept);
      await undo.commit(dataType);
      for (const batch of [refused, other, refused]) await sink.write(batch);
      await undo.rollback(dataType);
      await sink.write(after);
      await sink.close();
      mustEqual(await read(dataType), linesOf(kept, after));
      mustEqual(await read(other.dataType), linesOf(other));
      return undefined;
    },
  },
  {
    name: 'takes back to before the first item, and again',
    async run({ dataType, make, read, undoOf }) {
      const [first, second] = pair(dataType);
      const sink = await make();
      const undo = undoOf(sink);
      if (undo === undefined) return noUndo;
      for (const batch of [first, second]) {
        await sink.write(batch);
        await undo.rollback(dataType);
      }
      await sink.write(second);
      await sink.close();
      mustEqual(await read(dataType), linesOf(second));
      return undefined;
    },
  },
  {
    name: 'goes on after durable',
    async run({ dataType, make, read, inTime }) {
      const [first, second] = pair(dataType);
      const watched = await make();
      const { sink } = watched;
      if (sink.durable === undefined) return 'the sink does not say when it is durable';
      await watched.write(first);
      await inTime('durable', () => sink.durable?.());
      await watched.write(second);
      await watched.close();
      mustEqual(await read(dataType), linesOf(first, second));
      return undefined;
    },
  },
];
