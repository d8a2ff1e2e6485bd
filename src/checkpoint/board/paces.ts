/** How long tasks of this process took for a row: it says how many rows make a task of about five seconds. */
import { asyncScheduler } from 'rxjs';
import type { RowsOfTask, TaskSize } from '../seeds.js';
import type { RunSpec } from './board.js';

export interface Paces {
  /** How rows of pages of the run become tasks. */
  sizeOf(run: Pick<RunSpec, 'name' | 'block'>): TaskSize;
  /** Measures a task from now on. */
  begin(run: Pick<RunSpec, 'name'>, rows: RowsOfTask): Measure;
}

export interface Measure {
  /** A page is recorded. What the task needs to start is over at the first one, and so is its first row. */
  page(): void;
  done(): void;
}

/** A task costs some ms beside its requests, and what a process has done of it since its last record if it ends. */
const taskMs = 5000;

/** Of a page below a row, unless the run says how many rows a task has. */
const leastRows = 20;

const mostRows = 10_000;

/** The same before a task was measured: a child may need more or less time than the page above it. */
const rowsAtFirst = { least: 10, most: 100 };

/** Runs and child jobs with a pace. */
const mostPaces = 1000;

export function createPaces(): Paces {
  const paces = new Map<string, number>();
  const keyOf = ({ name }: Pick<RunSpec, 'name'>, job: number, children: readonly number[]) =>
    JSON.stringify([name, job, ...children]);
  const rowsIn = (ms: number, { least, most }: typeof rowsAtFirst) =>
    Math.max(least, Math.min(most, Math.floor(taskMs / Math.max(ms, 0.1))));
  return {
    sizeOf(run) {
      const { block } = run;
      if (block !== undefined) return { least: block / 2, rowsOf: () => block };
      const rowsOf: TaskSize['rowsOf'] = (job, children, pageMs) => {
        const pace = paces.get(keyOf(run, job, children));
        return pace === undefined ? rowsIn(pageMs, rowsAtFirst) : rowsIn(pace, { least: 1, most: mostRows });
      };
      return { least: leastRows, rowsOf };
    },
    begin(run, { job, children, count }) {
      let [since, rows, isFirst] = [asyncScheduler.now(), count, true];
      return {
        page() {
          if (isFirst && count > 1) [since, rows] = [asyncScheduler.now(), count - 1];
          isFirst = false;
        },
        done() {
          const key = keyOf(run, job, children);
          const pace = (asyncScheduler.now() - since) / rows;
          const before = paces.get(key) ?? pace;
          paces.delete(key); // the last one that was measured is the last one to be forgotten
          paces.set(key, (before + pace) / 2);
          const [oldest] = paces.keys();
          if (paces.size > mostPaces && oldest !== undefined) paces.delete(oldest);
        },
      };
    },
  };
}
