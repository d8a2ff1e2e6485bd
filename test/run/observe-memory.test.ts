import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { RememberedMoment } from '../../src/http/observer.js';
import { noMemory, type RunMemory } from '../../src/incremental/run-memory.js';
import { momentsIn, observeMemory } from '../../src/run/observe-memory.js';

const value = (text: string, order: 'date' | 'number') => ({ value: JSON.stringify(text), order, recent: [], at: 0 });
const job = (values: RunMemory['jobs'][string]['values']) => ({ source: {}, filters: {}, values });
const moment = '2026-11-27T10:00:00.250Z';

const memory: RunMemory = {
  format: 1,
  jobs: {
    orders: job({ '': value(moment, 'date') }),
    notes: job({ a: value('2026-11-27T12:00:00Z', 'date'), b: value('2026-11-26T12:00:00Z', 'date') }),
    numbers: job({ '': value('12', 'number') }),
    empty: job({}),
  },
};

test('a date that is remembered is a moment, the oldest of several', () => {
  assert.equal(momentsIn(memory), [
    { job: 'orders', at: Date.parse(moment) },
    { job: 'notes', at: Date.parse('2026-11-26T12:00:00Z') },
  ]);
});

test('an observer learns what is remembered before a run and after it', () => {
  const reported: (readonly RememberedMoment[])[] = [];
  const observer = { remembers: (values: readonly RememberedMoment[]) => void reported.push(values) };
  const results = [memory, undefined];
  const increments = { begin: () => undefined, remember: () => results.shift() };
  const observed = observeMemory(increments, observer, undefined);
  assert.is(observed.remember([]), memory);
  assert.is(observed.remember([]), undefined);
  assert.is(observed.begin, increments.begin);
  assert.equal(
    reported.map((values) => values.length),
    [0, 2],
  );
  observeMemory(increments, observer, memory);
  assert.is(reported.at(-1)?.length, 2);
  assert.equal(momentsIn(noMemory), []);
});

test.run();
