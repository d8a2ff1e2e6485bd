import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { joinReached, mostRecent, type Reached } from '../../src/incremental/reached.js';
import { advanced, type JobAdvance, type Remembered, type RunMemory } from '../../src/incremental/run-memory.js';

const at = 1_000_000;
const advance: JobAdvance = { source: {}, filters: {}, isAscending: false, forgetAfter: 1000, isFull: false };
const nothing: Reached = { recent: [], known: 0, late: 0, beyond: 0 };
const known: Remembered = { value: '5', order: 'number', recent: [['5', 'a'.repeat(16)]], at: at - 10 };
const memoryOf = (values: Readonly<Record<string, Remembered>>): RunMemory => ({
  format: 1,
  jobs: { rows: { source: {}, filters: {}, values } },
});

interface Walked {
  readonly reached?: Reached;
  readonly isComplete?: boolean;
  readonly job?: Partial<JobAdvance>;
  readonly before?: RunMemory;
}

/** The memory after one walk of the job `rows`. */
function after({ reached = nothing, isComplete = true, job = {}, before = memoryOf({ '': known }) }: Walked) {
  const walks = [{ job: 'rows', by: '', reached, isComplete }];
  return advanced(before, walks, new Map([['rows', { ...advance, ...job }]]), at);
}

const valueAfter = (walked: Walked) => after(walked).memory.jobs.rows?.values[''];

const higher: Reached = { ...nothing, value: '7', order: 'number' };

test('a complete walk advances the value', () => assert.is(valueAfter({ reached: higher })?.value, '7'));

test('a walk that was cut short leaves the value, unless its items come in ascending order', () => {
  assert.equal(valueAfter({ reached: higher, isComplete: false }), { ...known, at });
  assert.is(valueAfter({ reached: higher, isComplete: false, job: { isAscending: true } })?.value, '7');
});

test('a value never goes backwards', () => {
  const lower: Reached = { ...nothing, value: '3', order: 'number' };
  assert.is(valueAfter({ reached: lower })?.value, '5');
});

test('a walk without a value keeps what is known, and remembers nothing if nothing is', () => {
  assert.equal(valueAfter({}), { ...known, at });
  const { jobs } = after({ before: memoryOf({}) }).memory;
  assert.equal(jobs.rows?.values, {});
});

test('a job without a walk and without a value has no entry; a full run that was cut short replaces nothing', () => {
  const empty: RunMemory = { format: 1, jobs: {} };
  assert.equal(advanced(empty, [], new Map([['rows', advance]]), at).memory.jobs, {});
  assert.equal(valueAfter({ reached: higher, isComplete: false, job: { isFull: true } }), known);
});

test('a value without its parent is forgotten after a time', () => {
  const old = memoryOf({ '["1"]': { ...known, at: at - 1001 }, '["2"]': { ...known, at: at - 1000 } });
  assert.equal(Object.keys(after({ before: old }).memory.jobs.rows?.values ?? {}), ['["2"]']);
});

test('recent items beyond the most are dropped, those with the lowest values first, and counted', () => {
  const reached: Reached = {
    ...higher,
    recent: [
      ['6', 'b'.repeat(16)],
      ['7', 'a'.repeat(16 * mostRecent)],
    ],
  };
  const { memory, dropped } = after({ reached, before: memoryOf({}) });
  assert.equal([...dropped], [['rows', 1]]);
  assert.equal(
    memory.jobs.rows?.values['']?.recent.map(([value, digests]) => [value, digests.length / 16]),
    [['7', mostRecent]],
  );
});

test('pages with more recent items than twice the most are joined without the lowest', () => {
  const page = (value: string, count: number): Reached => ({
    ...nothing,
    value,
    order: 'number',
    recent: [[value, 'c'.repeat(16 * count)]],
  });
  const { recent } = joinReached(page('1', mostRecent), page('2', mostRecent + 1));
  assert.equal(
    recent.map(([value, digests]) => [value, digests.length / 16]),
    [['2', mostRecent]],
  );
});

test('the lowest late value of two pages is kept, whichever came first', () => {
  const late = (latest: string): Reached => ({ ...higher, late: 1, latest });
  for (const [one, other] of [
    ['3', '4'],
    ['4', '3'],
  ] as const) {
    const { latest, late: count } = joinReached(late(one), late(other));
    assert.equal([latest, count], ['3', 2]);
  }
  assert.is(joinReached(nothing, late('4')).latest, '4');
});

test.run();
