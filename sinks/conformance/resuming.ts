/** Rules on runs that keep a state: where the output stood is known again, and what came behind is gone. */
import { batchOf } from '../batch.js';
import type { Rule } from './bench.js';
import { linesOf, mustEqual } from './items.js';
import { pair } from './samples.js';

const noPromise = 'the sink does not promise exactly once';

export const resumingRules: readonly Rule[] = [
  {
    name: 'goes on where a checkpoint stood, and nothing comes twice',
    async run({ dataType, make, read, resumeOf }) {
      const [kept, lost] = pair(dataType);
      const after = batchOf(dataType, [{ after: true }]);
      const first = await make();
      const earlier = resumeOf(first);
      if (earlier === undefined) return noPromise;
      await earlier.resume(new Map());
      await first.open(dataType);
      await first.write(kept);
      const checkpoint = await earlier.checkpoint(dataType);
      await first.write(lost);
      await first.abort();

      const second = await make();
      await resumeOf(second)?.resume(new Map([[dataType, checkpoint]]));
      await second.open(dataType);
      await second.write(after);
      await second.close();
      mustEqual(await read(dataType), linesOf(kept, after));
      return undefined;
    },
  },
];
