/** Turns the parts of a walk into walks, in the order in which they begin. */
import type { Observable } from 'rxjs';
import type { RowPlace } from '../../checkpoint/records.js';
import type { Receipt } from '../../core/model/page.js';
import type { Partition } from '../../job/partitions.js';
import { type ChildWalk, compare } from './child-walks.js';
import type { OrderedOutput } from './ordered-output.js';
import { isBounded, type RunScope, type WalkTask } from './walk-context.js';

/** Walks one part from its first page. */
export type WalkOnce = (task: WalkTask) => Observable<Receipt>;

/** Yields the walks of the parts of a walk. Those that an earlier run has completed are left out. */
export async function* partWalks(
  run: RunScope,
  parent: WalkTask,
  parts: Iterable<Partition>,
  ordered: OrderedOutput | undefined,
): AsyncGenerator<ChildWalk> {
  const { config, resumed } = parent;
  let number = 0;
  for (const { instance, window } of parts) {
    const at: RowPlace = [0, config.children.length, number, 0];
    number += 1;
    const order = resumed?.child === undefined ? 1 : compare(at, resumed.child.at);
    if (order < 0 || (order > 0 && isBounded(run, config))) continue;
    const slot = ordered?.join();
    yield {
      task: {
        ...parent,
        instance,
        window,
        output: slot ?? parent.output,
        at: [...parent.at, at],
        name: `${parent.name}/${at.join('.')}`,
        resumed: order === 0 ? resumed?.child?.walk : undefined,
      },
      around: slot?.around ?? ((receipts) => receipts),
    };
  }
}

/** Whether an earlier run has split the walk: its child is a part, not a row. */
export const isSplit = ({ config, resumed }: WalkTask): boolean => resumed?.child?.at[1] === config.children.length;
