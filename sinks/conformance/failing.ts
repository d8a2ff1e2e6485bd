/** Rules on a failing destination: a run learns of the failure at once, with or without another write. */
import type { Rule } from './bench.js';
import { pair } from './samples.js';
import { mustReject } from './watched.js';

export const failingRules: readonly Rule[] = [
  {
    name: 'reports a failed write at once',
    async run({ dataType, makeFailing, settles }) {
      const [batch] = pair(dataType);
      const failing = await makeFailing();
      if (failing === undefined) return 'no sink with a failing destination was given: option "failing"';
      let onFailure: (thrown: unknown) => void = () => {};
      const reported = new Promise<'late'>((resolve) => {
        onFailure = () => resolve('late');
      });
      await failing.open(dataType, dataType, { onFailure });
      const failed = failing.write(batch).then(
        () => reported,
        () => 'refused' as const,
      );
      if (!(await settles(failed))) throw new Error('neither `write` nor `onFailure` said that the write had failed');
      if ((await failed) === 'late') await mustReject(failing.close(), 'close published, though a write had failed');
      return undefined;
    },
  },
];
