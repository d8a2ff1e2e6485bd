import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ExtractError } from '../../../src/core/errors/errors.js';
import type { Remembered, RunMemory } from '../../../src/incremental/run-memory.js';
import { memoryText, shownValues, withoutJob, withValue } from '../../../src/tools/state/memory-edits.js';

const at = Date.UTC(2026, 0, 2);
const date: Remembered = { value: '"2026-01-02"', order: 'date', recent: [['"2026-01-02"', 'a'.repeat(32)]], at };
const jobOf = (values: Readonly<Record<string, Remembered>>) => ({ source: {}, filters: {}, values });
const memory: RunMemory = {
  format: 1,
  jobs: {
    rows: jobOf({ '': date }),
    orders: jobOf({
      '["17"]': { value: '42', order: 'number', recent: [], at },
      '["18",null]': { ...date, value: '"x"' },
    }),
    cursors: jobOf({ '': { value: '"abc"', recent: [], at } }),
  },
};

const problem = (work: () => unknown, says: string) =>
  assert.throws(work, (thrown: unknown) => thrown instanceof ExtractError && thrown.message.includes(says));

test('values are shown with the parent of a child job, for people and for programs', () => {
  assert.equal(
    shownValues(memory).map(({ job, parent, recent }) => [job, parent, recent]),
    [
      ['rows', undefined, 2],
      ['orders', ['17'], 0],
      ['orders', ['18', null], 2],
      ['cursors', undefined, 0],
    ],
  );
  const [head = '', ...rows] = memoryText(memory).trimEnd().split('\n');
  assert.match(head, /^job +parent +value +recent items +last run$/);
  assert.match(rows[1] ?? '', /^orders +17 +42 +0 +2026-01-02T00:00:00\.000Z$/);
  assert.is(memoryText({ format: 1, jobs: {} }), 'nothing is remembered\n');
});

test('without child jobs there is no column for a parent', () => {
  const [head = ''] = memoryText({ format: 1, jobs: { rows: jobOf({ '': date }) } }).split('\n');
  assert.match(head, /^job +value +recent items +last run$/);
});

const setValue = ({ jobs }: RunMemory, job: string, by = '') => jobs[job]?.values[by];

test('a value is set in its kind, and no item is recognised any more', () => {
  assert.equal(setValue(withValue(memory, 'rows', '2026-03-01', []), 'rows'), {
    ...date,
    value: '"2026-03-01"',
    recent: [],
  });
  assert.is(setValue(withValue(memory, 'orders', '7', ['17']), 'orders', '["17"]')?.value, '7');
  assert.is(setValue(withValue(memory, 'cursors', 'def', []), 'cursors')?.value, '"def"');
});

test('a value of another kind, and a parent that is not known, are refused', () => {
  problem(() => withValue(memory, 'rows', 'soon', []), '"soon" is no value of the same kind as 2026-01-02');
  problem(() => withValue(memory, 'orders', 'x', ['17']), 'no value of the same kind as 42');
  problem(() => withValue(memory, 'rows', '2026-03-01', ['17']), 'expected one of none');
  problem(() => withValue(memory, 'orders', '7', []), 'expected one of ["17"]');
  problem(() => withValue(memory, 'row', '7', []), 'did you mean "rows"?');
});

test('one job or all are forgotten', () => {
  assert.equal(Object.keys(withoutJob(memory, 'rows').jobs), ['orders', 'cursors']);
  assert.equal(withoutJob(memory, undefined), { format: 1, jobs: {} });
  problem(() => withoutJob(memory, 'order'), 'did you mean "orders"?');
});

test.run();
