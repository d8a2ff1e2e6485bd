/** Seeds: the tasks that follow from records, and the journals with which they begin. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createPosition } from '../../src/checkpoint/position.js';
import { type BeginRecord, format, type PageRecord, recordIn, type StateRecord } from '../../src/checkpoint/records.js';
import { journalOf, type SeedPlan, seedsIn, seedsOfJobs } from '../../src/checkpoint/seeds.js';

const begin: BeginRecord = {
  type: 'begin',
  format,
  version: '1',
  run: 'abc',
  epoch: 0,
  sinks: [],
  startedAt: 5,
  marks: {},
};
const rows = { part: 'J3-1-1', count: 5, lengths: [9], crc: 1 };
const page: PageRecord = {
  type: 'page',
  job: 3,
  at: [],
  begun: 7,
  page: 2,
  time: 8,
  print: 'a',
  took: { job: 3, requests: 1, retries: 0, count: 5, bytes: 9, delivered: true },
  rows,
};
const plan: SeedPlan = {
  jobs: [
    { job: 0, children: 0 },
    { job: 3, children: 2 },
  ],
  block: 2,
};
const namesIn = (record: StateRecord) => seedsIn(record, plan).map(({ task }) => task);

const ofPage = ['C0-R0', 'C0-R2', 'C0-R4', 'C1-R0', 'C1-R2', 'C1-R4'].map((place) => `J3-P2-${place}`);

test('a run begins with a task for each top-level job', () => {
  assert.equal(seedsOfJobs(plan), [
    { task: 'J0', job: 0 },
    { task: 'J3', job: 3 },
  ]);
  assert.equal(journalOf({ task: 'J3', job: 3 }, begin).length, 1);
});

test('rows of a page become blocks for each child job, of a snapshot the same ones', () => {
  assert.equal(namesIn(page), ofPage);
  const position = createPosition(begin);
  position.apply(page);
  assert.equal(namesIn(position.snapshot()), ofPage);
});

test('no tasks: rows below a row, rows that are not stored or not written, and those of a task', () => {
  assert.equal(namesIn({ ...page, at: [[0, 0, 0, 0]] }), []);
  assert.equal(namesIn({ ...page, isWithheld: true }), []);
  const { rows: _, ...without } = page;
  assert.equal(namesIn(without), []);
  assert.equal(namesIn({ type: 'job-done', job: 3 }), []);
  for (const seed of seedsIn(page, plan)) {
    const [first, second] = journalOf(seed, begin).map(recordIn);
    assert.is(second?.type, 'snapshot');
    if (second !== undefined) assert.equal(namesIn(second), []);
    assert.equal(first, { ...begin, task: { name: seed.task, job: 3 } });
  }
});

test('a task whose sinks lost its pages begins again with its rows, not with its job', () => {
  const [seed] = seedsIn(page, plan);
  assert.ok(seed);
  const position = createPosition(begin);
  for (const text of journalOf(seed, begin)) position.apply(recordIn(text));
  const before = position.snapshot().jobs;
  const { rows: _, ...below } = { ...page, at: [[2, 0, 1, 0]] as const, page: 0 };
  position.apply(below);
  assert.is.not(JSON.stringify(position.snapshot().jobs), JSON.stringify(before));
  position.resetLane(3);
  assert.equal(position.snapshot().jobs, before);
});

test.run();
