import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ExtractError } from '../../../src/core/errors/errors.js';
import { type Remembered, type RunMemory, settingDigest } from '../../../src/incremental/run-memory.js';
import {
  memoryText,
  shownMemory,
  shownValues,
  withoutValues,
  withValue,
} from '../../../src/tools/state/memory-edits.js';

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

const set = (job: string, text: string, ...parent: readonly string[]) => withValue(memory, job, text, { parent, now });
const now = at + 1000;

test('a value is set in its kind, and no item is recognised any more', () => {
  assert.equal(setValue(set('rows', '2026-03-01'), 'rows'), { ...date, value: '"2026-03-01"', recent: [] });
  assert.is(setValue(set('orders', '7', '17'), 'orders', '["17"]')?.value, '7');
  assert.is(setValue(set('cursors', 'def'), 'cursors')?.value, '"def"');
});

const first = [
  { compare: undefined, text: '2026-03-01', value: '"2026-03-01"', order: 'date' },
  { compare: undefined, text: '1767225600', value: '1767225600', order: 'number' },
  { compare: undefined, text: 'b7', value: '"b7"', order: 'text' },
  { compare: 'text', text: '2026', value: '"2026"', order: 'text' },
  { compare: 'number', text: '2026', value: '2026', order: 'number' },
  { compare: 'date', text: '2026-03-01', value: '"2026-03-01"', order: 'date' },
] as const;

for (const { compare, text, value, order } of first) {
  test(`a job without a value gets ${text}, compared as ${compare ?? 'it looks'}`, () => {
    const settings = { 'incremental.path': settingDigest('updated') };
    const source = { ...settings, ...(compare === undefined ? {} : { 'incremental.compare': settingDigest(compare) }) };
    const jobs = { rows: { ...jobOf({}), parents: 0, source } };
    const made = withValue({ format: 1, jobs }, 'rows', text, { parent: [], now });
    assert.equal(setValue(made, 'rows'), { value, order, recent: [], at: now });
  });
}

test('a value of a response that a job does not have yet is a text without an order', () => {
  const source = { 'incremental.response': settingDigest('token') };
  const made = withValue({ format: 1, jobs: { rows: { ...jobOf({}), source } } }, 'rows', '17', { parent: [], now });
  assert.equal(setValue(made, 'rows'), { value: '"17"', recent: [], at: now });
});

test('another parent gets a value of the kind of the others, and is known from now on', () => {
  const { jobs } = memory;
  const orders = { ...jobOf({ '["17"]': { value: '42', order: 'number', recent: [], at } }), parents: 1 };
  const made = withValue({ format: 1, jobs: { ...jobs, orders } }, 'orders', '5', { parent: ['19'], now });
  assert.equal(setValue(made, 'orders', '["19"]'), { value: '5', order: 'number', recent: [], at: now });
  assert.is(setValue(made, 'orders', '["17"]')?.value, '42');
});

test('a value of another kind, a parent of another form, and a job that is not known, are refused', () => {
  problem(() => set('rows', 'soon'), '"soon" is no value of the same kind as 2026-01-02');
  problem(() => set('orders', 'x', '17'), 'no value of the same kind as 42');
  problem(() => set('rows', '2026-03-01', '17'), 'job "rows" has no parent: leave out --parent');
  problem(() => set('orders', '7'), 'job "orders" needs --parent 1 time, as in --parent 17');
  problem(() => set('row', '7'), 'did you mean "rows"?');
  const source = { 'incremental.path': '', 'incremental.compare': settingDigest('date') };
  const empty = { format: 1, jobs: { rows: { ...jobOf({}), source } } } as const;
  problem(() => withValue(empty, 'rows', 'soon', { parent: [], now }), '"soon" is no date');
  const child = { format: 1, jobs: { rows: { ...jobOf({}), parents: 2 } } } as const;
  problem(() => withValue(child, 'rows', '1', { parent: ['1'], now }), 'needs --parent 2 times');
});

test('the values of one job or of all are forgotten, and the job is still known', () => {
  const without = withoutValues(memory, 'rows');
  assert.equal(without.jobs.rows, jobOf({}));
  assert.is(shownValues(without).length, 3);
  assert.equal(shownValues(withoutValues(memory, undefined)), []);
  assert.equal(Object.keys(withoutValues(memory, undefined).jobs), ['rows', 'orders', 'cursors']);
  problem(() => withoutValues(memory, 'order'), 'did you mean "orders"?');
});

test('a text is shown as it is set, and in quotes only if that cannot be seen', () => {
  const shown = (text: string) => {
    const value = { value: JSON.stringify(text), recent: [], at };
    return memoryText({ format: 1, jobs: { rows: jobOf({ '': value }) } }).split('\n')[1] ?? '';
  };
  for (const text of ['2026-01-02', 'a b', 'x"y', 'é']) {
    assert.match(shown(text), `rows  ${text}  `);
    const { jobs } = withValue(memory, 'cursors', text, { parent: [], now });
    assert.is(jobs.cursors?.values['']?.value, JSON.stringify(text));
  }
  for (const text of ['', ' a', 'a  b', 'a\tb', '"a"', '\u200b'])
    assert.match(shown(text), `rows  ${JSON.stringify(text)}  `);
});

const withPages: RunMemory = {
  ...memory,
  pages: { rows: { mark: 'm', pages: { a: '{}', b: '{}' } }, lists: { mark: 'm', pages: { c: '{}' } } },
};

test('pages of which the next run asks whether they have changed are counted', () => {
  assert.match(memoryText(withPages), /\n\njob +pages that may be unchanged\nrows +2\nlists +1\n$/);
  assert.match(memoryText({ ...withPages, jobs: {} }), /^job +pages that may be unchanged\n/);
  assert.equal(shownMemory(withPages).slice(-2), [
    { job: 'rows', pages: 2 },
    { job: 'lists', pages: 1 },
  ]);
});

test('a value that is set, and a job that is reset, make its pages whole again', () => {
  assert.equal(Object.keys(withValue(withPages, 'rows', '2026-03-01', { parent: [], now }).pages ?? {}), ['lists']);
  assert.equal(Object.keys(withoutValues(withPages, 'lists').pages ?? {}), ['rows']);
  assert.is(withoutValues(withoutValues(withPages, 'lists'), 'rows').pages, undefined);
  assert.is(withoutValues(withPages, undefined).pages, undefined);
  problem(() => withoutValues(withPages, 'list'), 'did you mean "lists"?');
});

test.run();
