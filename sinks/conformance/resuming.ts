/** Rules on runs with a stored state: a resume restores the last commit and removes later items. */
import { batchOf } from '../batch.js';
import type { Rule } from './bench.js';
import { linesOf, mustEqual } from './items.js';
import { pair } from './samples.js';

const noPromise = 'the sink does not promise exactly once';
const run = 'test-run-resumed';

export const resumingRules: readonly Rule[] = [
  {
    name: 'goes on where a checkpoint stood, and nothing comes twice',
    async run({ dataType, make, read, isCut }) {
      const [kept, lost] = pair(dataType);
      const after = batchOf(dataType, [{ after: true }]);
      const first = await make({ run, isStored: true });
      if (!isCut(first)) return noPromise;
      await first.open(dataType);
      await first.write(kept);
      const checkpoint = await first.commit(dataType);
      if (checkpoint === undefined) throw new Error('commit did not say where the output stands');
      await first.write(lost);
      await first.abort();

      const second = await make({ run, epoch: 2, isStored: true, checkpoints: new Map([[dataType, checkpoint]]) });
      await second.open(dataType);
      await second.write(after);
      await second.close();
      mustEqual(await read(dataType), linesOf(kept, after));
      return undefined;
    },
  },
];
