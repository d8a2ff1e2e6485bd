/** How far a run is that many processes share: what its displays show beside its jobs. */
import type { ListedRun } from '../../checkpoint/board/board.js';
import { counted, grouped } from '../text/format.js';
import type { DisplayLine } from './layout.js';
import type { CountsOfJob } from './model.js';
import { same } from './state.js';

export interface SharedProgress extends Pick<ListedRun, 'tasks' | 'workers'> {
  /** Of the jobs that have begun. */
  readonly totals: readonly CountsOfJob[];
}

/** `310 of 326 tasks done, 4 at work, 12 ready, 1 failed`. */
export function describeTasks({ done, leased, ready, failed }: SharedProgress['tasks']): string {
  const parts = [
    `${grouped(done)} of ${counted(done + leased + ready + failed, 'task')} done`,
    ...(leased === 0 ? [] : [`${grouped(leased)} at work`]),
    ...(ready === 0 ? [] : [`${grouped(ready)} ready`]),
    ...(failed === 0 ? [] : [`${grouped(failed)} failed`]),
  ];
  return parts.join(', ');
}

/** `310 of 326`. */
const shortTasks = ({ done, leased, ready, failed }: SharedProgress['tasks']): string =>
  `${grouped(done)} of ${grouped(done + leased + ready + failed)}`;

/** `; 2 workers: host-a/4711, host-b/318`. */
export function describeWorkers({ workers }: Pick<SharedProgress, 'workers'>): string {
  if (workers.length === 0) return '; no worker has one';
  const names = workers.slice(0, mostNames).map(({ name }) => name);
  const rest = workers.length - names.length;
  const more = rest === 0 ? '' : ` and ${grouped(rest)} more`;
  return `; ${counted(workers.length, 'worker')}: ${names.join(', ')}${more}`;
}

const mostNames = 10;

/** A line for the tasks, and one for each worker, in `most` lines. */
export function linesOfShared(progress: SharedProgress, most: number): readonly DisplayLine[] {
  const { tasks, workers } = progress;
  const first = { name: 'tasks', state: { texts: [describeTasks(tasks), shortTasks(tasks)], tone: 'plain' } } as const;
  const isFolded = workers.length >= most;
  const shown = isFolded ? workers.slice(0, Math.max(0, most - 2)) : workers;
  const lines = shown.map(({ name, tasks: own }) => lineOf(name, counted(own, 'task')));
  const rest = workers.length - shown.length;
  return [first, ...lines, ...(rest === 0 ? [] : [lineOf(`${grouped(rest)} more`, 'workers')])].slice(0, most);
}

const lineOf = (name: string, text: string): DisplayLine => ({ name, state: same(text) });
