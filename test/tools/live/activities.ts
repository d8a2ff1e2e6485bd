/** Activities and rows for the tests of the display. */

import type { Activity, PagePhase } from '../../../src/page/progress.js';
import type { DisplayRow } from '../../../src/tools/live/model.js';

export const activityOf = (state: PagePhase, more: Partial<Activity> = {}): Activity => ({
  job: 'users',
  page: 0,
  state,
  received: 0,
  items: 0,
  bytes: 0,
  ...more,
});

export const waitingRow = (name: string): DisplayRow => ({
  name,
  phase: 'waiting',
  pages: 0,
  items: 0,
  bytes: 0,
  retries: 0,
  rate: undefined,
  elapsedMs: undefined,
  hasChildren: false,
  isChild: false,
});

const figures = {
  hasChildren: false,
  isChild: false,
  pages: 12,
  items: 12_000,
  bytes: 4_100_000,
  retries: 1,
  rate: 1250,
  elapsedMs: 12_345,
};

export const runningRow = (name: string, more: Partial<DisplayRow> = {}): DisplayRow => ({
  name,
  phase: 'running',
  ...figures,
  activity: { ...activityOf('answer', { page: 12 }), quietMs: 0 },
  ...more,
});

export const doneRow = (name: string): DisplayRow => ({ name, phase: 'done', ...figures, stop: 'an empty page' });
