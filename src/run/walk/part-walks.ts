/** Turns the parts of a walk into walks, in the order in which they begin. */
import type { Observable } from 'rxjs';
import type { RowPlace } from '../../checkpoint/records.js';
import type { WalkPosition } from '../../checkpoint/walk-positions.js';
import type { Receipt } from '../../core/model/page.js';
import { type ChildWalk, compare, rangeIn } from './child-walks.js';
import type { OrderedOutput } from './ordered-output.js';
import { isBounded, type RunScope, type WalkTask } from './walk-context.js';

/** Walks one part from its first page. */
export type WalkOnce = (task: WalkTask) => Observable<Receipt>;

/** A part of a walk: what differs from the whole. */
export interface PartOfWalk
  extends Pick<WalkTask, 'instance' | 'window'>,
    Partial<Pick<WalkTask, 'config' | 'ancestors'>> {
  /** Where it begins; absent: at its first page. */
  readonly position?: WalkPosition;
}

/** Yields the walks of the parts of a walk. Those that an earlier run has completed are left out. */
export async function* partWalks(
  run: RunScope,
  parent: WalkTask,
  parts: Iterable<PartOfWalk>,
  ordered: OrderedOutput | undefined,
): AsyncGenerator<ChildWalk> {
  const { config, resumed } = parent;
  let number = 0;
  for (const { position, ...part } of parts) {
    const at: RowPlace = [0, config.children.length, number, 0];
    number += 1;
    const order = resumed?.child === undefined ? 1 : compare(at, resumed.child.at);
    if (isBeside(at, resumed) || order < 0 || (order > 0 && isBounded(run, part.config ?? config))) continue;
    const slot = ordered?.join();
    yield {
      task: {
        ...parent,
        ...part,
        output: slot ?? parent.output,
        at: [...parent.at, at],
        name: `${parent.name}/${at.join('.')}`,
        resumed: order === 0 ? resumed?.child?.walk : position,
      },
      around: slot?.around ?? ((receipts) => receipts),
    };
  }
}

/** Whether another task of the run has the part. */
function isBeside([, child, part]: RowPlace, resumed: WalkTask['resumed']): boolean {
  if (resumed?.range === undefined) return false;
  const { child: own, first, end } = rangeIn(resumed.range, resumed.child);
  return child !== own || part < first || part >= end;
}

/** Whether an earlier run has split the walk: its child is a part, not a row. */
export const isSplit = ({ config, resumed }: WalkTask): boolean => resumed?.child?.at[1] === config.children.length;
