/** Walks a divided job: one walk for each part, as child walks below a page that is never requested. */
import { defer, type Observable, tap } from 'rxjs';
import type { Receipt } from '../../core/model/page.js';
import type { PlaceholderBindings } from '../../job/instances.js';
import { partitionsOf } from '../../job/partitions.js';
import { askedPart } from './asked-windows.js';
import { walkInOrder } from './child-walks.js';
import { partWalks, type WalkOnce } from './part-walks.js';
import { createCap, walkWindow } from './split-window.js';
import type { RunScope, WalkTask } from './walk-context.js';

/** The totals of the job begin and end here: those of its walks are within. */
export function walkPartitions(run: RunScope, task: WalkTask, walkOnce: WalkOnce): Observable<Receipt> {
  const { config, instance } = task;
  const { name, windows } = config;
  return defer(() => {
    run.totals.start(name);
    const { windows: range } = run.client.begin(config, instance);
    const { increments } = run.context;
    const asked = (each: PlaceholderBindings) =>
      range === undefined ? undefined : askedPart(increments, config, range, each);
    const parts = () => partitionsOf(config, range, instance, asked);
    const splits = windows !== undefined && range !== undefined && windows.split !== false && !run.bounds.isCounting;
    const cap = createCap(windows?.split);
    const walkOne = (each: WalkTask) =>
      splits ? walkWindow(run, each, { windows, range, cap, walkOnce }) : walkOnce(each);
    const walks = walkInOrder(run, task, (ordered) => partWalks(run, task, parts(), ordered), walkOne);
    return walks.pipe(tap({ complete: () => run.totals.end(name) }));
  });
}
