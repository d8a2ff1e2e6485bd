/** Seeds: the tasks that follow from records, and the journals with which they begin. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createPosition, partsOf } from '../../src/checkpoint/position.js';
import { type BeginRecord, format, type PageRecord, recordIn, type StateRecord } from '../../src/checkpoint/records.js';
import {
  blocksOf,
  createSeeding,
  journalOf,
  partsOfSeed,
  rowsOfTask,
  type Seed,
  seedsOfJobs,
  withShared,
} from '../../src/checkpoint/seeds.js';
import { elementAt } from '../../src/core/util/element-at.js';

const begin: BeginRecord = {
  type: 'begin',
  format,
  version: '1',
  run: 'abc',
  epoch: 0,
  sinks: [],
  startedAt: 5,
  marks: { 'config.jobs': 'a1' },
  values: { 'config.jobs': 'users' },
  remembered: { format: 1, jobs: {} },
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
  blocks: [2, 3],
};
/** A page of the walk for a row, and of one below that. */
const below: PageRecord = { ...page, at: [[2, 1, 4, 0]], page: 1, rows: { ...rows, part: 'J3-1-2' }, blocks: [4] };
const deeper: PageRecord = {
  ...below,
  at: [...below.at, [1, 0, 3, 2]],
  page: 0,
  rows: { ...rows, part: 'J3-1-3' },
  blocks: [5],
};
const { blocks: _, ...walkedHere } = below;

const namesOf = (seeds: readonly Seed[]) => seeds.map(({ task }) => task);
const namesIn = (...records: readonly StateRecord[]) => namesOf(createSeeding().append(records));

function snapshotOf(...records: readonly StateRecord[]) {
  const position = createPosition(begin);
  for (const record of records) position.apply(record);
  return position.snapshot();
}

const ofPage = ['C0-R0', 'C0-R2', 'C0-R4', 'C1-R0', 'C1-R3'].map((place) => `J3-P2-${place}`);

test('a run begins with a task for each top-level job', () => {
  assert.equal(seedsOfJobs({ begin, jobs: [{ job: 0 }, { job: 3, parts: { child: 2, count: 0 } }] }), [
    { task: 'J0', job: 0 },
    { task: 'J3', job: 3 },
  ]);
  assert.equal(journalOf({ task: 'J3', job: 3 }, begin).length, 1);
});

test('a divided job begins with a task for each part, or for as many as make 1,000 tasks', () => {
  const seedsOf = (count: number) => seedsOfJobs({ begin, jobs: [{ job: 3, parts: { child: 2, count } }] });
  assert.equal(namesOf(seedsOf(3)), ['J3-P0-C2-R0', 'J3-P0-C2-R1', 'J3-P0-C2-R2']);
  const many = seedsOf(1001);
  assert.is(many.length, 501);
  assert.equal(many.at(-1), {
    task: 'J3-P0-C2-R1000',
    job: 3,
    walk: { begun: 5, page: 0, prints: '', range: { child: 2, first: 1000, end: 1001 } },
  });
});

test('rows of a part become tasks, which have that part alone', () => {
  const [part] = seedsOfJobs({ begin, jobs: [{ job: 3, parts: { child: 2, count: 3 } }] });
  assert.ok(part);
  const seeding = createSeeding();
  assert.equal(seeding.replace(journalOf(part, begin).map(recordIn)), []);
  const [seed] = seeding.append([{ ...page, at: [[0, 2, 0, 0]], blocks: [5] }]);
  assert.is(seed?.task, 'J3-P0-C2-R0.0-P2-C0-R0');
  assert.equal([seed?.walk?.begun, seed?.walk?.range, seed?.walk?.child?.at], [5, 'child', [0, 2, 0, 0]]);
});

test('rows of a page become blocks for each child job, of a snapshot the same ones', () => {
  assert.equal(namesIn(page), ofPage);
  assert.equal(namesOf(createSeeding().replace([begin, snapshotOf(page)])), ofPage);
});

