/** Walks a job with `each`: one walk for each combination, as child walks below a page that is never requested. */
import { defer, type Observable, tap } from 'rxjs';
import type { RowPlace } from '../../checkpoint/records.js';
import type { Receipt } from '../../core/model/page.js';
import { partitionsOf } from '../../job/partitions.js';
import { type ChildWalk, compare, walkInOrder } from './child-walks.js';
import type { OrderedOutput } from './ordered-output.js';
import { isBounded, type RunScope, type WalkTask } from './walk-context.js';

/** The totals of the job begin and end here: those of its walks are within. */
export function walkPartitions(
  run: RunScope,
  task: WalkTask,
  walkOne: (task: WalkTask) => Observable<Receipt>,
): Observable<Receipt> {
  const { name } = task.config;
  return defer(() => {
    run.totals.start(name);
    const walks = walkInOrder(run, task, (ordered) => partitionWalks(run, task, ordered), walkOne);
    return walks.pipe(tap({ complete: () => run.totals.end(name) }));
  });
}

/** Those that an earlier run has completed are left out. */
async function* partitionWalks(
  run: RunScope,
  parent: WalkTask,
  ordered: OrderedOutput | undefined,
): AsyncGenerator<ChildWalk> {
  const { config, resumed } = parent;
  let number = 0;
  for (const instance of partitionsOf(config, parent.instance)) {
    const at: RowPlace = [0, 0, number, 0];
    number += 1;
    const order = resumed?.child === undefined ? 1 : compare(at, resumed.child.at);
    if (order < 0 || (order > 0 && isBounded(run, config))) continue;
    const slot = ordered?.join();
    yield {
      task: {
        ...parent,
        instance,
        output: slot ?? parent.output,
        at: [...parent.at, at],
        name: `${parent.name}/${at.join('.')}`,
        resumed: order === 0 ? resumed?.child?.walk : undefined,
      },
      around: slot?.around ?? ((receipts) => receipts),
    };
  }
}
