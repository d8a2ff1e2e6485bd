/** Walks a divided job: one walk for each part, as child walks below a page that is never requested. */
import { defer, type Observable, tap } from 'rxjs';
import type { WindowRange } from '../../config/partition/window-range.js';
import type { Receipt } from '../../core/model/page.js';
import type { PlaceholderBindings } from '../../job/instances.js';
import { type Partition, partitionsOf } from '../../job/partitions.js';
import type { RunContext } from '../run-context.js';
import { askedPart } from './asked-windows.js';
import { walkInOrder } from './child-walks.js';
import { partWalks, type WalkOnce } from './part-walks.js';
import { createCap, walkWindow } from './split-window.js';
import type { RunScope, WalkTask } from './walk-context.js';

/** The parts of a divided job, in order and lazily. `at`: the time for its expressions, in epoch ms; absent: now. */
export function partsOf(
  { client, context }: Pick<RunScope, 'client'> & { readonly context: Pick<RunContext, 'increments'> },
  { config, instance }: Pick<WalkTask, 'config' | 'instance'>,
  at?: number,
): { readonly range: WindowRange | undefined; readonly parts: Iterable<Partition> } {
  const { windows: range } = client.begin(config, instance, at);
  const asked = (each: PlaceholderBindings) =>
    range === undefined ? undefined : askedPart(context.increments, config, range, each);
  return { range, parts: partitionsOf(config, range, instance, asked) };
}

/** The totals of the job begin and end here: those of its walks are within. */
export function walkPartitions(run: RunScope, task: WalkTask, walkOnce: WalkOnce): Observable<Receipt> {
  const { name, windows } = task.config;
  return defer(() => {
    run.totals.start(name);
    // Of a run that many processes share: all of them have the same parts.
    const { begun = 0 } = task.resumed ?? {};
    const { range, parts } = partsOf(run, task, begun === 0 ? undefined : begun);
    const splits = windows !== undefined && range !== undefined && windows.split !== false && !run.bounds.isCounting;
    const cap = createCap(windows?.split);
    const walkOne = (each: WalkTask) =>
      splits ? walkWindow(run, each, { windows, range, cap, walkOnce }) : walkOnce(each);
    const walks = walkInOrder(run, task, (ordered) => partWalks(run, task, parts, ordered), walkOne);
    return walks.pipe(tap({ complete: () => run.totals.end(name) }));
  });
}