test('rows below rows become tasks, which need the rows above them', () => {
  const { blocks, ...above } = page;
  const names = ['J3-P2-C1-R4.0-P1-C0-R0', 'J3-P2-C1-R4.0-P1-C0-R4'];
  for (const seeds of [
    createSeeding().append([above, below]).slice(-2),
    createSeeding().replace([begin, snapshotOf(above, below)]),
  ]) {
    assert.equal(namesOf(seeds), names);
    assert.equal(partsOfSeed(elementAt(seeds, 0)), ['J3-1-1', 'J3-1-2']);
  }
  assert.equal(namesIn(above, walkedHere, deeper), ['J3-P2-C1-R4.0-P1-C0-R3.2-P0-C0-R0']);
});

test('a journal that is replaced makes the tasks of its last page alone: those before it are there', () => {
  const next = { ...page, page: 3 };
  const ofNext = ofPage.map((name) => name.replace('P2', 'P3'));
  const seeding = createSeeding();
  assert.equal(namesOf(seeding.replace([begin, page, next])), ofNext);
  assert.equal(namesOf(seeding.append([next])), ofNext);
});

test('no tasks: rows that are walked here, and those of a task', () => {
  assert.equal(namesIn(walkedHere), []);
  assert.equal(namesIn({ type: 'job-done', job: 3 }), []);
  for (const seed of createSeeding().append([page])) {
    const records = journalOf(seed, begin).map(recordIn);
    const { marks: __, values: ___, remembered: ____, ...own } = begin;
    const first = { ...own, marks: {}, task: { name: seed.task, job: 3 } };
    assert.equal(records[0], first, 'what all tasks have is not in each of them');
    assert.equal(withShared(first, begin), { ...begin, task: first.task });
    assert.equal(createSeeding().replace(records), []);
    assert.equal(namesOf(createSeeding().append([...records, { type: 'job-done', job: 3 }])), []);
  }
});

test('a page below a row with few rows is walked where it is', () => {
  const asked: unknown[] = [];
  const rowsOf = (...given: readonly unknown[]) => asked.push(given);
  const place = { job: 3, at: below.at, children: 2, pageMs: 7 };
  assert.equal(blocksOf({ ...place, count: 4 }, { least: 5, rowsOf }), undefined);
  assert.equal(blocksOf({ ...place, count: 5 }, { least: 5, rowsOf }), [1, 2]);
  assert.equal(blocksOf({ ...place, at: [], count: 1 }, { least: 5, rowsOf }), [3, 4]);
  assert.equal(asked, [
    [3, [1, 0], 7],
    [3, [1, 1], 7],
    [3, [0], 7],
    [3, [1], 7],
  ]);
});

test('the rows of a task that no process has begun', () => {
  const recordsOf = (seed: Seed) => journalOf(seed, begin).map(recordIn);
  const seeding = createSeeding();
  const [first, , third] = seeding.append([page]);
  const [inner] = seeding.append([below]);
  assert.ok(first && third && inner);
  assert.equal(rowsOfTask(recordsOf(first)), { job: 3, children: [0], count: 2 });
  assert.equal(rowsOfTask(recordsOf(third)), { job: 3, children: [0], count: 1 });
  assert.equal(rowsOfTask(recordsOf(inner)), { job: 3, children: [1, 0], count: 4 });
  const [part] = seedsOfJobs({ begin, jobs: [{ job: 3, parts: { child: 2, count: 3 } }] });
  assert.ok(part);
  const none = [
    [],
    recordsOf({ task: 'J3', job: 3 }),
    recordsOf(part),
    [begin, snapshotOf()],
    [begin, snapshotOf(page)],
    [begin, snapshotOf(page, { type: 'job-done', job: 3 })],
    [...recordsOf(first), page],
  ];
  for (const records of none) assert.is(rowsOfTask(records), undefined);
});

test('a task whose sinks lost its pages begins again with its rows, not with its job', () => {
  for (const seed of createSeeding().append([page, below])) {
    const position = createPosition(begin);
    for (const text of journalOf(seed, begin)) position.apply(recordIn(text));
    const before = position.snapshot().jobs;
    const { rows: __, ...last } = deeper;
    const above = elementAt(ofPage, 0) === seed.task ? below.at : deeper.at;
    position.apply({ ...last, at: above });
    assert.is.not(JSON.stringify(position.snapshot().jobs), JSON.stringify(before));
    position.resetLane(3);
    assert.equal(position.snapshot().jobs, before);
    assert.equal([...partsOf(position)], partsOfSeed(seed));
  }
});

test.run();
