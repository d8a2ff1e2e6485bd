/** Runs of a board as text for people, and as data for programs. */
import type { ListedRun, RunStatus, TaskState } from '../../checkpoint/board/board.js';
import { version } from '../../core/util/version.js';
import { counted, grouped } from '../text/format.js';
import { fitTable, printable } from '../text/lines.js';

/** A run as a program reads it. */
export interface RunAsData {
  readonly name: string;
  readonly state: ListedRun['state'];
  /** Of rxtract. */
  readonly version: string;
  /** When it was submitted, in ISO 8601. */
  readonly submitted: string;
  readonly tasks: Readonly<Record<TaskState, number>>;
  readonly workers: ListedRun['workers'];
}

export const runAsData = ({ name, state, version: of, submittedAt, tasks, workers }: ListedRun): RunAsData => ({
  name,
  state,
  version: of,
  submitted: iso(submittedAt),
  tasks,
  workers,
});

/** With why its tasks failed last. */
export const statusAsData = (run: RunStatus) => ({ ...runAsData(run), errors: run.errors });

/** A row for each run. */
export function runsText(runs: readonly ListedRun[], columns: number): string {
  if (runs.length === 0) return 'there are no runs\n';
  const heads = ['run', 'state', 'tasks', 'done', 'at work', 'ready', 'failed', 'submitted'];
  const rows = runs.map(({ name, state, tasks, submittedAt }) => {
    const { done, leased, ready, failed } = tasks;
    const counts = [done + leased + ready + failed, done, leased, ready, failed].map(grouped);
    return [printable(name), state, ...counts, iso(submittedAt)];
  });
  return textOf([...fitTable([heads, ...rows], new Set([2, 3, 4, 5, 6]), columns), ...versionNotes(runs)]);
}

/** One run: its row, its workers, and why tasks failed last. */
export function statusText(run: RunStatus, columns: number): string {
  const workers = run.workers.map(({ name, tasks }) => [printable(name), grouped(tasks)]);
  const errors = run.errors.map(({ task, error }) => [printable(task), printable(error)]);
  const tables = [
    ...(workers.length === 0 ? [] : ['', ...fitTable([['worker', 'tasks'], ...workers], new Set([1]), columns)]),
    ...(errors.length === 0 ? [] : ['', ...fitTable([['task', 'last error'], ...errors], new Set(), columns)]),
  ];
  return `${runsText([run], columns)}${tables.length === 0 ? '' : textOf(tables)}`;
}

/** A run of another version waits for workers of that version. */
function versionNotes(runs: readonly ListedRun[]): readonly string[] {
  const other = runs.filter((run) => run.version !== version && run.state === 'running');
  const versions = [...new Set(other.map((run) => run.version))];
  return versions.flatMap((of) => {
    const names = other.filter((run) => run.version === of).map(({ name }) => printable(name));
    const verb = names.length === 1 ? 'needs' : 'need';
    return [
      '',
      `${counted(names.length, 'run')} ${verb} workers of rxtract ${of} (this is ${version}): ${names.join(', ')}`,
    ];
  });
}

const iso = (ms: number): string => new Date(ms).toISOString();

const textOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');
