/**
 * Two pulls into one destination, the second one killed at a given place of its end, and the pulls after it: what value
 * and data are then. docs/decisions/050-value-and-data-in-one-journal.md.
 */
import type { Sink } from '../../sinks/contract.js';
import { delegate } from '../../sinks/delegate.js';
import { run } from '../../src/run/extract.js';
import { failingAfter, memoryStore } from '../checkpoint/memory-store.js';
import { failure } from '../support/failure.js';
import { rowsApi, rowsConfiguration } from './rows-api.js';

/** Where a process is killed: after a page was stored, and around the transaction that publishes. */
export const killPlaces = ['after a page', 'before it publishes', 'after it has published'] as const;

export type KillPlace = (typeof killPlaces)[number];

const at = (minute: number): string => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();

/** A sink whose process ends around `close`. */
function killed(sink: Sink, place: KillPlace): Sink {
  if (place === 'after a page') return sink;
  return delegate(sink, {
    async close(closing) {
      if (place === 'after it has published') await sink.close(closing);
      throw new Error('killed');
    },
  });
}

export interface KilledPull {
  /** Another process of the run continues it, or a new run begins in its place. */
  readonly next: 'resumed' | 'replaced';
  readonly place: KillPlace;
  make(): Sink;
}

/** Rows 1 to 3 are pulled, row 2 changes and 4 to 6 come, that pull is killed; then two more end well. */
export async function pullKilled({ next, place, make }: KilledPull): Promise<void> {
  const api = await rowsApi();
  const configuration = rowsConfiguration(api.origin, {});
  try {
    api.rows = [1, 2, 3].map((id) => ({ id, updated: at(id) }));
    const first = memoryStore();
    await run(configuration, { to: make(), store: first });
    api.rows = [...api.rows, ...[4, 5, 6].map((id) => ({ id, updated: at(id) }))];
    api.rows = api.rows.map((row) => (row.id === 2 ? { ...row, updated: at(7), note: 'changed' } : row));
    // Behind `begin` and the record of the first page.
    const store = place === 'after a page' ? failingAfter(2, memoryStore(first.held)) : memoryStore(first.held);
    await failure(run(configuration, { to: killed(make(), place), store }));
    const after = memoryStore(store.held);
    await run(configuration, { to: make(), store: after, resume: next === 'resumed' });
    await run(configuration, { to: make(), store: after });
  } finally {
    await api.close();
  }
}

/** The versions that each mode has, by `id`; those that came twice are there twice. */
export const versionsIn = {
  append: ['1', '2', '2 changed', '3', '4', '5', '6'],
  merge: ['1', '2 changed', '3', '4', '5', '6'],
  mirror: ['1', '2 changed', '3', '4', '5', '6'],
  history: ['1', '2', '2 changed', '3', '4', '5', '6'],
} as const;

export type KilledMode = keyof typeof versionsIn;

/** Only a new run that only adds, in place of one that has published all, adds what that one has added. */
export function expectedVersions(mode: KilledMode, { next, place }: Omit<KilledPull, 'make'>): readonly string[] {
  if (mode !== 'append' || next === 'resumed' || place !== 'after it has published') return versionsIn[mode];
  return ['1', '2', '2 changed', '2 changed', '3', '4', '4', '5', '5', '6', '6'];
}

/** Each mode, place and continuation. */
export const allKilledPulls = (Object.keys(versionsIn) as readonly KilledMode[]).flatMap((mode) =>
  killPlaces.flatMap((place) => (['resumed', 'replaced'] as const).map((next) => ({ mode, place, next }))),
);
